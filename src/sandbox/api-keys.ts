// Enterprise API keys (spec: API keys): permissions, and an optional expiry.

export interface ApiKey {
  readonly key: string;
  /** The one name that the spec shows is write:transactions; none is needed to read. */
  readonly permissions?: readonly string[];
  /** Unix milliseconds. */
  readonly expiresAt?: number;
}

export interface Keyring {
  /** The key, unless it is unknown or expired. */
  find(key: unknown): ApiKey | undefined;
}

export const WRITE_TRANSACTIONS = 'write:transactions';

export function createKeyring(keys: readonly ApiKey[], clock: () => number): Keyring {
  const known = new Map<unknown, ApiKey>(keys.map((entry) => [entry.key, entry]));
  return {
    find(key) {
      const found = known.get(key);
      return found?.expiresAt !== undefined && found.expiresAt <= clock() ? undefined : found;
    },
  };
}
