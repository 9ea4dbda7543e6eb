import { type JsonRecord, parseJson, stringifyJson } from '../core/json.ts';
import { hasBytes, NINE, QUOTE } from '../export/fast/ascii.ts';
import { servedValue } from '../export/fast/line-writers.ts';
import * as scan from '../export/fast/row-scanner.ts';
import type { ShapeStep } from '../export/fast/row-shapes.ts';
import { rowValues } from '../export/row-values.ts';
import { type RowTarget, ScannedLines } from '../export/scanned-lines.ts';
import { SCALE } from '../formats/parquet/decimal128.ts';
import type { ColumnSink, ColumnwiseFile } from '../formats/record-file.ts';
import { type LegPlacer, openTableFile, type TableFile } from './leg-file.ts';
import {
  isGroup,
  isNumeric,
  LEG_COLUMNS,
  LEG_FIELDS,
  LEG_GROUPS,
  LegRows,
  legKind,
  ORDER,
  OTHERS,
  orderText,
  WORKSPACE_FIELD,
} from './leg-rows.ts';

type Scanned = Pick<scan.RowScanner, 'starts' | 'ends' | 'kinds'>;

const PATHS = LEG_FIELDS.map(({ key }) => key);
const SLOTS: ReadonlyMap<string, number> = new Map(PATHS.map((path, slot) => [path, slot]));
const slotOf = (path: string) => SLOTS.get(path) ?? -1;
const ID = slotOf('id');
const WALLET_ID = slotOf('walletId');
const WORKSPACE_ID = slotOf(WORKSPACE_FIELD);

/** Decides whether the columns of a field store a value of this kind exactly. */
type Check = (block: Buffer, from: number, to: number, kind: number) => boolean;

const isText = (kind: number) => kind === scan.TEXT || kind === scan.TEXT_WITH_COMMA;
const CHECKS: readonly Check[] = LEG_FIELDS.map((column): Check => {
  const kindOfColumn = legKind(column);
  if (kindOfColumn === 'decimal')
    return (block, from, to, kind) =>
      kind === scan.TEXT &&
      scan.hasShortestForm(block, from, to) &&
      to - scan.digitsEnd(block, from + 1) <= SCALE + 1;
  if (kindOfColumn === 'moment')
    return (block, from, to, kind) =>
      kind === scan.NUMBER && to - from <= 15 && scan.digitsEnd(block, from) === to;
  if (kindOfColumn === 'boolean') return (_block, _from, _to, kind) => kind >= scan.TRUE;
  if (isNumeric(column.key))
    return (block, from, to, kind) =>
      kind === scan.NUMBER ||
      (kind === scan.UNUSUAL && typeof servedValue(block, from, to, kind) === 'number');
  return (block, from, _to, kind) => isText(kind) || (kind === scan.UNUSUAL && block[from] === QUOTE);
});

/** For each column of {@link LEG_COLUMNS}: the slot of its value; -1 for columns that do not contain the value of a field. */
const COLUMN_SLOTS = LEG_COLUMNS.map(({ key }) => slotOf(key));
const [OTHERS_AT, ORDER_AT] = [OTHERS, ORDER].map((name) => LEG_COLUMNS.findIndex(({ key }) => key === name));

/**
 * Writes legs to a file of the table `ledgers`. If the columns certainly store every value of a scanned leg exactly, the values
 * are taken from its bytes. A leg with a value that a column may not store exactly is parsed.
 *
 * The position of a leg is known only after later legs, so the last column is filled later than all others.
 */
export class LegWriter implements RowTarget {
  readonly wanted = PATHS;
  readonly parents = LEG_GROUPS;
  readonly file: TableFile<JsonRecord>;
  readonly #workspace: Buffer;
  readonly #rows: LegRows;
  readonly #columns: readonly ColumnSink[];
  readonly #positions: ColumnSink | undefined;
  readonly #endRows: ColumnwiseFile['endRows'];
  readonly #lines = new ScannedLines(this);
  /** For each shape, the order of its fields; undefined if a field has no column. */
  readonly #orders = new Map<ShapeStep | undefined, Buffer | undefined>();
  #placer: LegPlacer | undefined;
  /** The slots of the values that the placer needs, and the slot of the wallet id. */
  #slots: readonly number[] = [];
  #walletIds = new Set<string>();
  /** The last workspace id of a leg that differs from the workspace of the file, and the JSON that contains this id. */
  #otherWorkspace: unknown;
  #others: string | undefined;

  static async open(path: string, workspace: string): Promise<LegWriter> {
    const rows = new LegRows(workspace);
    return new LegWriter(await openTableFile<JsonRecord>(path, 'ledgers', (leg) => rows.read(leg)), rows);
  }

  private constructor(file: LegWriter['file'], rows: LegRows) {
    this.file = file;
    this.#rows = rows;
    this.#workspace = Buffer.from(rows.workspace);
    // The columns can store all values, so no message needs the record.
    const { columns, endRows } = file.byColumn(() => ({}));
    this.#columns = columns.slice(0, LEG_COLUMNS.length);
    this.#positions = columns[LEG_COLUMNS.length];
    this.#endRows = endRows;
  }

  /**
   * Writes the legs of a window. Returns the ids of their wallets.
   *
   * @param legs the legs, or the path of their segment
   */
  async write(legs: AsyncIterable<JsonRecord> | string, placer: LegPlacer): Promise<readonly string[]> {
    [this.#placer, this.#walletIds] = [placer, new Set()];
    this.#slots = [...placer.wanted.map(slotOf), WALLET_ID];
    if (typeof legs === 'string') await this.#lines.read(legs);
    else for await (const leg of legs) await this.addRecord(leg);
    await this.#place(placer.finish());
    return [...this.#walletIds].sort();
  }

  addScanned(block: Buffer, row: scan.RowScanner, from: number, to: number): Promise<void> | void {
    const { shape } = row;
    if (!this.#orders.has(shape)) this.#orders.set(shape, orderIn(recordIn(block, from, to)));
    const order = this.#orders.get(shape);
    if (order === undefined || !isStorable(block, row)) return this.addRecord(recordIn(block, from, to));
    const { text, values } = rowValues(block, row, [from, to], this.#slots);
    this.#addWallet(values.at(-1));
    const written = this.#place(this.#placer?.add(() => parseJson(text) as JsonRecord, values) ?? []);
    if (written) return written.then(() => this.#addScanned(block, row, order));
    this.#addScanned(block, row, order);
  }

  addRecord(leg: JsonRecord): Promise<void> | void {
    this.#addWallet(leg['walletId']);
    const written = this.#place(this.#placer?.add(leg) ?? []);
    if (written) return written.then(() => this.#addRecord(leg));
    this.#addRecord(leg);
  }

  #addWallet(walletId: unknown): void {
    if (typeof walletId === 'string') this.#walletIds.add(walletId);
  }

  /** Ends the rows of the earlier legs whose positions are now known. */
  #place(placed: ReturnType<LegPlacer['finish']>): Promise<void> | void {
    if (placed.length === 0) return;
    for (const { position } of placed) this.#positions?.add(position);
    return this.#endRows(placed.length);
  }

  #addRecord(leg: JsonRecord): void {
    const values = this.#rows.read(leg);
    for (const [at, column] of this.#columns.entries()) column.add(values[at]);
  }

  #addScanned(block: Buffer, row: Scanned, order: Buffer): void {
    const { starts, ends, kinds } = row;
    const columns = this.#columns;
    for (let at = 0; at < columns.length; at++) {
      const column = columns[at] as ColumnSink;
      const slot = COLUMN_SLOTS[at] as number;
      const kind = kinds[slot] ?? scan.ABSENT;
      const from = starts[slot] as number;
      const to = ends[slot] as number;
      if (column.takesText && (isText(kind) || kind === scan.NUMBER)) column.addText(block, from, to);
      else if (at === ORDER_AT) column.addText(order, 0, order.length);
      else column.add(at === OTHERS_AT ? this.#othersOf(block, row) : servedValue(block, from, to, kind));
    }
  }

  /** Returns the fields that no other column contains, as JSON; undefined if there are none. */
  #othersOf(block: Buffer, { starts, ends, kinds }: Scanned): string | undefined {
    const kind = kinds[WORKSPACE_ID] as number;
    const from = starts[WORKSPACE_ID] as number;
    const to = ends[WORKSPACE_ID] as number;
    if (kind === scan.ABSENT) return undefined;
    const isSame =
      isText(kind) && to - from === this.#workspace.length && hasBytes(block, this.#workspace, from);
    if (isSame) return undefined;
    const workspace = servedValue(block, from, to, kind);
    if (workspace !== this.#otherWorkspace) this.#others = stringifyJson({ [WORKSPACE_FIELD]: workspace });
    this.#otherWorkspace = workspace;
    return this.#others;
  }
}

/** Whether the columns store every value of the leg exactly. */
function isStorable(block: Buffer, { starts, ends, kinds }: Scanned): boolean {
  const start = starts[ID] as number;
  const end = ends[ID] as number;
  if (!isText(kinds[ID] as number) || start === end) return false;
  // The id of another leg could be a number with the same text. Legs with ids that look like numbers are ordered by their
  // whole content.
  const isNumeral =
    (block[start] as number) <= NINE && !Number.isNaN(Number(block.toString('latin1', start, end)));
  if (isNumeral) return false;
  for (let slot = 0; slot < PATHS.length; slot++) {
    const kind = kinds[slot] as number;
    const from = starts[slot] as number;
    const to = ends[slot] as number;
    if (
      kind > scan.NULL ? !CHECKS[slot]?.(block, from, to, kind) : slot === WORKSPACE_ID && kind === scan.NULL
    )
      return false;
  }
  return true;
}

/** Returns the order of the fields of a leg; undefined if a field has no column. */
function orderIn(leg: JsonRecord): Buffer | undefined {
  const isStored = Object.entries(leg).every(([name, value]) =>
    isGroup(name, value)
      ? Object.keys(value).every((inner) => SLOTS.has(`${name}.${inner}`))
      : SLOTS.has(name) || (LEG_GROUPS.has(name) && value === null),
  );
  return isStored ? Buffer.from(orderText(leg)) : undefined;
}

function recordIn(block: Buffer, from: number, to: number): JsonRecord {
  return parseJson(block.toString('utf8', from, to)) as JsonRecord;
}
