// The ledgers of a workspace, in order. Inserting or removing a ledger moves the rows after it, and recomputes the running
// balances of its wallet and asset.

import { formatUnits } from '../core/decimal.ts';
import type { NumberedIds } from '../core/ids.ts';
import {
  COA_EDITED,
  EVERY_DIGIT,
  INCOMING,
  LegColumns,
  type LegRow,
  NO_BALANCE,
  PROFIT_OFF,
} from './columns.ts';
import { withFields } from './given.ts';

export interface AddedLeg extends Omit<LegRow, 'number' | 'other' | 'unitCost'> {
  readonly id: string;
  readonly description: string | null;
}

/** An edited leg: its JSON, and the values that filters compare. */
export interface EditedLeg extends Omit<AddedLeg, 'id' | 'createdAt' | 'description'> {
  readonly text: string;
  readonly after: bigint;
  /** In units of 10^-18; undefined if tax processing has not run. */
  readonly profit: bigint | undefined;
}

export type BookChange =
  | { readonly insert: AddedLeg[] }
  | { readonly remove: string }
  | {
      readonly edit: string;
      readonly fields: Readonly<Record<string, unknown>>;
      readonly recalculate: boolean;
    };

/** Flags that the JSON of a ledger does not show. An edit keeps them. */
const HIDDEN = COA_EDITED | PROFIT_OFF | EVERY_DIGIT;

/** Number of spare rows in new arrays, for later insertions. */
const SPARE = 1024;

export class Book {
  /** The original ledgers, before any change. */
  readonly written: LegColumns;
  #columns: LegColumns;
  /** Incremented by each insertion, removal and reset, so that `derive` can detect changes. */
  #version = 0;
  readonly #ids: NumberedIds;
  readonly #added: AddedLeg[] = [];
  readonly #numbers = new Map<string, number>();
  readonly #edited = new Map<number, EditedLeg>();
  /** Insertions, removals and edits, in order. */
  #changes: BookChange[] = [];

  constructor(written: LegColumns, ids: NumberedIds) {
    this.written = written;
    this.#columns = written;
    this.#ids = ids;
  }

  /** The current ledgers. */
  get columns(): LegColumns {
    return this.#columns;
  }

  /** Every change since the start, in order. */
  get changes(): readonly BookChange[] {
    return this.#changes;
  }

  get version(): number {
    return this.#version;
  }

  /** The number that the next added ledger will get. */
  get next(): number {
    return this.written.size + this.#added.length;
  }

  id(number: number): string {
    return this.added(number)?.id ?? this.#ids.of(number);
  }

  /** The added leg with this number; undefined for an original ledger. */
  added(number: number): AddedLeg | undefined {
    return this.#added[number - this.written.size];
  }

  /** The last edit of the leg with this number. */
  edited(number: number): EditedLeg | undefined {
    return this.#edited.get(number);
  }

  /** The current row of a ledger; undefined if the ledger does not exist. */
  find(id: string): number | undefined {
    const number = this.#numbers.get(id) ?? this.#ids.index(id);
    if (number === undefined || (number >= this.written.size && !this.#numbers.has(id))) return undefined;
    const row = this.#columns.number.indexOf(number);
    return row < 0 || row >= this.#columns.size ? undefined : row;
  }

  insert(legs: readonly AddedLeg[]): void {
    if (legs.length === 0) return;
    const columns = this.#writable(legs.length);
    const first = this.next;
    const added = legs.map((leg, index) => ({ leg, number: first + index }));
    added.sort((a, b) => a.leg.timestamp - b.leg.timestamp);
    const places = added.map(({ leg }) => rowAfter(columns, leg.timestamp));
    columns.open(places);
    const affected = new Map<string, { leg: AddedLeg; row: number }>();
    for (const [index, { leg, number }] of added.entries()) {
      const row = (places[index] ?? 0) + index;
      columns.set(row, { ...leg, number });
      const pair = `${leg.wallet} ${leg.asset}`;
      if (!affected.has(pair)) affected.set(pair, { leg, row });
    }
    for (const { leg, row } of affected.values()) recompute(columns, leg.wallet, leg.asset, row, 0n, first);
    for (const leg of legs) this.#numbers.set(leg.id, this.#added.push(leg) - 1 + this.written.size);
    // Merge consecutive insertions into one change, because inserting all legs at once has the same result.
    const last = this.#changes.at(-1);
    if (last !== undefined && 'insert' in last) last.insert.push(...legs);
    else this.#changes.push({ insert: [...legs] });
    this.#version += 1;
  }

  remove(row: number): void {
    const columns = this.#writable(0);
    const { [row]: wallet = 0 } = columns.wallet;
    const { [row]: asset = 0 } = columns.asset;
    this.#changes.push({ remove: this.id(columns.number[row] ?? 0) });
    const removed = change(columns, row);
    columns.close(row);
    recompute(columns, wallet, asset, row, -removed);
    this.#version += 1;
  }

  /** Replaces the values of a leg. If `recalculate` is set, rebuilds the balances of its old and new wallet and asset. */
  edit(from: number, leg: EditedLeg, made: Extract<BookChange, { edit: string }>): void {
    const columns = this.#writable(1);
    const number = columns.number[from] ?? 0;
    const pairs = [pairAt(columns, from), { wallet: leg.wallet, asset: leg.asset }].map((pair) => ({
      ...pair,
      opening: openingOf(columns, pair.wallet, pair.asset),
    }));
    const kept = {
      createdAt: columns.createdAt[from] ?? 0,
      unitCost: columns.unitCost[from] ?? 0,
      other: columns.other[from] ?? -1,
    };
    const flags = leg.flags | ((columns.flags[from] ?? 0) & HIDDEN);
    let row = from;
    if (columns.timestamp[from] !== leg.timestamp) {
      columns.close(from);
      row = rowAfter(columns, leg.timestamp);
      columns.open([row]);
    }
    columns.set(row, { ...leg, ...kept, number, flags });
    columns.after.set(row, leg.after);
    this.#edited.set(number, leg);
    if (made.recalculate) {
      for (const { wallet, asset, opening } of pairs) rebuild(columns, wallet, asset, opening);
      const after = columns.after.get(row);
      const balances = {
        beforeBalance: formatUnits(after - change(columns, row)),
        afterBalance: formatUnits(after),
      };
      const text = (flags & NO_BALANCE) === 0 ? withFields(leg.text, balances) : leg.text;
      this.#edited.set(number, { ...leg, text, after });
    }
    this.#changes.push(made);
    this.#version += 1;
  }

  reset(): void {
    this.#edited.clear();
    this.#columns = this.written;
    this.#added.length = 0;
    this.#numbers.clear();
    this.#changes = [];
    this.#version += 1;
  }

  /**
   * Returns a function that caches the result of `compute`. The function calls `compute` again only after the ledgers have
   * changed.
   */
  derive<T>(compute: (columns: LegColumns) => T): () => T {
    let known: { version: number; value: T } | undefined;
    return () => {
      if (known?.version !== this.#version) {
        known = { version: this.#version, value: compute(this.#columns) };
      }
      return known.value;
    };
  }

  /** Returns columns with space for `more` additional rows. Copies `written`, because a reset needs it unchanged. */
  #writable(more: number): LegColumns {
    const columns = this.#columns;
    if (columns === this.written || columns.size + more > columns.capacity) {
      this.#columns = new LegColumns(columns.size + more + SPARE, columns);
    }
    return this.#columns;
  }
}

/** The first row that is later than `moment`. */
export function rowAfter({ timestamp, size }: LegColumns, moment: number): number {
  let low = 0;
  let high = size;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((timestamp[middle] ?? 0) <= moment) low = middle + 1;
    else high = middle;
  }
  return low;
}

/**
 * Recomputes the running balances of a wallet and asset, starting at the row `from`.
 *
 * @param moved amount to add to the existing balances
 * @param firstAdded number of the first new leg. New legs have no balance yet, and they change all later balances
 */
function recompute(
  columns: LegColumns,
  wallet: number,
  asset: number,
  from: number,
  moved: bigint,
  firstAdded = Number.POSITIVE_INFINITY,
): void {
  const { size, wallet: wallets, asset: assets, number, after } = columns;
  let total = moved;
  let last = from - 1;
  while (last >= 0 && (wallets[last] !== wallet || assets[last] !== asset)) last -= 1;
  let balance = last < 0 ? 0n : after.get(last);
  for (let row = from; row < size; row += 1) {
    if (wallets[row] !== wallet || assets[row] !== asset) continue;
    if ((number[row] ?? 0) < firstAdded) balance = after.get(row) + total;
    else {
      const added = change(columns, row);
      total += added;
      balance += added;
    }
    after.set(row, balance);
  }
}

/** The amount by which a leg changes the balance. */
function change({ type, quantity }: LegColumns, row: number): bigint {
  return type[row] === INCOMING ? quantity.get(row) : -quantity.get(row);
}

function pairAt(columns: LegColumns, row: number): { wallet: number; asset: number } {
  return { wallet: columns.wallet[row] ?? 0, asset: columns.asset[row] ?? 0 };
}

function* rowsOf({ size, wallet, asset }: LegColumns, ofWallet: number, ofAsset: number): Generator<number> {
  for (let row = 0; row < size; row += 1) if (wallet[row] === ofWallet && asset[row] === ofAsset) yield row;
}

/** The balance before the first leg of a wallet and asset. */
function openingOf(columns: LegColumns, wallet: number, asset: number): bigint {
  const [first] = rowsOf(columns, wallet, asset);
  return first === undefined ? 0n : columns.after.get(first) - change(columns, first);
}

function rebuild(columns: LegColumns, wallet: number, asset: number, opening: bigint): void {
  let balance = opening;
  for (const row of rowsOf(columns, wallet, asset)) {
    balance += change(columns, row);
    columns.after.set(row, balance);
  }
}
