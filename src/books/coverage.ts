import type { Exact } from '../core/decimal.ts';
import { count, plural } from '../core/text.ts';
import { Amount } from './amount.ts';
import { MONEY } from './leg.ts';

/** Fields of a leg that are summed. */
export const FIGURES = ['quantity', ...MONEY] as const;
export type Figure = (typeof FIGURES)[number];

/** Fields that have another name in messages. */
const NAMES: Readonly<Partial<Record<Figure, string>>> = { costbasis: 'cost basis' };

/** A noun in the singular and in the plural. */
type Noun = readonly [one: string, many: string];

/** An amount that also records the dates of the legs with and without a known value. */
export class Coverage extends Amount {
  #with = new Times();
  #without = new Times();

  /** @param time Unix milliseconds; undefined if the time is unknown */
  override add(value: Exact | null, time?: number): void {
    super.add(value);
    (value === null ? this.#without : this.#with).add(time);
  }

  override merge(other: Coverage): void {
    super.merge(other);
    this.#with.merge(other.#with);
    this.#without.merge(other.#without);
  }

  override forget(): void {
    super.forget();
    this.#without.merge(this.#with);
    this.#with = new Times();
  }

  /**
   * Returns text such as `known for 236 of 327 legs, none after 2025-09-30`. Returns undefined if the value of every leg is
   * known.
   *
   * @param dateOf formats a time as an ISO 8601 date, with or without the time of day
   * @param noun the noun for the counted items, in the singular and in the plural
   */
  gap(dateOf: (timestamp: number) => string, [one, many]: Noun = ['leg', 'legs']): string | undefined {
    const [known, unknown] = [this.#with, this.#without];
    if (this.unknown === 0) return undefined;
    const legs = this.known + this.unknown;
    const share = `known for ${count(this.known)} of ${plural(legs, one, many)}`;
    if (this.known === 0 || known.untimed || unknown.untimed) return share;
    const day = (time: number) => dateOf(time).replace(/T.*/, '');
    const [from, to] = [day(known.first), day(known.last)];
    const before = unknown.first < known.first && day(unknown.first) !== from ? [`none before ${from}`] : [];
    const after = unknown.last > known.last && day(unknown.last) !== to ? [`none after ${to}`] : [];
    return [share, [...before, ...after].join(' and ')].filter((text) => text !== '').join(', ');
  }
}

class Times {
  first = Number.POSITIVE_INFINITY;
  last = Number.NEGATIVE_INFINITY;
  /** Whether any time is unknown. */
  untimed = false;

  add(time: number | undefined): void {
    if (time === undefined) this.untimed = true;
    else this.merge({ first: time, last: time, untimed: false });
  }

  merge({ first, last, untimed }: Pick<Times, 'first' | 'last' | 'untimed'>): void {
    this.first = Math.min(this.first, first);
    this.last = Math.max(this.last, last);
    this.untimed ||= untimed;
  }
}

export type Coverages = Readonly<Record<Figure, Coverage>>;

export function coverages(): Coverages {
  return {
    ...{ quantity: new Coverage(), value: new Coverage() },
    ...{ costbasis: new Coverage(), proceeds: new Coverage(), profit: new Coverage() },
  };
}

/** Returns text such as `cost basis and profit are known for 236 of 327 legs`. Figures with the same gap share one text. */
export function gapsIn(covered: Coverages, dateOf: (timestamp: number) => string): string[] {
  const figures = new Map<string, string[]>();
  for (const figure of FIGURES) {
    const gap = covered[figure].gap(dateOf);
    if (gap !== undefined) figures.set(gap, [...(figures.get(gap) ?? []), NAMES[figure] ?? figure]);
  }
  return [...figures].map(([gap, names]) => {
    const last = names.at(-1);
    const list = names.length === 1 ? last : `${names.slice(0, -1).join(', ')} and ${last}`;
    return `${list} ${names.length === 1 ? 'is' : 'are'} ${gap}`;
  });
}
