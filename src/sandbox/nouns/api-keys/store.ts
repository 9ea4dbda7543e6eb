// Enterprise API keys, as in the section "API keys" of the specification. A key can have a name, permissions, an IP restriction
// and an expiry. The specification does not define how keys are created. The sandbox takes keys from the option `apiKeys`,
// and POST /_sandbox/api-keys creates a key.

import type { FastifyInstance } from 'fastify';
import { oauthError } from '../../http/errors.ts';
import { listOf, number, object, type Saved, text } from '../../core/readers.ts';

export interface ApiKey {
  readonly key: string;
  readonly name?: string;
  /** The only permission in the specification is write:transactions. Reads need no permission. */
  readonly permissions?: readonly string[];
  /** IP addresses that may use the key (default: all). */
  readonly ips?: readonly string[];
  /** Unix milliseconds. */
  readonly expiresAt?: number;
  /** Ids of the workspaces that the key can access (default: only the id of the default workspace). */
  readonly workspaceIds?: readonly string[];
}

export type KnownKey = ApiKey & { readonly workspaceIds: readonly string[] };

export interface Keyring {
  /** Returns undefined for an unknown or expired key. */
  find(key: unknown): KnownKey | undefined;
  add(key: ApiKey): void;
  list(): readonly KnownKey[];
  reset(): void;
  /** Returns the keys that were added since the start. */
  save(): SavedKeys;
  restore(saved: SavedKeys): void;
}

export const readSavedKeys = listOf(
  object(
    { key: text, workspaceIds: listOf(text) },
    { name: text, permissions: listOf(text), ips: listOf(text), expiresAt: number },
  ),
);
export type SavedKeys = Saved<typeof readSavedKeys>;

export const WRITE_TRANSACTIONS = 'write:transactions';

export function createKeyring(
  keys: readonly ApiKey[],
  { clock, workspaceId }: { readonly clock: () => number; readonly workspaceId: string },
): Keyring {
  const known = new Map<unknown, KnownKey>();
  const add = (key: ApiKey) => known.set(key.key, { workspaceIds: [workspaceId], ...key });
  const reset = () => {
    known.clear();
    for (const key of keys) add(key);
  };
  reset();
  return {
    find(key) {
      const found = known.get(key);
      return found?.expiresAt !== undefined && found.expiresAt <= clock() ? undefined : found;
    },
    add,
    list: () => [...known.values()],
    reset,
    save: () =>
      [...known.values()]
        .filter(({ key }) => !keys.some((given) => given.key === key))
        .flatMap((key) => readSavedKeys([key], 'keys')),
    restore(saved) {
      reset();
      for (const key of saved) add(key);
    },
  };
}

/** Node may report an IPv4 address with the IPv6 prefix `::ffff:`. */
export function mayCallFrom({ ips }: ApiKey, ip: string): boolean {
  return ips === undefined || ips.includes(ip.replace(/^::ffff:/, ''));
}

/** Only the response to POST contains the key itself; the list from GET omits it. */
export function routeKeyControl(
  app: FastifyInstance,
  prefix: string,
  { keys, secret }: { readonly keys: Keyring; readonly secret: () => string },
): void {
  app.get(`${prefix}api-keys`, (_request, reply) =>
    reply.send(keys.list().map(({ key: _, ...rest }) => rest)),
  );
  app.post(`${prefix}api-keys`, (request, reply) => {
    const read = readKey(request.body);
    if (typeof read === 'string') return oauthError(reply, 400, 'bad_request', read);
    const key: ApiKey = { key: `key_${secret()}`, ...read };
    keys.add(key);
    return reply.code(201).send(keys.find(key.key) ?? key);
  });
}

function readKey(body: unknown): Omit<ApiKey, 'key'> | string {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return 'The body must be an object';
  const given: Readonly<Record<string, unknown>> = { ...body };
  const { name, expiresAt } = given;
  const other = Object.keys(given).find(
    (field) => !['name', 'permissions', 'ips', 'expiresAt', 'workspaceIds'].includes(field),
  );
  if (other !== undefined) return `Unknown field ${other}`;
  if (name !== undefined && typeof name !== 'string') return '"name" must be a string';
  if (expiresAt !== undefined && typeof expiresAt !== 'number')
    return '"expiresAt" must be a number of Unix milliseconds';
  const lists = ['permissions', 'ips', 'workspaceIds'] as const;
  const wrong = lists.find((field) => given[field] !== undefined && texts(given[field]) === undefined);
  if (wrong !== undefined) return `"${wrong}" must be a list of strings`;
  return {
    ...(name === undefined ? {} : { name }),
    ...(expiresAt === undefined ? {} : { expiresAt }),
    ...Object.fromEntries(
      lists.flatMap((field) => {
        const list = texts(given[field]);
        return list === undefined ? [] : [[field, list]];
      }),
    ),
  };
}

function texts(value: unknown): string[] | undefined {
  return Array.isArray(value) && value.every((item) => typeof item === 'string') ? value : undefined;
}
