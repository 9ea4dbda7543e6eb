// The ledgers of a workspace, in order. Inserting or removing a ledger moves the rows after it, and recomputes the running
// balances of its wallet and asset.

import { Columns, INCOMING } from './columns.ts';
import type { Ids } from '../core/ids.ts';

export interface AddedLeg {
  readonly id: string;
  readonly transaction: number;
  readonly type: number;
  readonly asset: number;
  readonly wallet: number;
  readonly kind: number;
  readonly flags: number;
  readonly timestamp: number;
  readonly createdAt: number;
  /** NaN if the leg has no price. */
  readonly price: number;
  /** In units of 10^-18. */
  readonly quantity: bigint;
  readonly description: string | null;
}

export type Change = { readonly insert: AddedLeg[] } | { readonly remove: string };

/** Number of spare rows in new arrays, for later insertions. */
const SPARE = 1024;

export class Book {
  /** The original ledgers, before any change. */
  readonly written: Columns;
  #columns: Columns;
  /** Incremented by each insertion, removal and reset, so that `derive` can detect changes. */
  #version = 0;
  readonly #ids: Ids;
  readonly #added: AddedLeg[] = [];
  readonly #numbers = new Map<string, number>();
  /** Insertions and removals, in order. */
  #changes: Change[] = [];

  constructor(written: Columns, ids: Ids) {
    this.written = written;
    this.#columns = written;
    this.#ids = ids;
  }

  /** The current ledgers. */
  get columns(): Columns {
    return this.#columns;
  }

  /** Every change since the start, in order. */
  get changes(): readonly Change[] {
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
      write(columns, row, number, leg);
      const pair = `${leg.wallet} ${leg.asset}`;
      if (!affected.has(pair)) affected.set(pair, { leg, row });
    }
    for (const { leg, row } of affected.values()) recompute(columns, leg.wallet, leg.asset, row, 0n, first);
    for (const leg of legs) this.#numbers.set(leg.id, this.#added.push(leg) - 1 + this.written.size);
    // Merge consecutive insertions into one change. Inserting all legs at once has the same result.
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

  reset(): void {
    this.#columns = this.written;
    this.#added.length = 0;
    this.#numbers.clear();
    this.#changes = [];
    this.#version += 1;
  }

  /** Returns a function that caches the result of `compute`. It calls `compute` again only after the ledgers have changed. */
  derive<T>(compute: (columns: Columns) => T): () => T {
    let known: { version: number; value: T } | undefined;
    return () => {
      if (known?.version !== this.#version) {
        known = { version: this.#version, value: compute(this.#columns) };
      }
      return known.value;
    };
  }

  /** Returns columns with space for `more` additional rows. Copies `written`, because a reset needs it unchanged. */
  #writable(more: number): Columns {
    const columns = this.#columns;
    if (columns === this.written || columns.size + more > columns.capacity) {
      this.#columns = new Columns(columns.size + more + SPARE, columns);
    }
    return this.#columns;
  }
}

/** The first row that is later than `moment`. */
function rowAfter({ timestamp, size }: Columns, moment: number): number {
  let low = 0;
  let high = size;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((timestamp[middle] ?? 0) <= moment) low = middle + 1;
    else high = middle;
  }
  return low;
}

function write(columns: Columns, row: number, number: number, leg: AddedLeg): void {
  columns.number[row] = number;
  columns.transaction[row] = leg.transaction;
  columns.type[row] = leg.type;
  columns.asset[row] = leg.asset;
  columns.wallet[row] = leg.wallet;
  columns.other[row] = -1;
  columns.kind[row] = leg.kind;
  columns.flags[row] = leg.flags;
  columns.timestamp[row] = leg.timestamp;
  columns.createdAt[row] = leg.createdAt;
  columns.price[row] = leg.price;
  columns.unitCost[row] = 0;
  columns.quantity.set(row, leg.quantity);
}

/**
 * Recomputes the running balances of a wallet and asset, starting at the row `from`.
 *
 * @param moved amount to add to the existing balances
 * @param firstAdded number of the first new leg. New legs have no balance yet, and they change all later balances
 */
function recompute(
  columns: Columns,
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
function change({ type, quantity }: Columns, row: number): bigint {
  return type[row] === INCOMING ? quantity.get(row) : -quantity.get(row);
}
