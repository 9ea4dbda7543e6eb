// Stores ledger rows as columns of numbers. A row takes about 85 bytes, so a million rows fit in memory.

/** One signed integer of any size per row. An integer of up to 127 bits takes 16 bytes. */
export class WideColumn {
  readonly #high: BigInt64Array;
  readonly #low: BigUint64Array;
  /** Values of more than 127 bits. `#low` contains their indexes. Only append to this list, because copies share it. */
  readonly #large: bigint[];

  constructor(capacity: number, like?: WideColumn) {
    this.#high = new BigInt64Array(capacity);
    this.#low = new BigUint64Array(capacity);
    this.#large = like === undefined ? [] : like.#large;
    if (like === undefined) return;
    this.#high.set(like.#high.subarray(0, capacity));
    this.#low.set(like.#low.subarray(0, capacity));
  }

  get(row: number): bigint {
    const high = this.#high[row] ?? 0n;
    const low = this.#low[row] ?? 0n;
    return high === LARGE ? (this.#large[Number(low)] ?? 0n) : (high << 64n) | low;
  }

  set(row: number, value: bigint): void {
    const high = value >> 64n;
    const fits = LARGE < high && high < -LARGE;
    this.#high[row] = fits ? high : LARGE;
    this.#low[row] = fits ? value & 0xffff_ffff_ffff_ffffn : BigInt(this.#large.push(value) - 1);
  }

  move(to: number, start: number, end: number): void {
    this.#high.copyWithin(to, start, end);
    this.#low.copyWithin(to, start, end);
  }
}

/** Marks a value that is stored in `#large`. */
const LARGE = -(1n << 63n);

export const LEG_TYPES = ['incoming', 'outgoing', 'fee'] as const;
export const INCOMING = 0;
export const OUTGOING = 1;
export const FEE = 2;

/** Labels of generated legs. Null means no label. */
export const LEG_LABELS = ['Deposit', 'Withdrawal', 'Trade', 'Transfer', 'Staking', null, 'Payment'] as const;

export const NO_BALANCE = 1;
export const EDITED = 2;
export const UNPROCESSED = 4;
export const HALF_POSTED = 8;
export const COA_EDITED = 16;
export const PROFIT_OFF = 32;
/** In the JSON, `value` has all its digits, even those that a double cannot represent. */
export const EVERY_DIGIT = 64;
/** No sync produced the leg. The leg was imported from a file or entered by hand. */
export const NOT_SYNCED = 128;

/** A row, except its running balance. */
export interface LegRow {
  readonly number: number;
  readonly transaction: number;
  readonly type: number;
  readonly asset: number;
  readonly wallet: number;
  readonly other?: number;
  readonly kind: number;
  readonly flags: number;
  readonly timestamp: number;
  readonly createdAt: number;
  readonly price: number;
  readonly unitCost?: number;
  readonly quantity: bigint;
}

/** The rows, sorted by time. Rows with the same time are in the order in which they were added. */
export class LegColumns {
  size: number;
  readonly capacity: number;
  /**
   * Identifies a ledger, even after the ledger has moved to another row. The number of an original ledger is the row that it
   * had at first. An added ledger gets the next free number.
   */
  readonly number: Uint32Array;
  readonly transaction: Uint32Array;
  /** Index into TYPES. */
  readonly type: Uint8Array;
  readonly asset: Uint16Array;
  readonly wallet: Uint16Array;
  /** The other wallet of a transfer between the user's own wallets; -1 for all other legs. */
  readonly other: Int16Array;
  /** Index into the labels in the catalogue. */
  readonly kind: Uint16Array;
  readonly flags: Uint8Array;
  /** Unix milliseconds; ascending. */
  readonly timestamp: Float64Array;
  /** Unix milliseconds. In the specification, `createdAt` is a sort key but not a ledger field. */
  readonly createdAt: Float64Array;
  /** NaN if the leg has no price. */
  readonly price: Float64Array;
  /** Average cost of one unit before the leg. */
  readonly unitCost: Float64Array;
  /** In units of 10^-18, like the balances. */
  readonly quantity: WideColumn;
  /** The running balance of the wallet and asset. Responses omit the balance if NO_BALANCE is set. */
  readonly after: WideColumn;

  /** @param like columns to copy. The copy has space for `size` rows. */
  constructor(size: number, like?: LegColumns) {
    this.size = like?.size ?? size;
    this.capacity = size;
    this.number = new Uint32Array(size);
    this.transaction = new Uint32Array(size);
    this.type = new Uint8Array(size);
    this.asset = new Uint16Array(size);
    this.wallet = new Uint16Array(size);
    this.other = new Int16Array(size);
    this.kind = new Uint16Array(size);
    this.flags = new Uint8Array(size);
    this.timestamp = new Float64Array(size);
    this.createdAt = new Float64Array(size);
    this.price = new Float64Array(size);
    this.unitCost = new Float64Array(size);
    this.quantity = new WideColumn(size, like?.quantity);
    this.after = new WideColumn(size, like?.after);
    if (like === undefined) return;
    const arrays = like.#arrays();
    this.#arrays().forEach((array, index) => {
      const from = arrays[index];
      if (from !== undefined) array.set(from.subarray(0, size));
    });
  }

  set(row: number, { other = -1, unitCost = 0, quantity, ...leg }: LegRow): void {
    this.number[row] = leg.number;
    this.transaction[row] = leg.transaction;
    this.type[row] = leg.type;
    this.asset[row] = leg.asset;
    this.wallet[row] = leg.wallet;
    this.other[row] = other;
    this.kind[row] = leg.kind;
    this.flags[row] = leg.flags;
    this.timestamp[row] = leg.timestamp;
    this.createdAt[row] = leg.createdAt;
    this.price[row] = leg.price;
    this.unitCost[row] = unitCost;
    this.quantity.set(row, quantity);
  }

  /** Makes space for a new row before each row in `places`, which must be in ascending order. */
  open(places: readonly number[]): void {
    let end = this.size;
    this.size += places.length;
    for (let gaps = places.length; gaps > 0; gaps -= 1) {
      const place = places[gaps - 1] ?? 0;
      this.#move(place + gaps, place, end);
      end = place;
    }
  }

  /** Removes a row. */
  close(row: number): void {
    this.#move(row, row + 1, this.size);
    this.size -= 1;
  }

  #move(to: number, start: number, end: number): void {
    for (const array of this.#arrays()) array.copyWithin(to, start, end);
    this.quantity.move(to, start, end);
    this.after.move(to, start, end);
  }

  #arrays() {
    const { number, transaction, type, asset, wallet, other, kind, flags } = this;
    const { timestamp, createdAt, price, unitCost } = this;
    return [
      ...[number, transaction, type, asset, wallet, other, kind, flags],
      ...[timestamp, createdAt, price, unitCost],
    ];
  }
}

export function hasBalance({ flags }: LegColumns, row: number): boolean {
  return ((flags[row] ?? 0) & NO_BALANCE) === 0;
}
