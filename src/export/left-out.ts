import { isRecord, type JsonRecord } from '../core/json.ts';
import type { Column } from '../formats/columns.ts';

/**
 * Finds the fields of a row that no column of `columns` shows: those that the specification does not name. What a
 * column takes whole (as JSON) counts as shown, and so does `null` in the place of an object.
 */
export function fieldsWithout(columns: readonly Column[]): (row: JsonRecord) => readonly string[] {
  const tops = new Map<string, Set<string> | undefined>();
  for (const { key } of columns) {
    const [top = '', ...rest] = key.split('.');
    if (rest.length === 0) tops.set(top, undefined);
    else if (!tops.has(top)) tops.set(top, new Set([rest.join('.')]));
    else tops.get(top)?.add(rest.join('.'));
  }
  return (row) => {
    let found: string[] | undefined;
    for (const name in row) {
      const parts = tops.get(name);
      if (parts === undefined) {
        if (!tops.has(name)) found = [...(found ?? []), name];
        continue;
      }
      const value = row[name];
      if (value === null) continue;
      if (!isRecord(value)) {
        found = [...(found ?? []), name];
        continue;
      }
      for (const part in value) if (!parts.has(part)) found = [...(found ?? []), `${name}.${part}`];
    }
    return found ?? NONE;
  };
}

const NONE: readonly string[] = [];
