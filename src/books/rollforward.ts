import { type Exact, ZERO } from '../core/decimal.ts';
import { isAfterSpan, isInPeriod, type OpenSpan } from '../core/span.ts';
import { Amount } from './amount.ts';
import { byAsset, byPair, isNameless, type Pair } from './asset.ts';
import { Money, type MoneyShown } from './money.ts';
import type { WalkStep } from './step.ts';
import { type Fold, type LegInput, walkTo } from './walk.ts';

/**
 * The movements of one wallet and asset over a period: opening + in − out − fees = closing. Quantities are exact decimal
 * strings. Null means unknown.
 */
export interface RollForwardLine extends Pair, MoneyShown {
  readonly legs: number;
  /** The balance before the period. If it is unknown, the balance before the first leg in the period. */
  readonly opening: string | null;
  readonly in: string | null;
  readonly out: string | null;
  readonly fees: string | null;
  /** The running balance after the last leg of the period. */
  readonly closing: string | null;
  /** `closing` − (`opening` + `in` − `out` − `fees`); null if any of these fields is unknown. */
  readonly difference: string | null;
  /**
   * Whether `difference` is 0; null if `difference` is unknown. A line for several wallets adds up only if every wallet adds
   * up.
   */
  readonly tiesOut: boolean | null;
}

/**
 * Computes the roll-forward of each wallet and asset over a period. Pairs that have no leg in or before the period are omitted.
 * If all legs of a pair precede the period, the closing balance equals the opening balance. Memory use grows with the number of
 * pairs.
 *
 * @param legs all legs up to the end of the period, ordered by time
 */
export async function rollForward(legs: LegInput, period: OpenSpan): Promise<RollForward> {
  const balances = new RollForward(period);
  await walkTo(period.to, legs, balances);
  return balances;
}

export class RollForward implements Fold {
  readonly #period: OpenSpan;
  readonly #lines = new Map<string, Line>();

  constructor(period: OpenSpan) {
    this.#period = period;
  }

  step(step: WalkStep): void {
    const { leg, pair } = step;
    if (isAfterSpan(leg.time, this.#period)) return;
    let line = this.#lines.get(pair);
    if (!line) {
      line = new Line(leg.pair);
      this.#lines.set(pair, line);
    }
    line.add(step, this.#period);
  }

  /** Returns one line for each wallet and asset. */
  lines(isChosen: (pair: Pair) => boolean = () => true): RollForwardLine[] {
    return this.#chosen(isChosen).map((line) => line.result());
  }

  /**
   * Returns one line for each asset. If a quantity is unknown in one wallet, it is unknown in the line of the asset.
   *
   * @param hasAll whether the legs contain every wallet of an asset; receives the number of wallets in which the asset has
   * legs
   */
  linesByAsset(
    isChosen: (pair: Pair) => boolean = () => true,
    hasAll: (wallets: number) => boolean = () => true,
  ): RollForwardLine[] {
    return byAsset(this.#chosen(isChosen)).map((lines) => joined(lines, hasAll(lines.length)));
  }

  /** Number of legs without a time. Such legs belong to no period, so the balances of their wallet and asset are unknown. */
  untimed(isChosen: (pair: Pair) => boolean = () => true): number {
    return this.#chosen(isChosen).reduce((sum, { untimed }) => sum + untimed, 0);
  }

  #chosen(isChosen: (pair: Pair) => boolean): Line[] {
    return [...this.#lines.values()].filter(isChosen).sort(byPair);
  }
}

const QUANTITIES = ['opening', 'in', 'out', 'fees', 'closing'] as const;
type Quantities = Readonly<Record<(typeof QUANTITIES)[number], Exact | null>>;

class Line implements Pair {
  readonly walletId: string;
  readonly assetId: string | null;
  readonly symbol: string;
  readonly money = new Money();
  readonly #moved = { incoming: new Amount(), outgoing: new Amount(), fee: new Amount() };
  legs = 0;
  untimed = 0;
  /**
   * Number of legs in the period whose type has no direction. If there are such legs, the quantities of all movements are
   * unknown.
   */
  #undirected = 0;
  /** Number of legs up to the end of the period. */
  #all = 0;
  /** Balance at the start of the period; undefined until the first leg of the period is added. */
  #opening: Exact | null | undefined;
  #closing: Exact | null | (() => Exact | null) = null;

  constructor({ walletId, assetId, symbol }: Pair) {
    this.walletId = walletId;
    this.assetId = assetId;
    this.symbol = symbol;
  }

  add(step: WalkStep, period: OpenSpan): void {
    const { leg } = step;
    if (isInPeriod(leg.time, period)) {
      if (this.#opening === undefined) this.#opening = this.#balance ?? step.before;
      this.#move(leg);
    }
    this.#all += 1;
    if (leg.time === undefined) this.untimed += 1;
    // Parse the balance only when it is used, because most legs are neither the first nor the last leg of a period.
    this.#closing = () => step.balance;
  }

  get #balance(): Exact | null {
    if (typeof this.#closing === 'function') this.#closing = this.#closing();
    return this.#closing;
  }

  #move(leg: WalkStep['leg']): void {
    this.legs += 1;
    this.money.add(leg);
    if (leg.direction === null) this.#undirected += 1;
    else this.#moved[leg.direction].add(leg.quantity);
  }

  quantities(): Quantities {
    // Several nameless legs of a wallet may belong to different assets, so they have no common balance or sum.
    const isApart = isNameless(this);
    // The place of a leg without a time is unknown, so this leg may have changed any of the balances.
    const isOpen = this.untimed > 0 || (isApart && this.#all > 1);
    const closing = isOpen ? null : this.#balance;
    const opening = isOpen ? null : this.#opening === undefined ? closing : this.#opening;
    const isUnknown = this.#undirected > 0 || (isApart && this.legs > 1);
    const moved = (amount: Amount) => (isUnknown ? null : amount.whole);
    const { incoming, outgoing, fee } = this.#moved;
    return { opening, in: moved(incoming), out: moved(outgoing), fees: moved(fee), closing };
  }

  result(): RollForwardLine {
    const { walletId, assetId, symbol, legs, money } = this;
    const quantities = this.quantities();
    const difference = differenceOf(quantities);
    return {
      ...{ walletId, assetId, symbol, legs },
      ...shown(quantities, difference, difference?.isZero() ?? null),
      ...money.shown(),
    };
  }
}

/** @param hasAll whether `lines` include every wallet that has a balance of the asset */
function joined(lines: readonly [Line, ...Line[]], hasAll: boolean): RollForwardLine {
  const [first, ...others] = lines;
  const isApart = others.length > 0 && isNameless(first);
  const money = new Money();
  for (const line of lines) money.merge(line.money);
  const parts = lines.map((line) => line.quantities());
  const sum = (name: (typeof QUANTITIES)[number]) =>
    isApart
      ? null
      : parts.reduce<Exact | null>((sum, part) => sum && part[name] && sum.plus(part[name]), ZERO);
  const quantities = {
    opening: hasAll ? sum('opening') : null,
    ...{ in: sum('in'), out: sum('out'), fees: sum('fees') },
    closing: hasAll ? sum('closing') : null,
  };
  const ties = parts.map((part) => differenceOf(part)?.isZero() ?? null);
  return {
    ...{ walletId: '', assetId: first.assetId, symbol: first.symbol },
    legs: lines.reduce((legs, line) => legs + line.legs, 0),
    ...shown(
      quantities,
      differenceOf(quantities),
      ties.includes(false) ? false : isApart || !hasAll || ties.includes(null) ? null : true,
    ),
    ...money.shown(),
  };
}

function differenceOf({ opening, in: into, out, fees, closing }: Quantities): Exact | null {
  const isKnown = opening && into && out && fees && closing;
  return isKnown ? closing.minus(opening.plus(into).minus(out).minus(fees)) : null;
}

function shown(quantities: Quantities, difference: Exact | null, tiesOut: boolean | null) {
  const text = (amount: Exact | null) => amount?.toFixed() ?? null;
  const { opening, in: into, out, fees, closing } = quantities;
  return {
    ...{ opening: text(opening), in: text(into), out: text(out), fees: text(fees), closing: text(closing) },
    ...{ difference: text(difference), tiesOut },
  };
}
