import { stat } from 'node:fs/promises';
import { Batches } from '../core/batches.ts';
import { Scanner, stopText } from '../core/csv-scan.ts';
import { UnverifiedError } from '../core/errors.ts';
import { identityOf } from '../core/identity.ts';
import { isRecord, type JsonRecord, NestedTooDeeplyError, parseJson, tryJson } from '../core/json.ts';
import { showText } from '../core/text.ts';
import { exportedAmounts, withPoint } from '../formats/csv.ts';
import { ledgerKind } from '../formats/kinds.ts';
import { LEDGER_COLUMNS } from '../formats/ledger-columns.ts';
import { chunksOf, linesOf } from '../formats/lines.ts';
import { SEPARATORS, type Separator } from '../formats/separators.ts';
import { cellText, unguardCell } from '../formats/text.ts';
import { ArrayScanner } from './array-scanner.ts';
import { ComparedRecord, type ComparedRow, fieldsOf } from './compare.ts';
import { formOfManifest, type Manifest, separatorOfManifest } from './manifest.ts';

/** Thrown if the bytes of the file differ from the bytes that the export wrote. */
export class DamagedFileError extends UnverifiedError {}

/**
 * Fields that an export adds to each leg, with the names of accounts and assets. Such a field is never compared, because a
 * field of the service may have the same name.
 */
const NAMES: readonly string[] = LEDGER_COLUMNS.csv
  .flatMap(({ key, names }) => (names ? key : []))
  .toReversed();

const COMPARABLE = ['csv', 'json', 'jsonl'] as const;
export type ComparableFormat = (typeof COMPARABLE)[number];

export function isComparable(format: string | undefined): format is ComparableFormat {
  return COMPARABLE.some((comparable) => comparable === format);
}

export interface ReadableFile {
  readonly path: string;
  readonly format: ComparableFormat;
  /** CSV separator (default: comma). */
  readonly separator?: Separator | undefined;
  /** Whether the amounts in a CSV file have decimal commas. */
  readonly decimalComma?: boolean;
  /** Whether the text cells of a CSV file are guarded against formulas (default: true). */
  readonly isGuarded?: boolean;
  /** Whether the cells of a CSV file are returned with their guards and as whole objects, exactly as in the file. */
  readonly isRaw?: boolean;
  /** Whether a JSON file contains chosen columns. The name of a nested field is then a path, such as `asset.symbol`. */
  readonly hasPaths?: boolean;
  /** Columns with the names of accounts and assets. Readers skip these columns, because they are not fields of the service. */
  readonly names?: readonly string[];
  chunks(): AsyncIterable<Buffer>;
}

/**
 * Yields the bytes of a regular file. Any other file is refused: a named pipe without a writer would block the process, and
 * even Ctrl-C could not end the process.
 *
 * @throws an error with the code `EISDIR` or `ENXIO` for any other file
 */
export async function* fileChunks(path: string): AsyncGenerator<Buffer> {
  const status = await stat(path);
  if (!status.isFile()) {
    const code = status.isDirectory() ? 'EISDIR' : 'ENXIO';
    throw Object.assign(new Error('it is not a regular file'), { code });
  }
  yield* chunksOf(path);
}

/**
 * @param manifest describes how the file was written. Without a manifest, the file is read as whole records in the default
 * form.
 */
export function readableFile(
  path: string,
  format: ComparableFormat,
  manifest?: Pick<Manifest, 'request' | 'columns'>,
): ReadableFile {
  const chunks = () => fileChunks(path);
  if (manifest === undefined) return { path, format, chunks };
  return {
    ...{ path, format, separator: separatorOfManifest(manifest), chunks },
    decimalComma: formOfManifest(manifest)['decimalComma'] === true,
    isGuarded: formOfManifest(manifest)['csvGuard'] !== 'off',
    hasPaths: manifest.columns !== null,
    names: NAMES,
  };
}

/**
 * Reads the rows of an exported file.
 *
 * @param keys fields that identify a row (default: the id or, for JSON records without an id, the whole record)
 * @throws DamagedFileError, also if a CSV file has no column for one of the `keys`
 */
export function comparedRows(file: ReadableFile, keys?: readonly string[]): Batches<ComparedRow> {
  if (file.format === 'csv') return new Batches(() => csvRows(file, keys ?? ['id']));
  return comparedRecords(jsonRecords(file), keys);
}

/**
 * Returns the columns of a file, as named in its first row. For JSON, the columns are the fields of the first record. Returns
 * undefined if the file has no rows.
 *
 * @throws DamagedFileError
 */
export async function columnsIn(file: ReadableFile): Promise<readonly string[] | undefined> {
  if (file.format !== 'csv') {
    for await (const record of jsonRecords({ ...file, names: [] })) return Object.keys(record);
    return undefined;
  }
  for await (const [header] of csvCells(file)) if (header) return header;
  return undefined;
}

/**
 * Returns the columns that contain fields of legs. The other columns, such as the names of accounts, are computed by an export.
 */
export function fieldColumns(columns: readonly string[]): readonly string[] {
  const computed = LEDGER_COLUMNS.csv.flatMap(({ key, derive }) => (derive ? key : []));
  return columns.filter((column) => !computed.includes(column));
}

/** The reason why the rows of a file cannot be compared with other rows; undefined if they can be compared. */
export function incomparable(path: string, { columns }: Pick<Manifest, 'columns'>): string | undefined {
  if (columns === null || fieldColumns(columns).length > 0) return undefined;
  return `${showText(path)} has no field of the legs`;
}

/** Whether one of the columns contains the field. The column `asset` contains the field `asset.symbol`. */
export function holdsField(columns: readonly string[], field: string): boolean {
  return columns.some((column) => field === column || field.startsWith(`${column}.`));
}

/** Converts records to the same kind of rows as {@link comparedRows}. */
export function comparedRecords(
  records: AsyncIterable<JsonRecord>,
  keys?: readonly string[],
): Batches<ComparedRow> {
  if (keys === undefined)
    return Batches.map(records, (record) => new ComparedRecord(identityOf(record), record));
  return Batches.map(records, (record) => {
    const { key, name } = namedBy(keys, (field) => record[field]);
    return new ComparedRecord(key, record, name);
  });
}

/**
 * Reads the records of an exported JSON or JSONL file.
 *
 * @throws DamagedFileError
 */
export function jsonRecords(file: ReadableFile): Batches<JsonRecord> {
  return new Batches(() => jsonBatches(file));
}

/** Like {@link jsonRecords}, but yields the records in batches. */
export async function* jsonBatches(file: ReadableFile): AsyncGenerator<readonly JsonRecord[]> {
  const batches = file.format === 'json' ? membersOf(file) : linesOf(file.chunks());
  let rows = 0;
  for await (const texts of batches) {
    const records: JsonRecord[] = [];
    for (const text of texts) {
      if (text.trim() === '') continue;
      rows += 1;
      records.push(withoutFields(recordIn(file, rows, text), file.names));
    }
    yield records;
  }
}

/** Deletes fields. Deleting the last field first takes a tenth of the time of copying the record. */
export function withoutFields(record: Record<string, unknown>, names: readonly string[] = []): JsonRecord {
  for (const name of names) delete record[name];
  return record;
}

/** Returns the legs without the fields that comparisons ignore. */
export function withoutNames(legs: AsyncIterable<JsonRecord>): AsyncIterable<JsonRecord> {
  return Batches.map(legs, (leg) => withoutFields(leg, NAMES));
}

/**
 * Parses a row of a JSON or JSONL file.
 *
 * @param row the number of the row, starting at 1
 * @throws DamagedFileError
 */
export function recordIn(file: ReadableFile, row: number, text: string): JsonRecord {
  let record: unknown;
  try {
    record = parseJson(text);
  } catch (error) {
    const why = error instanceof NestedTooDeeplyError ? 'is nested too deeply' : 'is not valid JSON';
    throw damaged(file, `row ${row} ${why}`);
  }
  if (!isRecord(record)) throw damaged(file, `row ${row} is not a JSON object`);
  return record;
}

function damaged({ path }: ReadableFile, why: string): DamagedFileError {
  return new DamagedFileError('DAMAGED_FILE', `Cannot read ${showText(path)}: ${why}`, {
    hint: 'Use the original copy, or export again.',
  });
}

/** The fields that contain the symbol of the asset in `assetId`. */
const SYMBOLS: ReadonlySet<string> = new Set(['asset', 'symbol']);

/**
 * Returns the key and the name of a row that these fields identify. An asset with an id is identified by its id, so its symbol is
 * part of the name, but not of the key.
 */
export function namedBy(
  keys: readonly string[],
  read: (field: string) => unknown,
): Pick<ComparedRow, 'key' | 'name'> {
  const values = keys.map((field) => String(read(field) ?? ''));
  const name = values.join(' / ');
  if (keys.length === 1) return { key: name };
  const isResolved = Boolean(values[keys.indexOf('assetId')]);
  // Different values may have the same joined text, so this text cannot be the key.
  const identity = values.map((value, at) => (isResolved && SYMBOLS.has(keys[at] ?? '') ? '' : value));
  return { key: JSON.stringify(identity), name };
}

async function* csvRows(file: ReadableFile, keys: readonly string[]): AsyncGenerator<ComparedRow[]> {
  const { names = [] } = file;
  let header: readonly string[] | undefined;
  for await (const rows of csvCells(file)) {
    const compared: ComparedRow[] = [];
    for (const cells of rows) {
      if (header) {
        const cellsByName = header
          .map((name, at): [string, string | null] => [name, cells[at] || null])
          .filter(([name]) => !names.includes(name))
          .flatMap((cell) => (file.isRaw ? [cell] : fieldsInCell(cell)));
        const more = cells
          .slice(header.length)
          .map((cell, at): [string, string] => [`(extra cell ${at + 1})`, cell]);
        const fields = new Map([...cellsByName, ...more]);
        compared.push({ ...namedBy(keys, (field) => fields.get(field)), fields });
        continue;
      }
      header = cells;
      const missing = keys.find((key) => !cells.includes(key));
      if (missing !== undefined) throw damaged(file, `it has no column ${missing}`);
    }
    yield compared;
  }
}

/** Fields that are objects. A column with a whole object contains JSON. */
const OBJECTS = new Set(LEDGER_COLUMNS.csv.flatMap(({ key }) => key.match(/^(.*?)\./)?.[1] ?? []));

/** Returns the object in a cell of a column; undefined if the cell contains no object. */
export function objectIn(column: string, cell: string | null): JsonRecord | undefined {
  if (cell === null || !OBJECTS.has(column)) return undefined;
  const value = tryJson(cell);
  return isRecord(value) ? value : undefined;
}

/** Returns a cell, or the cells of its fields if it contains a whole object. */
function fieldsInCell([name, cell]: [string, string | null]): [string, string | null][] {
  const object = objectIn(name, cell);
  if (object === undefined) return [[name, cell]];
  return [...fieldsOf({ [name]: object })].map(([path, value]) => [path, cellText(value) || null]);
}

/** Returns a function that reverses the form of a cell: its guard and its decimal comma. */
function plainCells({ isGuarded = true, isRaw, decimalComma }: ReadableFile, columns: readonly string[]) {
  const isAmount = exportedAmounts(LEDGER_COLUMNS.csv);
  // A time is a JSON number, so it also has a decimal comma.
  const hasComma = (key: string) => isAmount({ key }) || ledgerKind({ key }) === 'moment';
  const amounts = columns.map((key) => decimalComma === true && hasComma(key));
  const isKept = isRaw === true || !isGuarded;
  return (cell: string, at: number): string => {
    const text = isKept ? cell : unguardCell(cell);
    return amounts[at] ? withPoint(text) : text;
  };
}

/**
 * Yields the rows of an exported CSV file in batches. Each row is a list of cells. The first row contains the column names. The
 * amounts have decimal points. Unless `isRaw` is set, the cells have no guards against formulas.
 *
 * @throws DamagedFileError
 */
export async function* csvCells(file: ReadableFile): AsyncGenerator<string[][]> {
  const { separator = ',' } = file;
  let rows: string[][] = [];
  let plain: ((cell: string, at: number) => string) | undefined;
  const scanner = new Scanner(
    separator,
    ({ cells }) => {
      if (plain) rows.push(cells.map(plain));
      else {
        const columns = file.isGuarded === false ? cells : cells.map(unguardCell);
        plain = plainCells(file, columns);
        rows.push(columns);
      }
    },
    { longest: LONGEST_RECORD },
  );
  const taken = () => {
    const batch = rows;
    rows = [];
    return batch;
  };
  const decoder = new TextDecoder();
  let isFirst = true;
  for await (const chunk of file.chunks()) {
    if (isFirst) checkSeparator(file, separator, chunk);
    isFirst = false;
    scanner.push(decoder.decode(chunk, { stream: true }));
    yield taken();
    if (scanner.stop) break;
  }
  if (isFirst) throw damaged(file, 'it is empty');
  scanner.push(decoder.decode());
  scanner.end();
  yield taken();
  if (scanner.stop) throw damaged(file, stopText(scanner.stop));
}

/** Allow long cells: the JSON of a transaction with many legs is one cell. */
const LONGEST_RECORD = 16_000_000;

const SEPARATOR_WORDS = { ',': 'commas', ';': 'semicolons', '\t': 'tabs', '|': 'bars' };

/** Compares the separator with the first line of the file. A header with no separator has a single column. */
function checkSeparator(file: ReadableFile, separator: Separator, start: Buffer): void {
  const [header = ''] = start.toString('utf8').split(/\r?\n/, 1);
  const seen = SEPARATORS.find((other) => header.includes(other));
  if (seen === undefined || header.includes(separator)) return;
  const [has, expected] = [SEPARATOR_WORDS[seen], SEPARATOR_WORDS[separator]];
  throw damaged(file, `its cells seem to be separated by ${has}, but the manifest says ${expected}`);
}

/** Yields the text of each element of a JSON array. The texts are grouped in batches. */
async function* membersOf(file: ReadableFile): AsyncGenerator<string[]> {
  const scanner = new ArrayScanner();
  let parts: Buffer[] = [];
  for await (const chunk of file.chunks()) {
    const members: string[] = [];
    scanner.scan(chunk, (start, end, isEnd) => {
      parts.push(chunk.subarray(start, end));
      if (!isEnd) return;
      members.push(Buffer.concat(parts).toString('utf8'));
      parts = [];
    });
    yield members;
  }
  if (scanner.isOpen) throw damaged(file, 'the array is not closed');
}
