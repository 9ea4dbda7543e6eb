// What was done to the ledgers since the start: legs that came, at any moment of the past, and legs that went. The
// books themselves stay as they were written. Rows are numbered through: those of the books first, then those that
// came, in the order in which they came; legs of the same time stand in the order of their rows.
//
// A running balance is the sum of all legs of its wallet and asset up to it, so that a leg which comes or goes moves
// every later balance of the same wallet and asset, and no other.

import { placeOf } from './amend.ts';
import { type Columns, createColumns, INCOMING } from './columns.ts';

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
  /** NaN where there is none. */
  readonly price: number;
  /** In 10^-18. */
  readonly quantity: bigint;
  readonly description: string | null;
}

/** From a leg on, the balances of its wallet and asset are higher by `delta`. */
interface Move {
  readonly timestamp: number;
  readonly row: number;
  readonly delta: bigint;
}

interface Moves {
  list: Move[];
  /** Of the moves up to each; undefined after a change. */
  sums: bigint[] | undefined;
}

export interface Places {
  /** The first row of each transaction; without it, transactions are numbered in the order of their rows. */
  readonly starts?: Uint32Array;
  /** The rows of transactions whose legs stand apart. */
  readonly scattered?: ReadonlyMap<number, readonly number[]>;
}

const pairKey = (wallet: number, asset: number) => wallet * 65_536 + asset;

export class Overlay {
  /** 0 while nothing was done; another after each change. */
  version = 0;
  /** All that ever came, those that went again among them. */
  readonly legs: AddedLeg[] = [];
  /** Rows, of the books or of those that came. */
  readonly removed = new Set<number>();
  /** The books as they are served: with the running balances as they are now. */
  readonly books: Columns;
  #changes = 0;
  readonly #written: Columns;
  readonly #moves = new Map<number, Moves>();
  /** Rows of the books, of the wallets and assets that legs came to. */
  readonly #rows = new Map<number, Uint32Array>();
  /** By the books alone, before each leg that came. */
  readonly #before: bigint[] = [];
  readonly #byId = new Map<string, number>();
  #added: { version: number; columns: Columns } | undefined;

  /** Where the legs of a transaction of the books stand; in the books that the sandbox writes they stand together. */
  readonly places: Places;

  constructor(written: Columns, places: Places = {}) {
    this.#written = written;
    this.places = places;
    const { after } = written;
    const get = (row: number) => (this.version === 0 ? after.get(row) : after.get(row) + this.moved(row));
    this.books = { ...written, after: { get } };
  }

  get size(): number {
    return this.#written.size + this.legs.length;
  }

  insert(legs: readonly AddedLeg[]): void {
    for (const leg of legs) {
      const row = this.size;
      this.legs.push(leg);
      this.#before.push(this.#balanceAt(leg));
      this.#byId.set(leg.id, row);
      this.#move(leg.wallet, leg.asset, { timestamp: leg.timestamp, row, delta: signed(leg) });
    }
    if (legs.length > 0) this.#changed();
  }

  remove(row: number): void {
    const { columns, index } = this.locate(row);
    const delta = -signed({ type: columns.type[index] ?? 0, quantity: columns.quantity.get(index) });
    const timestamp = columns.timestamp[index] ?? 0;
    this.removed.add(row);
    this.#move(columns.wallet[index] ?? 0, columns.asset[index] ?? 0, { timestamp, row, delta });
    this.#changed();
  }

  reset(): void {
    this.version = 0;
    this.legs.length = 0;
    this.#before.length = 0;
    this.removed.clear();
    this.#moves.clear();
    this.#rows.clear();
    this.#byId.clear();
    this.#added = undefined;
  }

  /** Transactions that a leg came to or went from. */
  touched(): Set<number> {
    return new Set([
      ...(this.places.scattered?.keys() ?? []),
      ...this.legs.map(({ transaction }) => transaction),
      ...[...this.removed].map((row) => {
        const { columns, index } = this.locate(row);
        return columns.transaction[index] ?? 0;
      }),
    ]);
  }

  /** How far the balance after a row of the books has moved. */
  moved(row: number): bigint {
    return this.version === 0 ? 0n : this.#moved(this.#written, row, row);
  }

  /** Whether any transaction does not stand in the books as it is served. */
  get gathers(): boolean {
    return this.version !== 0 || (this.places.scattered?.size ?? 0) > 0;
  }

  /** The row of a leg that came. */
  row(id: string): number | undefined {
    return this.#byId.get(id);
  }

  /** Where a row stands: in the books, or among those that came. */
  locate(row: number): { columns: Columns; index: number } {
    const { size } = this.#written;
    return row < size ? { columns: this.books, index: row } : { columns: this.added, index: row - size };
  }

  /** Those that came and are still there. */
  present(): number[] {
    const { size } = this.#written;
    return this.legs.map((_, index) => size + index).filter((row) => !this.removed.has(row));
  }

  /** All that came, as columns. */
  get added(): Columns {
    if (this.#added?.version !== this.version) {
      this.#added = { version: this.version, columns: this.#columns() };
    }
    return this.#added.columns;
  }

  /** No version comes a second time, not even after a reset: what is remembered of one holds for no other. */
  #changed(): void {
    this.#changes += 1;
    this.version = this.#changes;
  }

  #columns(): Columns {
    const columns = createColumns(this.legs.length);
    this.legs.forEach((leg, index) => {
      columns.transaction[index] = leg.transaction;
      columns.type[index] = leg.type;
      columns.asset[index] = leg.asset;
      columns.wallet[index] = leg.wallet;
      columns.kind[index] = leg.kind;
      columns.flags[index] = leg.flags;
      columns.timestamp[index] = leg.timestamp;
      columns.createdAt[index] = leg.createdAt;
      columns.price[index] = leg.price;
    });
    const { size } = this.#written;
    const get = (index: number) => (this.#before[index] ?? 0n) + this.#moved(columns, index, size + index);
    const quantity = { get: (index: number) => this.legs[index]?.quantity ?? 0n };
    return { ...columns, quantity, after: { get } };
  }

  #move(wallet: number, asset: number, move: Move): void {
    const key = pairKey(wallet, asset);
    const moves = this.#moves.get(key) ?? { list: [], sums: undefined };
    moves.list.push(move);
    moves.sums = undefined;
    this.#moves.set(key, moves);
  }

  /** How far the balance after a row has moved. */
  #moved(columns: Columns, index: number, row: number): bigint {
    const moves = this.#moves.get(pairKey(columns.wallet[index] ?? 0, columns.asset[index] ?? 0));
    if (moves === undefined) return 0n;
    const sums = moves.sums ?? summed(moves);
    const timestamp = columns.timestamp[index] ?? 0;
    let low = 0;
    let high = sums.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      const move = moves.list[middle];
      const later =
        move === undefined || move.timestamp > timestamp || (move.timestamp === timestamp && move.row > row);
      if (later) high = middle;
      else low = middle + 1;
    }
    return sums[low - 1] ?? 0n;
  }

  /** What the books say of the wallet and asset at the time of a leg. */
  #balanceAt({ wallet, asset, timestamp }: AddedLeg): bigint {
    const { timestamp: times, after } = this.#written;
    const rows = this.#rowsOf(wallet, asset);
    const place = placeOf(rows, (row) => (times[row] ?? 0) <= timestamp);
    const row = rows[place - 1];
    return row === undefined ? 0n : after.get(row);
  }

  /** Looked for once, however many legs come to the same wallet and asset. */
  #rowsOf(wallet: number, asset: number): Uint32Array {
    const key = pairKey(wallet, asset);
    const known = this.#rows.get(key);
    if (known !== undefined) return known;
    const books = this.#written;
    const found: number[] = [];
    for (let row = 0; row < books.size; row += 1) {
      if (books.wallet[row] === wallet && books.asset[row] === asset) found.push(row);
    }
    const rows = Uint32Array.from(found);
    this.#rows.set(key, rows);
    return rows;
  }
}

function signed({ type, quantity }: { type: number; quantity: bigint }): bigint {
  return type === INCOMING ? quantity : -quantity;
}

function summed(moves: Moves): bigint[] {
  moves.list.sort((a, b) => a.timestamp - b.timestamp || a.row - b.row);
  let sum = 0n;
  const sums = moves.list.map(({ delta }) => {
    sum += delta;
    return sum;
  });
  moves.sums = sums;
  return sums;
}
