import { plural, showText } from '../core/text.ts';
import type { Leg } from './leg.ts';

/** Maximum number of types in the text. */
const MOST_TYPES = 5;

/** Counts the legs whose type has no direction, by type. */
export class UndirectedLegs {
  readonly #types = new Map<string, number>();

  add({ sign, type }: Leg): void {
    if (sign === null) this.#types.set(type, (this.#types.get(type) ?? 0) + 1);
  }

  merge(other: UndirectedLegs): void {
    for (const [type, legs] of other.#types) this.#types.set(type, (this.#types.get(type) ?? 0) + legs);
  }

  get legs(): number {
    return [...this.#types.values()].reduce((sum, number) => sum + number, 0);
  }

  /** Returns text such as `2 legs are neither incoming nor outgoing nor a fee (reward)`; undefined if there are none. */
  text(): string | undefined {
    if (this.#types.size === 0) return undefined;
    const types = [...this.#types.keys()].sort().map((type) => showText(type || 'no type'));
    const shown = [...types.slice(0, MOST_TYPES), ...(types.length > MOST_TYPES ? ['…'] : [])].join(', ');
    return `${plural(this.legs, 'leg is', 'legs are')} neither incoming nor outgoing nor a fee (${shown})`;
  }
}
