import { isAfterSpan, isUnlimited, type OpenSpan } from '../core/span.ts';

export interface ScopeParts {
  readonly period?: OpenSpan;
  /** The present time, in Unix milliseconds. */
  readonly now: number;
  /** The time from which every leg was read; undefined if the legs start with the first leg of the books. */
  readonly readFrom?: number | undefined;
  /** The time up to which every leg was read; undefined if the legs end with the last leg of the books. */
  readonly readTo?: number | undefined;
  /** Whether the source of the legs is known to contain every id only once. */
  readonly hasUniqueIds?: boolean;
  /** Formats a time in ISO 8601 in the time zone of the books; empty for an invalid time. */
  readonly text?: (time: number) => string;
  /**
   * Whether the user selected a wallet and asset. `walletId` is null if a finding is not about a wallet; `assetId` and `symbol`
   * are null if it is not about an asset.
   */
  readonly isChosen?: (pair: ChosenPair) => boolean;
}

/** The wallet and asset of a finding. */
export interface ChosenPair {
  readonly walletId: string | null;
  readonly assetId: string | null;
  readonly symbol: string | null;
}

/**
 * The part of the books that an answer is about: the period, the selected wallets and assets, and the range of legs that were
 * read. Checks use the scope to find out which legs they can check.
 */
export class Scope {
  readonly period: OpenSpan;
  readonly now: number;
  readonly fromStart: boolean;
  readonly hasUniqueIds: boolean;
  readonly text: (time: number) => string;
  readonly isChosen: (pair: ChosenPair) => boolean;
  readonly #from: number;
  readonly #to: number;
  readonly #readFrom: number;
  readonly #readTo: number;

  constructor({ period = {}, now, readFrom, readTo, hasUniqueIds = false, text, isChosen }: ScopeParts) {
    this.period = period;
    this.#from = period.from ?? Number.NEGATIVE_INFINITY;
    this.#to = period.to ?? Number.POSITIVE_INFINITY;
    this.now = now;
    this.fromStart = readFrom === undefined;
    this.hasUniqueIds = hasUniqueIds;
    this.text = text ?? isoOf;
    this.isChosen = isChosen ?? (() => true);
    this.#readFrom = readFrom ?? Number.NEGATIVE_INFINITY;
    // Legs after the present time cannot be known yet.
    this.#readTo = Math.min(readTo ?? Number.POSITIVE_INFINITY, now);
  }

  /** Formats a time as an ISO 8601 date in the time zone of the books. */
  day(time: number): string {
    return this.text(time).slice(0, 10);
  }

  /** Whether a leg belongs to the period. A leg without a time belongs only to a period without start and end. */
  has(time: number | undefined): boolean {
    return time === undefined ? this.isUnlimited : this.isNear(time, 0);
  }

  /** Whether a leg belongs to the period, and to a wallet and asset that the user selected. */
  asksFor(leg: ChosenPair & { readonly time: number | undefined }): boolean {
    return this.has(leg.time) && this.isChosen(leg);
  }

  /** Whether an account is in scope. True if its id is unknown. */
  hasAccount(walletId: string | null): boolean {
    return this.isChosen({ walletId, assetId: null, symbol: null });
  }

  /** Whether the period has neither a start nor an end, so that it contains all legs. */
  get isUnlimited(): boolean {
    return isUnlimited(this.period);
  }

  /** Whether a leg is in the period, or at most `margin` milliseconds before or after it. True for a leg without a time. */
  isNear(time: number | undefined, margin: number): boolean {
    if (time === undefined) return true;
    const millisecond = Math.floor(time);
    return millisecond >= this.#from - margin && millisecond <= this.#to + margin;
  }

  /** Whether a leg is later than the period. Such legs are read only to find the other sides of transfers. */
  isLater(time: number | undefined): boolean {
    return isAfterSpan(time, this.period);
  }

  /** Whether every leg between two times was read. */
  covers(from: number, to: number): boolean {
    return from >= this.#readFrom && to <= this.#readTo;
  }

  /**
   * Whether every leg up to `margin` milliseconds before and after the period was read. Legs after the present time are not
   * required.
   */
  readsAround(margin: number): boolean {
    const [from, to] = [this.#from - margin, this.#to + margin];
    return this.covers(from, from) && (to >= this.now || this.covers(to, to));
  }

  /** Whether the period has ended. False for a period without an end. */
  get hasEnded(): boolean {
    return this.period.to !== undefined && this.period.to < this.now;
  }
}

function isoOf(time: number): string {
  const date = new Date(time);
  return Number.isNaN(date.getTime()) ? '' : date.toISOString();
}

/** Says that only other wallets and assets have legs. */
export function noChosenLegs(where = 'in the period'): string {
  return `The selected wallets and assets have no legs ${where}.`;
}
