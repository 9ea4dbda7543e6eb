// Writes legs in chronological order, and tracks the running balance and the average cost of each wallet and asset.

import { powerOfTen } from '../core/decimal.ts';
import type { Random } from '../core/random.ts';
import { ASSETS, type Asset, UNRESOLVED_START } from './assets.ts';
import {
  COA_EDITED,
  EDITED,
  EVERY_DIGIT,
  HALF_POSTED,
  INCOMING,
  LegColumns,
  NO_BALANCE,
  NOT_SYNCED,
  OUTGOING,
  PROFIT_OFF,
  UNPROCESSED,
} from './columns.ts';
import { type PriceAt, SPAN_START } from './prices.ts';
import { WALLETS } from './wallets.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const SYNC_INTERVAL = 6 * HOUR;
/** Tax processing has run for legs before this time. */
const PROCESSED_UNTIL = Date.UTC(2025, 9, 1);

export interface GeneratedLeg {
  readonly type: number;
  readonly wallet: number;
  readonly asset: number;
  readonly quantity: bigint;
  readonly kind: number;
  readonly other?: number;
}

export class Writer {
  readonly columns: LegColumns;
  row = 0;
  transactions = 0;
  timestamp = SPAN_START;
  readonly #random: Random;
  readonly #priceAt: PriceAt;
  readonly #balance: bigint[];
  readonly #unrecorded: bigint[];
  readonly #unitCost: Float64Array;

  constructor(size: number, random: Random, priceAt: PriceAt) {
    const pairs = WALLETS.length * ASSETS.length;
    this.columns = new LegColumns(size);
    this.#random = random;
    this.#priceAt = priceAt;
    this.#balance = new Array<bigint>(pairs).fill(0n);
    this.#unrecorded = new Array<bigint>(pairs).fill(0n);
    this.#unitCost = new Float64Array(pairs);
  }

  get room(): number {
    return this.columns.size - this.row;
  }

  begin(timestamp: number): void {
    this.timestamp = timestamp;
    this.transactions += 1;
  }

  /** Sets the unrecorded balance of a wallet. The wallet has this quantity, but the books do not show it. */
  hide(wallet: number, asset: number, quantity: bigint): void {
    this.#unrecorded[pairOf(wallet, asset)] = quantity;
  }

  recorded(wallet: number, asset: number): bigint {
    return this.#balance[pairOf(wallet, asset)] ?? 0n;
  }

  /** The balance that the wallet can spend: its recorded balance plus its unrecorded balance. */
  available(wallet: number, asset: number): bigint {
    const pair = pairOf(wallet, asset);
    return (this.#balance[pair] ?? 0n) + (this.#unrecorded[pair] ?? 0n);
  }

  /** The state after the last leg. `balance` (in units of 10^-18) and `unitCost` (0 if unknown) are indexed by `pairOf`. */
  get positions() {
    return { balance: this.#balance, unitCost: this.#unitCost, priceAt: this.#priceAt };
  }

  price(asset: number): number {
    return this.#priceAt(asset, this.timestamp, 0.5);
  }

  write({ type, wallet, asset, quantity, kind, other = -1 }: GeneratedLeg): void {
    const { columns, row } = this;
    const details = ASSETS[asset];
    const source = WALLETS[wallet];
    if (details === undefined || source === undefined || this.room === 0) return;
    this.row += 1;

    const pair = pairOf(wallet, asset);
    const before = this.#balance[pair] ?? 0n;
    const after = type === INCOMING ? before + quantity : before - quantity;
    this.#balance[pair] = after;
    const price = this.#legPrice(asset, details);
    const flags = this.#flags(type, price, asset, source.silent);

    columns.set(row, {
      ...{
        number: row,
        transaction: this.transactions - 1,
        type,
        asset,
        wallet,
        kind,
        flags,
        price,
        quantity,
      },
      ...{ timestamp: this.timestamp, createdAt: this.#createdAt(flags) },
      ...{ other, unitCost: this.#cost(pair, type, before, quantity, price) },
    });
    columns.after.set(row, after);
  }

  #legPrice(asset: number, { price, type }: Asset): number {
    if (price === 0) return Number.NaN;
    if (type !== 'fiat' && this.#random.chance(0.025)) return Number.NaN;
    return this.#priceAt(asset, this.timestamp, this.#random.next());
  }

  #flags(type: number, price: number, asset: number, silent: boolean): number {
    const random = this.#random;
    let flags = 0;
    const raise = (flag: number, when: boolean) => {
      if (when) flags |= flag;
    };
    raise(NO_BALANCE, silent || asset >= UNRESOLVED_START);
    const unprocessed = this.timestamp >= PROCESSED_UNTIL || Number.isNaN(price);
    raise(UNPROCESSED, unprocessed);
    raise(EDITED, random.chance(0.02));
    raise(HALF_POSTED, random.chance(0.008));
    raise(COA_EDITED, random.chance(0.016));
    raise(PROFIT_OFF, !unprocessed && type === OUTGOING && random.chance(0.012));
    raise(EVERY_DIGIT, random.chance(0.06));
    raise(NOT_SYNCED, silent || random.chance(0.01));
    return flags;
  }

  /** Most legs are created at the next sync. All other legs, such as legs from files, are created 20 to 400 days later. */
  #createdAt(flags: number): number {
    const late = (flags & NOT_SYNCED) !== 0 || this.#random.chance(0.01);
    if (late) return this.timestamp + (20 + this.#random.below(380)) * DAY + this.#random.below(DAY);
    return Math.ceil((this.timestamp + 1) / SYNC_INTERVAL) * SYNC_INTERVAL + this.#random.below(40) * 250;
  }

  #cost(pair: number, type: number, before: bigint, quantity: bigint, price: number): number {
    const cost = this.#unitCost[pair] ?? 0;
    if (type !== INCOMING || Number.isNaN(price)) return cost;
    const held = before > 0n ? Number(before) : 0;
    const added = Number(quantity);
    this.#unitCost[pair] = (held * cost + added * price) / (held + added);
    return cost;
  }
}

export function pairOf(wallet: number, asset: number): number {
  return wallet * ASSETS.length + asset;
}

/** The smallest amount of an asset, in units of 10^-18. */
export function smallestUnit(asset: number): bigint {
  return powerOfTen(18 - (ASSETS[asset]?.decimals ?? 18));
}
