import { Batches } from '../core/batches.ts';
import { messageOf } from '../core/errors.ts';
import { identityOf } from '../core/identity.ts';
import { isRecord, type JsonRecord, parseJson } from '../core/json.ts';
import { chunksOf, linesOf } from '../formats/lines.ts';
import type { Separator } from '../formats/separators.ts';
import { unguardCell } from '../formats/text.ts';
import { type ComparedRow, fieldsOf } from './compare.ts';

/** Thrown if the rows of a file cannot be compared. The message is the reason. */
export class NotComparableError extends Error {
  override readonly name = 'NotComparableError';
}

const COMPARABLE = ['csv', 'json', 'jsonl'] as const;
export type ComparableFormat = (typeof COMPARABLE)[number];

export function isComparable(format: string | undefined): format is ComparableFormat {
  return COMPARABLE.some((comparable) => comparable === format);
}

/** An exported file whose rows can be read. */
export interface ReadableFile {
  readonly format: ComparableFormat;
  /** CSV separator (default: comma). */
  readonly separator?: Separator | undefined;
  /** Whether a JSON file contains chosen columns. The name of a nested field is then a path, such as `asset.symbol`. */
  readonly hasPaths?: boolean;
  /** Starts to read the file from the beginning. */
  chunks(): AsyncIterable<Buffer>;
}

export function readableFile(path: string, format: ComparableFormat, separator?: Separator): ReadableFile {
  return { format, separator, chunks: () => chunksOf(path) };
}

/**
 * Reads the rows of an exported file.
 *
 * @param keys fields that identify a row (default: the id or, for JSON records without an id, the whole record)
 * @throws NotComparableError if the file is damaged, or if a CSV file has no column for one of the `keys`
 */
export async function* comparedRows(
  file: ReadableFile,
  keys?: readonly string[],
): AsyncGenerator<ComparedRow> {
  if (file.format === 'csv') yield* csvRows(file, keys ?? ['id']);
  else yield* comparedRecords(jsonRecords(file), keys);
}

/**
 * Returns the columns of a file, as named in its first row. For JSON, these are the fields of the first record. Returns undefined
 * if the file has no rows.
 *
 * @throws NotComparableError if the file is damaged
 */
export async function columnsIn(file: ReadableFile): Promise<readonly string[] | undefined> {
  if (file.format !== 'csv') {
    for await (const record of jsonRecords(file)) return Object.keys(record);
    return undefined;
  }
  for await (const [header] of csvCells(file)) if (header) return header.map(unguardCell);
  return undefined;
}

/** Whether one of the columns contains the field. The column `asset` contains the field `asset.symbol`. */
export function holdsField(columns: readonly string[], field: string): boolean {
  return columns.some((column) => field === column || field.startsWith(`${column}.`));
}

/** Converts records to the same kind of rows as {@link comparedRows}. */
export async function* comparedRecords(
  records: AsyncIterable<JsonRecord>,
  keys?: readonly string[],
): AsyncGenerator<ComparedRow> {
  for await (const record of records) yield { key: keyOf(record, keys), fields: fieldsOf(record) };
}

/**
 * Reads the records of an exported JSON or JSONL file.
 *
 * @throws NotComparableError if the file is damaged
 */
export function jsonRecords(file: ReadableFile): Batches<JsonRecord> {
  return new Batches(() => jsonBatches(file));
}

/** Like {@link jsonRecords}, but yields the records in batches. */
export async function* jsonBatches(file: ReadableFile): AsyncGenerator<Iterable<JsonRecord>> {
  const textsOf = file.format === 'json' ? membersOf : linesOf;
  for await (const texts of textsOf(file.chunks())) yield recordsIn(texts);
}

function recordsIn(texts: readonly string[]): JsonRecord[] {
  const records: JsonRecord[] = [];
  for (const text of texts) {
    if (text.trim() === '') continue;
    const record = parsed(text);
    if (!isRecord(record)) throw new NotComparableError('a row is not a JSON object');
    records.push(record);
  }
  return records;
}

function parsed(text: string): unknown {
  try {
    return parseJson(text);
  } catch (error) {
    throw damaged(messageOf(error));
  }
}

function damaged(why: string): NotComparableError {
  return new NotComparableError(`it is damaged: ${why}`);
}

function keyOf(record: JsonRecord, keys: readonly string[] | undefined): string {
  if (keys === undefined) return identityOf(record);
  return keys.map((key) => String(record[key] ?? '')).join(' / ');
}

async function* csvRows(file: ReadableFile, keys: readonly string[]): AsyncGenerator<ComparedRow> {
  let names: readonly string[] | undefined;
  for await (const rows of csvCells(file)) {
    for (const cells of rows) {
      if (names) {
        const cellsByName = names.map((name, at): [string, string | null] => [name, cells[at] || null]);
        const more = cells
          .slice(names.length)
          .map((cell, at): [string, string] => [`(extra cell ${at + 1})`, cell]);
        const fields = new Map([...cellsByName, ...more]);
        yield { key: keys.map((key) => fields.get(key) ?? '').join(' / '), fields };
        continue;
      }
      names = cells;
      const missing = keys.find((key) => !cells.includes(key));
      if (missing !== undefined) throw new NotComparableError(`it has no column ${missing}`);
    }
  }
}

/**
 * Yields the rows of an exported CSV file in batches. Each row is a list of cells. The first row contains the column names.
 *
 * @throws NotComparableError if the file is damaged
 */
export async function* csvCells(file: ReadableFile): AsyncGenerator<string[][]> {
  const { CsvError, parse } = await import('csv-parse');
  let rows: string[][] = [];
  const parser = parse({
    ...{
      bom: true,
      delimiter: file.separator ?? ',',
      relax_column_count: true,
      record_delimiter: ['\r\n', '\n'],
    },
    // Collect rows in this callback. Iterating over the parser as a stream would take twice as long.
    on_record: (cells: string[]) => {
      rows.push(cells);
      return null;
    },
  });
  // Each error is also passed to the callback of the write that caused it.
  parser.on('error', () => {});
  const write = (chunk?: Buffer) =>
    new Promise<void>((resolve, reject) => {
      const done = (error?: Error | null) => (error ? reject(error) : resolve());
      if (chunk) parser.write(chunk, done);
      else parser.resume().end(done);
    });
  const taken = () => {
    const batch = rows;
    rows = [];
    return batch;
  };
  try {
    for await (const chunk of file.chunks()) {
      await write(chunk);
      yield taken();
    }
    await write();
    yield taken();
  } catch (error) {
    throw error instanceof CsvError ? damaged(error.message) : error;
  }
}

const [QUOTE, BACKSLASH, COMMA] = [0x22, 0x5c, 0x2c];
const [OPEN_ARRAY, CLOSE_ARRAY, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d];

/** Yields the text of each element of a JSON array. The texts are grouped in batches. */
async function* membersOf(chunks: AsyncIterable<Buffer>): AsyncGenerator<string[]> {
  let depth = 0;
  let inString = false;
  let escaped = false;
  let parts: Buffer[] = [];
  const take = (last: Buffer): string => {
    const text = Buffer.concat([...parts, last]).toString('utf8');
    parts = [];
    return text;
  };
  for await (const chunk of chunks) {
    const members: string[] = [];
    let start = 0;
    for (let at = 0; at < chunk.length; at++) {
      const byte = chunk[at] ?? 0;
      if (inString) {
        if (escaped) escaped = false;
        else if (byte === BACKSLASH) escaped = true;
        else if (byte === QUOTE) inString = false;
      } else if (byte === QUOTE) inString = true;
      else if (byte === OPEN_ARRAY || byte === OPEN_OBJECT) {
        depth += 1;
        if (depth === 1) start = at + 1;
      } else if (byte === CLOSE_ARRAY || byte === CLOSE_OBJECT) {
        depth -= 1;
        if (depth === 0) members.push(take(chunk.subarray(start, at)));
      } else if (byte === COMMA && depth === 1) {
        members.push(take(chunk.subarray(start, at)));
        start = at + 1;
      }
    }
    if (depth > 0) parts.push(chunk.subarray(start));
    yield members;
  }
  if (depth !== 0 || inString) throw damaged('the array is not closed');
}
