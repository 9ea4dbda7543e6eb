import { timeIn } from '../api/ledgers.ts';
import { Batches } from '../core/batches.ts';
import { isRecord, type JsonRecord } from '../core/json.ts';
import { csvCells, jsonBatches, jsonRecords, objectIn, type ReadableFile } from './compared-file.ts';

/**
 * Reads the records of an exported file. In a CSV file, each column becomes a field. An empty cell becomes null. A column named
 * by a path, such as `asset.symbol`, becomes a field inside an object. An object with only empty fields becomes null. A column
 * with a whole object, such as `asset`, is parsed.
 *
 * @throws DamagedFileError
 */
export function exportedRecords(file: ReadableFile): Batches<JsonRecord> {
  if (file.format === 'csv') return new Batches(() => csvBatches(file));
  return file.hasPaths ? new Batches(() => nestedBatches(file)) : jsonRecords(file);
}

async function* csvBatches(file: ReadableFile): AsyncGenerator<readonly JsonRecord[]> {
  let recordOf: ((cells: readonly string[]) => JsonRecord) | undefined;
  for await (const rows of csvCells(file)) {
    if (!recordOf) {
      const header = rows.shift();
      if (header) recordOf = recordReader(header, file);
    }
    if (recordOf) yield rows.map(recordOf);
  }
}

/** Turns dotted column names into nested fields: the column `asset.symbol` becomes the field `symbol` inside `asset`. */
function recordReader(
  columns: readonly string[],
  { names }: ReadableFile,
): (cells: readonly string[]) => JsonRecord {
  const single: [at: number, field: string][] = [];
  const groups = new Map<string, [at: number, field: string][]>();
  columns.forEach((name, at) => {
    if (names?.includes(name)) return;
    const dot = name.indexOf('.');
    const group = name.slice(0, Math.max(0, dot));
    const members = dot === -1 ? single : (groups.get(group) ?? []);
    members.push([at, name.slice(dot + 1)]);
    if (dot !== -1) groups.set(group, members);
  });
  const time = columns.indexOf('timestamp');
  return (cells) => {
    const valueAt = (at: number) => {
      const text = cells[at] || null;
      return at === time ? (timeIn(text) ?? text) : text;
    };
    const fieldAt = (at: number, field: string) => {
      const value = valueAt(at);
      return typeof value === 'string' ? (objectIn(field, value) ?? value) : value;
    };
    const record: Record<string, unknown> = {};
    for (const [at, field] of single) record[field] = fieldAt(at, field);
    for (const [group, members] of groups) {
      const inner: Record<string, unknown> = {};
      let isEmpty = true;
      for (const [at, field] of members) {
        inner[field] = valueAt(at);
        isEmpty &&= inner[field] === null;
      }
      record[group] = isEmpty ? null : inner;
    }
    return record;
  };
}

async function* nestedBatches(file: ReadableFile): AsyncGenerator<readonly JsonRecord[]> {
  for await (const records of jsonBatches(file)) yield Array.from(records, nested);
}

/** Turns fields named by a path into nested fields. */
function nested(record: JsonRecord): JsonRecord {
  const fields: JsonRecord = {};
  const groups = new Set<string>();
  for (const [name, value] of Object.entries(record)) {
    const dot = name.indexOf('.');
    if (dot === -1) {
      fields[name] = value;
      continue;
    }
    const group = name.slice(0, dot);
    groups.add(group);
    fields[group] = { ...(isRecord(fields[group]) ? fields[group] : {}), [name.slice(dot + 1)]: value };
  }
  for (const group of groups) {
    if (Object.values(Object(fields[group])).every((value) => value === null)) fields[group] = null;
  }
  return fields;
}
