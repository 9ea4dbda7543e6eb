import { isRecord, type JsonRecord } from '../core/json.ts';
import type { Separator } from '../formats/format.ts';
import { unguardCell } from '../formats/text.ts';
import { type ComparableFormat, comparedRows, jsonRecords } from './compared-file.ts';

/**
 * The records of an exported file, one at a time. Cells of a CSV become the fields named by their columns; an empty
 * cell is null, and so is a group of fields that are all empty.
 *
 * @throws NotComparableError if the file is damaged
 */
export function exportedRecords(
  path: string,
  format: ComparableFormat,
  separator?: Separator,
): AsyncIterable<JsonRecord> {
  return format === 'csv' ? csvRecords(path, separator) : jsonRecords(path, format);
}

async function* csvRecords(path: string, separator: Separator | undefined): AsyncGenerator<JsonRecord> {
  for await (const { fields } of comparedRows(path, 'csv', undefined, separator)) {
    yield recordOf(cells(fields));
  }
}

function* cells(fields: ReadonlyMap<string, unknown>): Generator<[string, unknown]> {
  for (const [name, cell] of fields) {
    const text = typeof cell === 'string' ? unguardCell(cell) : cell;
    yield [name, name === 'timestamp' && typeof text === 'string' ? Number(text) : text];
  }
}

/** The inverse of dotted names: `asset.symbol` is the field `symbol` of `asset`. */
function recordOf(fields: Iterable<readonly [string, unknown]>): JsonRecord {
  const record: Record<string, unknown> = {};
  for (const [name, value] of fields) {
    const dot = name.indexOf('.');
    if (dot === -1) {
      record[name] = value;
      continue;
    }
    const [group, field] = [name.slice(0, dot), name.slice(dot + 1)];
    const members = record[group];
    if (isRecord(members)) Object.assign(members, { [field]: value });
    else record[group] = value === null ? null : { [field]: value };
  }
  return record;
}
