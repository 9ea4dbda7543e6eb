import { idHash } from '../../core/id-hash.ts';

export interface FittedName {
  readonly text: string;
  /**
   * False if characters were lost or replaced, so that the name needs a hash. A changed separator, case or prefix does not
   * count as a replaced character.
   */
  readonly isFaithful: boolean;
}

/**
 * Converts names from the service to unique names that are valid in a format. If characters were lost, the name ends with a
 * hash of the original name. If another key already has the resulting name, a hash of the key is appended instead. Different
 * keys therefore never have the same name.
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
   * @param key unique key of the account, commodity or currency
   * @param wanted the original name
   * @returns the name to use, whether the key is new, and whether another key already uses the original name
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

/** Shortens a text, but does not cut a character in half. */
export function shorten(text: string, length: number): string {
  return text.length <= length ? text : [...text].slice(0, length).join('');
}

/** Shortens a long id, and adds its hash. A program that cuts ids could otherwise join two entries. */
export function shortId(id: string, length: number): string {
  return id.length <= length ? id : `${shorten(id, length - '-12345678'.length)}-${hashOf(id)}`;
}

/** A hash of eight letters and digits. */
function hashOf(text: string): string {
  return idHash(text).toString(36).toUpperCase().padStart(8, '0').slice(-8);
}
