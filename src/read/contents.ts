import { idHash } from '../core/id-hash.ts';
import { contentOf, identityOf } from '../core/identity.ts';
import type { JsonRecord } from '../core/json.ts';
import { showText } from '../core/text.ts';

/** Maximum number of fields to name. */
const NAMED = 5;

/**
 * A fingerprint of the contents of a list, regardless of the order of its rows. There is one hash for the ids and one for each
 * field, so that a difference can be explained without the rows. Each row must be added once.
 */
export class Contents {
  #ids = 0n;
  readonly #fields = new Map<string, bigint>();

  add(row: JsonRecord): void {
    const id = identityOf(row);
    this.#ids ^= BigInt(idHash(id));
    for (const [name, value] of Object.entries(row)) {
      const hash = BigInt(idHash(JSON.stringify([id, name, contentOf(value)])));
      this.#fields.set(name, (this.#fields.get(name) ?? 0n) ^ hash);
    }
  }

  /** Returns a predicate such as `returned other values of fee`; undefined if the contents are equal. */
  differenceFrom(other: Contents): string | undefined {
    if (this.#ids !== other.#ids) return 'returned other rows';
    const names = new Set([...this.#fields.keys(), ...other.#fields.keys()]);
    const changed = [...names].filter((name) => this.#fields.get(name) !== other.#fields.get(name));
    if (changed.length === 0) return undefined;
    const named = changed.slice(0, NAMED).map((name) => showText(name));
    const more = changed.length > NAMED ? [`${changed.length - NAMED} more fields`] : [];
    return `returned other values of ${[...named, ...more].join(', ')}`;
  }
}
