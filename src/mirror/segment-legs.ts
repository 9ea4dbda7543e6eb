import { type JsonRecord, parseJson, stringifyJson } from '../core/json.ts';
import { hasBytes, NINE, QUOTE } from '../export/fast/ascii.ts';
import { servedValue } from '../export/fast/line-writers.ts';
import * as scan from '../export/fast/row-scanner.ts';
import type { ShapeStep } from '../export/fast/row-shapes.ts';
import { type RowTarget, ScannedLines } from '../export/scanned-lines.ts';
import { SCALE } from '../formats/parquet/decimal128.ts';
import type { ColumnSink, ColumnwiseFile } from '../formats/record-file.ts';
import type { LedgerRow, LegPlacer, TableFile } from './leg-file.ts';
import {
  isGroup,
  isNumeric,
  LEG_COLUMNS,
  LEG_FIELDS,
  LEG_GROUPS,
  legKind,
  ORDER,
  OTHERS,
  orderText,
  POSITION,
  WORKSPACE_FIELD,
} from './leg-rows.ts';

type Scanned = Pick<scan.RowScanner, 'starts' | 'ends' | 'kinds'>;

const PATHS = LEG_FIELDS.map(({ key }) => key);
const SLOTS: ReadonlyMap<string, number> = new Map(PATHS.map((path, slot) => [path, slot]));
const slotOf = (path: string) => SLOTS.get(path) ?? -1;
const ID = slotOf('id');
const WALLET_ID = slotOf('walletId');
const WORKSPACE_ID = slotOf(WORKSPACE_FIELD);
const ASSET_ID = slotOf('assetId');
const TYPE = slotOf('type');
const TIME = slotOf('timestamp');
const QUANTITY = slotOf('quantity');
const BEFORE = slotOf('beforeBalance');
const AFTER = slotOf('afterBalance');
const SYMBOL = slotOf('asset.symbol');
const RAW_SYMBOL = slotOf('assetRaw.symbol');

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

const LEDGER_TABLE = [...LEG_COLUMNS, { key: POSITION }];

/** For each column of the file: the slot of its value; -1 for columns that do not contain the value of a field. */
const COLUMN_SLOTS = LEDGER_TABLE.map(({ key }) => slotOf(key));
const [OTHERS_AT, ORDER_AT, POSITION_AT] = [OTHERS, ORDER, POSITION].map((name) =>
  LEDGER_TABLE.findIndex(({ key }) => key === name),
);

const NO_BYTES: Buffer = Buffer.alloc(0);

/** A leg that waits for its position. */
class WaitingLeg implements Scanned {
  bytes = NO_BYTES;
  readonly starts = new Int32Array(PATHS.length);
  readonly ends = new Int32Array(PATHS.length);
  readonly kinds = new Uint8Array(PATHS.length);
  /** The order of the leg's fields. */
  order = NO_BYTES;
  #from = 0;
  #to = 0;

  /** Fills the leg from a row. The scanner is used again for other rows. */
  set(block: Buffer, row: Scanned, from: number, to: number, order: Buffer): void {
    [this.bytes, this.order, this.#from, this.#to] = [block, order, from, to];
    this.starts.set(row.starts);
    this.ends.set(row.ends);
    this.kinds.set(row.kinds);
  }

  /** Copies the bytes of the leg, because the block is about to be overwritten. */
  keep(block: Buffer): void {
    if (this.bytes !== block) return;
    this.bytes = Buffer.from(block.subarray(this.#from, this.#to));
    for (const slots of [this.starts, this.ends]) slots.set(slots.map((at) => at - this.#from));
  }
}

/**
 * Writes the legs of segments. If the columns certainly store every value of a leg exactly, the values are taken from its
 * bytes. A leg with a value that a column may not store exactly is parsed.
 */
export class SegmentLegs implements RowTarget {
  readonly wanted = PATHS;
  readonly parents = LEG_GROUPS;
  readonly #workspace: Buffer;
  readonly #lines = new ScannedLines(this);
  /** For each shape, the order of its fields; undefined if a field has no column. */
  readonly #orders = new Map<ShapeStep | undefined, Buffer | undefined>();
  /** The legs that wait for their positions, in the order in which they were added. */
  #waiting: (WaitingLeg | JsonRecord)[] = [];
  /** Legs whose memory is free for other legs. */
  readonly #unused: WaitingLeg[] = [];
  #file: TableFile<LedgerRow> | undefined;
  #columns: ColumnwiseFile | undefined;
  #placer: LegPlacer | undefined;
  #walletIds = new Set<string>();
  /** The last workspace id of a leg that differs from the workspace of the file, and the JSON that contains this id. */
  #otherWorkspace: unknown;
  #others: string | undefined;

  constructor(workspace: string) {
    this.#workspace = Buffer.from(workspace);
  }

  /** Writes the legs of a segment to a file. Returns the ids of the legs' wallets. */
  async write(path: string, file: TableFile<LedgerRow>, placer: LegPlacer): Promise<readonly string[]> {
    [this.#file, this.#placer, this.#walletIds] = [file, placer, new Set()];
    // The columns can store all values, so no message needs the record.
    this.#columns = file.byColumn(() => ({}));
    await this.#lines.read(path);
    await this.#release(placer.finish());
    return [...this.#walletIds].sort();
  }

  addScanned(block: Buffer, row: scan.RowScanner, from: number, to: number): Promise<void> | void {
    const { shape } = row;
    if (!this.#orders.has(shape)) this.#orders.set(shape, orderIn(recordIn(block, from, to)));
    const order = this.#orders.get(shape);
    if (order === undefined || !this.#isStorable(block, row))
      return this.addRecord(recordIn(block, from, to));
    const leg = this.#unused.pop() ?? new WaitingLeg();
    leg.set(block, row, from, to, order);
    return this.#add(leg, placedFields(block, row));
  }

  keep(block: Buffer): void {
    for (const leg of this.#waiting) if (leg instanceof WaitingLeg) leg.keep(block);
  }

  addRecord(leg: JsonRecord): Promise<void> | void {
    return this.#add(leg, leg);
  }

  #add(leg: WaitingLeg | JsonRecord, fields: JsonRecord): Promise<void> | void {
    const { walletId } = fields;
    if (typeof walletId === 'string') this.#walletIds.add(walletId);
    this.#waiting.push(leg);
    return this.#release(this.#placer?.add(fields) ?? []);
  }

  /** Writes the first waiting legs, whose positions are now known. */
  #release(placed: readonly LedgerRow[], start = 0): Promise<void> | void {
    for (let at = start; at < placed.length; at++) {
      const leg = this.#waiting.shift();
      const position = placed[at]?.position ?? null;
      const written =
        leg instanceof WaitingLeg ? this.#write(leg, position) : leg && this.#file?.add({ leg, position });
      if (written) return written.then(() => this.#release(placed, at + 1));
    }
  }

  #isStorable(block: Buffer, { starts, ends, kinds }: Scanned): boolean {
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
        kind > scan.NULL
          ? !CHECKS[slot]?.(block, from, to, kind)
          : slot === WORKSPACE_ID && kind === scan.NULL
      )
        return false;
    }
    return true;
  }

  #write(leg: WaitingLeg, position: number | null): Promise<void> | void {
    const { bytes, starts, ends, kinds, order } = leg;
    const { columns = [], endRow } = this.#columns ?? {};
    for (let at = 0; at < columns.length; at++) {
      const column = columns[at] as ColumnSink;
      const slot = COLUMN_SLOTS[at] as number;
      const kind = kinds[slot] ?? scan.ABSENT;
      const from = starts[slot] as number;
      const to = ends[slot] as number;
      if (column.takesText && (isText(kind) || kind === scan.NUMBER)) column.addText(bytes, from, to);
      else if (at === ORDER_AT) column.addText(order, 0, order.length);
      else if (at === OTHERS_AT) column.add(this.#othersOf(leg));
      else column.add(at === POSITION_AT ? position : servedValue(bytes, from, to, kind));
    }
    this.#unused.push(leg);
    return endRow?.();
  }

  /** Returns the fields that no other column contains, as JSON; undefined if there are none. */
  #othersOf({ bytes, starts, ends, kinds }: WaitingLeg): string | undefined {
    const kind = kinds[WORKSPACE_ID] as number;
    const from = starts[WORKSPACE_ID] as number;
    const to = ends[WORKSPACE_ID] as number;
    if (kind === scan.ABSENT) return undefined;
    const isSame =
      isText(kind) && to - from === this.#workspace.length && hasBytes(bytes, this.#workspace, from);
    if (isSame) return undefined;
    const workspace = servedValue(bytes, from, to, kind);
    if (workspace !== this.#otherWorkspace) this.#others = stringifyJson({ [WORKSPACE_FIELD]: workspace });
    this.#otherWorkspace = workspace;
    return this.#others;
  }
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

/** Returns the fields that decide the position of a leg. */
function placedFields(block: Buffer, { starts, ends, kinds }: Scanned): JsonRecord {
  const read = (slot: number) =>
    servedValue(block, starts[slot] as number, ends[slot] as number, kinds[slot] as number);
  return {
    id: read(ID),
    walletId: read(WALLET_ID),
    assetId: read(ASSET_ID),
    type: read(TYPE),
    timestamp: read(TIME),
    quantity: read(QUANTITY),
    beforeBalance: read(BEFORE),
    afterBalance: read(AFTER),
    asset: { symbol: read(SYMBOL) },
    assetRaw: { symbol: read(RAW_SYMBOL) },
  };
}
