import { count } from '../core/text.ts';

/** Leg fields whose values can be unknown. These names appear in messages. */
export const FIGURES = ['quantity', 'value', 'cost basis', 'proceeds', 'profit'] as const;
export type Figure = (typeof FIGURES)[number];

/** Describes how complete a sum is. Counts legs with and without a known value, and records the dates of these legs. */
export class Coverage {
  #known = new Legs();
  #unknown = new Legs();

  get unknown(): number {
    return this.#unknown.count;
  }

  /** @param timestamp Unix milliseconds, or any other value if the time is unknown */
  add(isKnown: boolean, timestamp: unknown): void {
    (isKnown ? this.#known : this.#unknown).add(timestamp);
  }

  merge(other: Coverage): void {
    this.#known.merge(other.#known);
    this.#unknown.merge(other.#unknown);
  }

  /**
   * Returns text such as `known for 236 of 327 legs, none after 2025-09-30`. Returns undefined if the value of every leg is
   * known.
   *
   * @param dateOf formats a time as an ISO 8601 date, with or without the time of day
   */
  gap(dateOf: (timestamp: number) => string): string | undefined {
    const [known, unknown] = [this.#known, this.#unknown];
    if (unknown.count === 0) return undefined;
    const legs = known.count + unknown.count;
    const share = `known for ${count(known.count)} of ${count(legs)} ${legs === 1 ? 'leg' : 'legs'}`;
    if (known.count === 0 || known.untimed || unknown.untimed) return share;
    const day = (time: number) => dateOf(time).replace(/T.*/, '');
    const [from, to] = [day(known.first), day(known.last)];
    const before = unknown.first < known.first && day(unknown.first) !== from ? [`none before ${from}`] : [];
    const after = unknown.last > known.last && day(unknown.last) !== to ? [`none after ${to}`] : [];
    return [share, [...before, ...after].join(' and ')].filter((text) => text !== '').join(', ');
  }
}

class Legs {
  count = 0;
  first = Number.POSITIVE_INFINITY;
  last = Number.NEGATIVE_INFINITY;
  /** Whether the time of any leg is unknown. */
  untimed = false;

  add(timestamp: unknown): void {
    this.count += 1;
    if (typeof timestamp !== 'number') {
      this.untimed = true;
      return;
    }
    this.first = Math.min(this.first, timestamp);
    this.last = Math.max(this.last, timestamp);
  }

  merge({ count: more, first, last, untimed }: Legs): void {
    this.count += more;
    this.first = Math.min(this.first, first);
    this.last = Math.max(this.last, last);
    this.untimed ||= untimed;
  }
}

export type Coverages = Readonly<Record<Figure, Coverage>>;

export function coverages(): Coverages {
  return {
    ...{ quantity: new Coverage(), value: new Coverage() },
    ...{ 'cost basis': new Coverage(), proceeds: new Coverage(), profit: new Coverage() },
  };
}

/** Returns text such as `cost basis and profit are known for 236 of 327 legs`. Figures with the same gap share one text. */
export function gapsIn(covered: Coverages, dateOf: (timestamp: number) => string): string[] {
  const figures = new Map<string, Figure[]>();
  for (const figure of FIGURES) {
    const gap = covered[figure].gap(dateOf);
    if (gap !== undefined) figures.set(gap, [...(figures.get(gap) ?? []), figure]);
  }
  return [...figures].map(([gap, names]) => {
    const last = names.at(-1);
    const list = names.length === 1 ? last : `${names.slice(0, -1).join(', ')} and ${last}`;
    return `${list} ${names.length === 1 ? 'is' : 'are'} ${gap}`;
  });
}
