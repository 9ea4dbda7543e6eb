import { appendFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { BatchReader } from '../core/batches.ts';
import { makeTemporaryDirectory } from '../core/file.ts';
import { IdHashes, idHash } from '../core/id-hash.ts';
import { isRecord, type JsonRecord, parseJson, stringifyJson } from '../core/json.ts';
import { cannotWrite } from '../core/unwritable.ts';
import { chunksOf, linesOf } from '../formats/lines.ts';

export interface ComparedRow {
  /** Identifies the row. The key of a leg is its id. */
  readonly key: string;
  /** The text that names the row in results (default: the key), and may change, for example with the symbol of an asset. */
  readonly name?: string | undefined;
  /** The values by path, such as `asset.symbol`. A list is one value. */
  readonly fields: ReadonlyMap<string, unknown>;
  /** The record as JSON. If the texts of two rows are equal, their fields are not compared. */
  readonly text?: string;
  /** The record, if it was read from JSON. */
  readonly record?: JsonRecord;
}

/** A row that was read from JSON. The fields are read only when they are needed. */
abstract class ComparedJson implements ComparedRow {
  readonly key: string;
  abstract readonly record: JsonRecord;
  #fields: ReadonlyMap<string, unknown> | undefined;

  constructor(key: string) {
    this.key = key;
  }

  get fields(): ReadonlyMap<string, unknown> {
    this.#fields ??= fieldsOf(this.record);
    return this.#fields;
  }
}

/** A row whose record is parsed. */
export class ComparedRecord extends ComparedJson {
  readonly record: JsonRecord;
  readonly name: string | undefined;

  constructor(key: string, record: JsonRecord, name?: string) {
    super(key);
    this.record = record;
    this.name = name;
  }
}

/** A row whose record is available as JSON text. The text is parsed only when the fields are needed. */
export class ComparedText extends ComparedJson {
  readonly text: string;

  constructor(key: string, text: string) {
    super(key);
    this.text = text;
  }

  get record(): JsonRecord {
    const record = parseJson(this.text);
    if (!isRecord(record)) throw new SyntaxError('a row is not a JSON object');
    return record;
  }
}

/** One difference: a row that exists on only one side, a duplicate row, or a field whose values differ. */
export interface RowChange extends JsonRecord {
  readonly change: 'added' | 'removed' | 'changed' | 'duplicate';
  readonly id: string;
  /** The time of the row, in Unix milliseconds. */
  readonly timestamp: unknown;
  /**
   * Name of the changed field; null if the row was added, removed or duplicated, so that `from` or `to` describes the whole
   * row.
   */
  readonly field: string | null;
  readonly from: unknown;
  readonly to: unknown;
}

export interface Comparison {
  before: number;
  after: number;
  added: number;
  removed: number;
  changed: number;
  fields: number;
  duplicates: number;
}

export interface CompareOptions {
  /** Called for each pair of rows that have the same key but different values, and for each row without a counterpart. */
  readonly onDifference?:
    | ((before: ComparedRow | undefined, after: ComparedRow | undefined) => void)
    | undefined;
  /** Formats a value for display, for example without the formula guard of a CSV cell. */
  readonly show?: ((value: unknown) => unknown) | undefined;
  /** Returns more fields for each change of a row, such as names. Receives the newer row if both sides have the row. */
  readonly about?: ((row: ComparedRow) => JsonRecord) | undefined;
  /**
   * Maximum number of unmatched rows in memory (default: 20,000). If more rows are unmatched, all unmatched rows are moved to
   * disk.
   */
  readonly held?: number;
}

export function startComparison(): Comparison {
  return { before: 0, after: 0, added: 0, removed: 0, changed: 0, fields: 0, duplicates: 0 };
}

const MOST_HELD = 20_000;

type Side = 0 | 1;
type Waiting = readonly [Map<string, ComparedRow>, Map<string, ComparedRow>];
const nobody = (): Waiting => [new Map(), new Map()];

/**
 * Compares two exports row by row, and reads both at the same pace. A row waits in memory until the row with the same key is
 * read from the other export. If too many rows are waiting, for example because the exports are sorted differently, all waiting
 * rows are moved to disk. After a match, only a hash of the key stays in memory.
 *
 * @param comparison the counters, which are updated during the comparison, and are final when the generator ends
 */
export async function* compareRows(
  before: AsyncIterable<ComparedRow>,
  after: AsyncIterable<ComparedRow>,
  comparison: Comparison,
  { held = MOST_HELD, ...options }: CompareOptions = {},
): AsyncGenerator<RowChange> {
  const joined = new Join(comparison, options);
  const spill = new Spill();
  const sides = [new BatchReader(before), new BatchReader(after)] as const;
  try {
    for (const open = new Set<Side>([0, 1]); open.size > 0; ) {
      for (const side of open) {
        const row = sides[side].next() ?? (await sides[side].read());
        if (!row) open.delete(side);
        else {
          comparison[side === 0 ? 'before' : 'after'] += 1;
          for (const change of joined.meet(side, row)) yield change;
        }
      }
      if (joined.waiting > held) await spill.add(joined.take());
    }
    if (!spill.isUsed) return yield* joined.end();
    await spill.add(joined.take());
    for (const bucket of spill.buckets()) {
      for await (const [side, row] of bucket) for (const change of joined.meet(side, row)) yield change;
      yield* joined.end();
    }
  } finally {
    for (const side of sides) await side.stop();
    await spill.remove();
  }
}

class Join {
  readonly #comparison: Comparison;
  readonly #show: NonNullable<CompareOptions['show']>;
  readonly #about: NonNullable<CompareOptions['about']>;
  readonly #onDifference: NonNullable<CompareOptions['onDifference']>;
  /** Keys that have been matched. If the first export contains another row with such a key, that row is a duplicate. */
  readonly #met = new IdHashes();
  #waiting = nobody();

  constructor(comparison: Comparison, { show, about, onDifference }: Omit<CompareOptions, 'held'>) {
    this.#comparison = comparison;
    this.#show = show ?? ((value) => value);
    this.#about = about ?? (() => ({}));
    this.#onDifference = onDifference ?? (() => {});
  }

  get waiting(): number {
    return this.#waiting[0].size + this.#waiting[1].size;
  }

  take(): Waiting {
    const waiting = this.#waiting;
    this.#waiting = nobody();
    return waiting;
  }

  /** Compares a row with the waiting row that has the same key. If no row with this key is waiting, the given row waits. */
  meet(side: Side, row: ComparedRow): readonly RowChange[] {
    const others = this.#waiting[side === 0 ? 1 : 0];
    const partner = others.get(row.key);
    if (!partner) {
      if (this.#waiting[side].has(row.key)) return [this.#duplicate(row)];
      this.#waiting[side].set(row.key, row);
      return [];
    }
    others.delete(row.key);
    this.#met.add(row.key);
    const [from, to] = side === 0 ? [row, partner] : [partner, row];
    const changes = changesOf(from, to, this.#show).map((change) => ({ ...this.#about(to), ...change }));
    this.#comparison.fields += changes.length;
    if (changes.length > 0) {
      this.#comparison.changed += 1;
      this.#onDifference(from, to);
    }
    return changes;
  }

  *end(): Generator<RowChange> {
    const [before, after] = this.take();
    for (const row of before.values()) {
      if (this.#met.has(row.key)) yield this.#duplicate(row);
      else {
        this.#comparison.removed += 1;
        this.#onDifference(row, undefined);
        yield { ...this.#about(row), ...wholeRow('removed', row), from: describe(row), to: null };
      }
    }
    this.#comparison.added += after.size;
    for (const row of after.values()) {
      this.#onDifference(undefined, row);
      yield { ...this.#about(row), ...wholeRow('added', row), from: null, to: describe(row) };
    }
  }

  #duplicate(row: ComparedRow): RowChange {
    this.#comparison.duplicates += 1;
    return { ...this.#about(row), ...wholeRow('duplicate', row), from: describe(row), to: null };
  }
}

/** Compares two rows field by field. A null value and a missing field are equal. */
function changesOf(before: ComparedRow, after: ComparedRow, show: (value: unknown) => unknown): RowChange[] {
  if (before instanceof ComparedRecord && after instanceof ComparedRecord) {
    if (areSame(before.record, after.record)) return [];
  } else if (before.text !== undefined && before.text === after.text) return [];
  const [left, right] = [before.fields, after.fields];
  const changes: RowChange[] = [];
  const compare = (field: string) => {
    const [from, to] = [left.get(field) ?? null, right.get(field) ?? null];
    if (from === to || stringifyJson(from) === stringifyJson(to)) return;
    const shown = [show(from), show(to)] as const;
    // If only the formula guard of a CSV cell differs, show the values with the guard, so that the difference is visible.
    const [old, now] = shown[0] === shown[1] ? [from, to] : shown;
    changes.push({ ...wholeRow('changed', after), field, from: old, to: now });
  };
  for (const field of left.keys()) compare(field);
  for (const field of right.keys()) if (!left.has(field)) compare(field);
  return changes;
}

/** Whether a quick comparison shows that two values are equal; if not, a full comparison is needed. */
function areSame(left: unknown, right: unknown): boolean {
  if (left === right) return true;
  if (!isRecord(left) || !isRecord(right)) return false;
  let names = 0;
  for (const name in left) {
    if (!areSame(left[name], right[name])) return false;
    names += 1;
  }
  for (const _ in right) names -= 1;
  return names === 0;
}

function wholeRow(change: RowChange['change'], { key, name = key, fields }: ComparedRow) {
  const timestamp = fields.get('timestamp') ?? null;
  const isDigits = typeof timestamp === 'string' && /^\d{1,15}$/.test(timestamp);
  return { change, id: name, timestamp: isDigits ? Number(timestamp) : timestamp, field: null };
}

/** Describes a row by its type, quantity and asset: `incoming 1.5 ETH`. Returns null if the row has none of these fields. */
function describe({ fields }: ComparedRow): string | null {
  const symbol = fields.get('asset.symbol') ?? fields.get('assetRaw.symbol');
  const words = [fields.get('type'), fields.get('quantity'), symbol];
  return words.filter((word) => typeof word === 'string' && word !== '').join(' ') || null;
}

/** Returns the value of one field. Does not convert a parsed record to fields. */
export function fieldValue(row: ComparedRow, path: string): unknown {
  if (!(row instanceof ComparedRecord)) return row.fields.get(path);
  const [name, inner] = path.split('.');
  const value = row.record[path] ?? row.record[name ?? ''];
  const member = inner !== undefined && isRecord(value) ? value[inner] : value;
  return isRecord(member) ? undefined : member;
}

/** Maps the path of each field of a record, such as `asset.symbol`, to its value. A list is one value. */
export function fieldsOf(record: JsonRecord): Map<string, unknown> {
  const fields = new Map<string, unknown>();
  const add = (value: unknown, name: string) => {
    if (!isRecord(value)) fields.set(name, value);
    else for (const [inner, member] of Object.entries(value)) add(member, `${name}.${inner}`);
  };
  for (const [name, value] of Object.entries(record)) add(value, name);
  return fields;
}

const BUCKETS = 64;

/** Stores rows in temporary files. Rows with the same key are always in the same file, which is called a bucket. */
class Spill {
  #directory: string | undefined;
  readonly #filled = new Set<number>();

  get isUsed(): boolean {
    return this.#directory !== undefined;
  }

  async add(waiting: Waiting): Promise<void> {
    this.#directory ??= await makeTemporaryDirectory('cryptodata-compare-');
    const texts = new Map<number, string[]>();
    for (const side of [0, 1] as const) {
      for (const row of waiting[side].values()) {
        const bucket = idHash(row.key) % BUCKETS;
        const lines = texts.get(bucket) ?? [];
        lines.push(`${stringifyJson([side, row.key, row.text ?? [...row.fields], row.name ?? row.key])}\n`);
        texts.set(bucket, lines);
      }
    }
    try {
      for (const [bucket, lines] of texts) {
        await appendFile(this.#path(bucket), lines.join(''), { mode: 0o600 });
        this.#filled.add(bucket);
      }
    } catch (error) {
      throw cannotWrite(this.#directory, error);
    }
  }

  *buckets(): Generator<AsyncGenerator<[Side, ComparedRow]>> {
    for (const bucket of this.#filled) yield rowsIn(this.#path(bucket));
  }

  #path(bucket: number): string {
    return join(this.#directory ?? '', `${bucket}.jsonl`);
  }

  async remove(): Promise<void> {
    if (this.#directory !== undefined) await rm(this.#directory, { recursive: true, force: true });
  }
}

async function* rowsIn(path: string): AsyncGenerator<[Side, ComparedRow]> {
  for await (const lines of linesOf(chunksOf(path))) {
    for (const line of lines) {
      // The type assertion is safe, because `Spill` wrote the line.
      const [side, key, row, name] = parseJson(line) as [Side, string, string | [string, unknown][], string];
      yield [
        side,
        typeof row === 'string' ? new ComparedText(key, row) : { key, name, fields: new Map(row) },
      ];
    }
  }
}
