// Enterprise API keys, as in the section "API keys" of the specification. A key can have a name, permissions, an IP restriction
// and an expiry. The specification does not define how keys are created. The sandbox takes keys from the option `apiKeys`,
// and POST /_sandbox/api-keys creates a key.

import { Collection } from '../../core/collection.ts';
import { type Saved, shape } from '../../core/readers.ts';
import { WORKSPACE } from '../../identity/members.ts';

const { text, listOf, number, object } = shape;

/** The optional members of a key. */
const OPTIONAL = {
  name: text,
  /** The only permission in the specification is write:transactions. Reads need no permission. */
  permissions: listOf(text),
  /** IP addresses that may use the key (default: all). */
  ips: listOf(text),
  /** Unix milliseconds. */
  expiresAt: number,
  /** Ids of the workspaces that the key can access (default: only the id of the default workspace). */
  workspaceIds: listOf(text),
};
export const readNewKey = object({}, OPTIONAL);
export const readKeyOption = object({ key: text }, OPTIONAL);
export type ApiKey = Saved<typeof readKeyOption>;
type OpenKey = ApiKey & { readonly workspaceIds: readonly string[] };

const { workspaceIds, ...OTHERS } = OPTIONAL;
export const readSavedKeys = listOf(object({ key: text, workspaceIds }, OTHERS));
export type SavedKeys = Saved<typeof readSavedKeys>;

export const WRITE_TRANSACTIONS = 'write:transactions';

export type Keyring = ReturnType<typeof createKeyring>;

export function createKeyring(first: readonly ApiKey[], clock: () => number) {
  const entry = (key: ApiKey) => [key.key, { workspaceIds: [WORKSPACE.id], ...key }] as const;
  const keys = new Collection<OpenKey>(first.map(entry));
  return {
    /** Returns undefined for an unknown or expired key. */
    find(key: unknown): OpenKey | undefined {
      const found = typeof key === 'string' ? keys.get(key) : undefined;
      return found?.expiresAt !== undefined && found.expiresAt <= clock() ? undefined : found;
    },
    add: (key: ApiKey) => keys.put(...entry(key)),
    list: () => keys.values(),
    reset: () => keys.reset(),
    save: (): SavedKeys => keys.added().map(([, key]) => key),
    restore: (saved: SavedKeys) => keys.restore(saved.map(entry), { addToFirst: true }),
  };
}

/** Node may report an IPv4 address with the IPv6 prefix `::ffff:`. */
export function mayCallFrom({ ips }: ApiKey, ip: string): boolean {
  return ips === undefined || ips.includes(ip.replace(/^::ffff:/, ''));
}
