import { idHash } from '../../core/id-hash.ts';

/** A name that fits a format. */
export interface FittedName {
  readonly text: string;
  /** True if `text` differs from the original name at most in spaces, case or a prefix, so that no hash is needed. */
  readonly isFaithful: boolean;
}

/**
 * Unique names for one format. Text from the service can contain anything, so it is changed to fit the format. A name that lost
 * characters or is already in use ends with a hash of the original name, so that two different things never get the same name.
 */
export class Names {
  readonly #fit: (text: string) => FittedName;
  readonly #join: (text: string, hash: string) => string;
  readonly #names = new Map<string, string>();
  readonly #taken = new Set<string>();

  constructor(fit: (text: string) => FittedName, join = (text: string, hash: string) => `${text}-${hash}`) {
    this.#fit = fit;
    this.#join = join;
  }

  /**
   * @param key identifies the account or commodity
   * @param wanted the original name
   * @returns the name to use, and whether `wanted` was already in use
   */
  of(
    key: string,
    wanted: string,
  ): { readonly name: string; readonly isNew: boolean; readonly wasTaken: boolean } {
    const known = this.#names.get(key);
    if (known !== undefined) return { name: known, isNew: false, wasTaken: false };
    const { text, isFaithful } = this.#fit(wanted);
    let name = isFaithful ? text : this.#join(text, hashOf(wanted));
    const wasTaken = this.#taken.has(name);
    for (let attempt = 0; this.#taken.has(name); attempt++) {
      name = this.#join(text, hashOf(attempt === 0 ? key : `${key} ${attempt}`));
    }
    this.#taken.add(name);
    this.#names.set(key, name);
    return { name, isNew: true, wasTaken };
  }
}

/** A hash of eight letters and digits. */
export function hashOf(text: string): string {
  return idHash(text).toString(36).toUpperCase().padStart(8, '0').slice(-8);
}
