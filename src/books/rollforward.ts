import { accountingFields } from '../api/ledgers.ts';
import { type Exact, exact } from '../core/decimal.ts';
import type { JsonRecord } from '../core/json.ts';
import { isWithin, type OpenSpan } from '../core/span.ts';
import { currencyOf, figureOf, moneyOf, ZERO } from './figure.ts';
import { inBalanceOrder, type OrderedLeg } from './order.ts';
import { byPair, type Pair, pairOf } from './pair.ts';

const FIGURES = ['value', ...accountingFields] as const;
type Figure = (typeof FIGURES)[number];

/**
 * The movements of one wallet and asset over a period: opening + in − out − fees = closing. Quantities are exact decimal
 * strings. Null means unknown.
 */
export interface RollForwardLine extends Pair {
  readonly legs: number;
  readonly opening: string | null;
  readonly in: string | null;
  readonly out: string | null;
  readonly fees: string | null;
  /** The running balance after the last leg of the period. */
  readonly closing: string | null;
  /** `closing` − (`opening` + `in` − `out` − `fees`); null if any of these fields is unknown. */
  readonly difference: string | null;
  /** Whether `difference` is 0; null if `difference` is unknown. */
  readonly tiesOut: boolean | null;
  readonly baseCurrency: string | null;
  /**
   * For each field, the sum of the known values and the number of legs without a value. The sum is null if the line has legs
   * but no known value, or has values in several currencies.
   */
  readonly figures: Readonly<Record<Figure, { readonly sum: string | null; readonly unknown: number }>>;
}

/**
 * Computes the roll-forward of each wallet and asset over a period. Pairs that have no leg in or before the period are omitted.
 * If all legs of a pair precede the period, the closing balance equals the opening balance. Memory use grows with the number of
 * pairs.
 *
 * @param legs all legs up to the end of the period, ordered by time
 */
export async function rollForward(
  legs: AsyncIterable<JsonRecord> | Iterable<JsonRecord>,
  period: OpenSpan,
): Promise<RollForwardLine[]> {
  const balances = new RollForward(period);
  for await (const ordered of inBalanceOrder(legs)) balances.add(ordered);
  return balances.lines();
}

/** Computes the roll-forward of legs that the caller adds one at a time, in the order of `inBalanceOrder`. */
export class RollForward {
  readonly #period: OpenSpan;
  readonly #lines = new Map<string, Line>();

  constructor(period: OpenSpan) {
    this.#period = period;
  }

  add({ leg, pair }: OrderedLeg): void {
    let line = this.#lines.get(pair);
    if (!line) {
      line = new Line(pairOf(leg));
      this.#lines.set(pair, line);
    }
    line.add(leg, this.#period);
  }

  lines(): RollForwardLine[] {
    return [...this.#lines.values()].map((line) => line.result()).sort(byPair);
  }
}

/**
 * Combines the lines of all wallets into one line per asset and currency. A total quantity is unknown if the quantity is
 * unknown in any line.
 */
export function rollForwardByAsset(lines: readonly RollForwardLine[]): RollForwardLine[] {
  return linesByAsset(lines).map(addLines);
}

/** Groups lines by asset and currency, because a sum never mixes values in different currencies. */
export function linesByAsset(lines: readonly RollForwardLine[]): RollForwardLine[][] {
  const assets = new Map<string, RollForwardLine[]>();
  const assetOf = ({ assetId, symbol }: RollForwardLine) => JSON.stringify(assetId ?? [symbol]);
  const currencies = new Map<string, string | null>();
  for (const line of lines) {
    if (line.legs > 0 && !currencies.has(assetOf(line))) currencies.set(assetOf(line), line.baseCurrency);
  }
  for (const line of lines) {
    const asset = assetOf(line);
    // A line without legs in the period has no currency. Use the currency of another line of the same asset.
    const key = JSON.stringify([asset, line.legs > 0 ? line.baseCurrency : (currencies.get(asset) ?? null)]);
    assets.set(key, [...(assets.get(key) ?? []), line]);
  }
  return [...assets.values()];
}

/** Combines lines of the same asset and currency into one line. */
export function addLines(lines: readonly RollForwardLine[]): RollForwardLine {
  const [first] = lines;
  if (!first) throw new TypeError('addLines requires at least one line');
  const add = (field: 'opening' | 'in' | 'out' | 'fees' | 'closing') => {
    const parts = lines.map((line) => exact(line[field]));
    return parts.reduce((sum, part) => (sum && part ? sum.plus(part) : null), ZERO);
  };
  const [opening, into, out, fees, closing] = [
    add('opening'),
    add('in'),
    add('out'),
    add('fees'),
    add('closing'),
  ];
  return {
    ...first,
    walletId: '',
    baseCurrency: lines.find(({ legs }) => legs > 0)?.baseCurrency ?? null,
    legs: lines.reduce((sum, { legs }) => sum + legs, 0),
    ...shown(opening, into, out, fees, closing),
    figures: figuresOf((figure) => {
      const known = lines.flatMap((line) => exact(line.figures[figure].sum) ?? []);
      const unknown = lines.reduce((sum, line) => sum + line.figures[figure].unknown, 0);
      const sum = known.reduce((all, part) => all.plus(part), ZERO);
      return { sum: known.length === 0 && unknown > 0 ? null : sum.toFixed(), unknown };
    }),
  };
}

class Line {
  readonly #pair: Pair;
  #legs = 0;
  /** Whether a leg has been added. Legs before the period count too. */
  #seen = false;
  /** Balance at the start of the period; undefined until the first leg of the period is added. */
  #opening: Exact | null | undefined;
  #balance: Exact | null = ZERO;
  readonly #moved: Record<'in' | 'out' | 'fees', Exact | null> = { in: ZERO, out: ZERO, fees: ZERO };
  readonly #figures = figuresOf(() => ({ sum: ZERO, unknown: 0 }));
  readonly #currencies = new Set<string>();

  constructor(pair: Pair) {
    this.#pair = pair;
  }

  add(leg: JsonRecord, period: OpenSpan): void {
    const time = leg['timestamp'];
    // The position of a leg without a timestamp is unknown, so the closing balance is unknown too.
    if (typeof time !== 'number') this.#balance = null;
    else if (isWithin(time, period)) this.#addInPeriod(leg);
    if (typeof time === 'number') this.#balance = figureOf(leg['afterBalance']);
    this.#seen = true;
  }

  #addInPeriod(leg: JsonRecord): void {
    // If no leg precedes the period, the opening balance is the `beforeBalance` of the first leg.
    if (this.#opening === undefined)
      this.#opening = !this.#seen ? figureOf(leg['beforeBalance']) : this.#balance;
    this.#legs += 1;
    const side = leg['type'] === 'incoming' ? 'in' : leg['type'] === 'fee' ? 'fees' : 'out';
    const [sum, quantity] = [this.#moved[side], figureOf(leg['quantity'])];
    this.#moved[side] = sum && quantity ? sum.plus(quantity) : null;
    for (const figure of FIGURES) {
      const amount = moneyOf(leg, figure);
      if (amount) this.#figures[figure].sum = this.#figures[figure].sum.plus(amount);
      else this.#figures[figure].unknown += 1;
    }
    const currency = currencyOf(leg);
    if (currency !== null) this.#currencies.add(currency);
  }

  result(): RollForwardLine {
    const opening = this.#opening === undefined ? this.#balance : this.#opening;
    const [currency, ...others] = this.#currencies;
    return {
      ...this.#pair,
      legs: this.#legs,
      ...shown(opening, this.#moved.in, this.#moved.out, this.#moved.fees, this.#balance),
      baseCurrency: others.length === 0 ? (currency ?? null) : null,
      figures: figuresOf((figure) => {
        const { sum, unknown } = this.#figures[figure];
        // A sum never mixes values in different currencies.
        if (others.length > 0) return { sum: null, unknown: this.#legs };
        return { sum: unknown > 0 && unknown === this.#legs ? null : sum.toFixed(), unknown };
      }),
    };
  }
}

function shown(
  opening: Exact | null,
  into: Exact | null,
  out: Exact | null,
  fees: Exact | null,
  closing: Exact | null,
) {
  const isKnown = opening && into && out && fees && closing;
  const difference = isKnown ? closing.minus(opening.plus(into).minus(out).minus(fees)) : null;
  return {
    opening: text(opening),
    in: text(into),
    out: text(out),
    fees: text(fees),
    closing: text(closing),
    difference: text(difference),
    tiesOut: difference === null ? null : difference.isZero(),
  };
}

function text(amount: Exact | null): string | null {
  return amount?.toFixed() ?? null;
}

function figuresOf<T>(make: (figure: Figure) => T): Record<Figure, T> {
  return Object.fromEntries(FIGURES.map((figure) => [figure, make(figure)])) as Record<Figure, T>;
}
