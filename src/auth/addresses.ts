import type { SettingKey } from '../config/definitions.ts';
import type { Origin, Settings } from '../config/settings.ts';
import type { Api } from '../core/credentials.ts';
import { type CryptodataError, usageError } from '../core/errors.ts';
import { isRecord } from '../core/json.ts';
import { profileOption } from './login-command.ts';

// A stored credential is sent only to the origins for which it was issued. See "Another address" in SECURITY.md.

/** The setting that contains the address of each API. */
export const ADDRESS_OF = {
  current: 'base_url',
  legacy: 'legacy_base_url',
  legacyPublic: 'legacy_public_url',
} as const satisfies Readonly<Record<Api, SettingKey>>;

/** The settings that name servers to which credentials are sent. */
export const BOUND = ['auth_url', 'base_url', 'legacy_base_url'] as const;
export type BoundKey = (typeof BOUND)[number];

/** The addresses of the data APIs. An API key is never sent to the authorization server. */
export const DATA_ADDRESSES: readonly BoundKey[] = ['base_url', 'legacy_base_url'];

/** The addresses for which a credential was issued. If a setting had no address at the login, its address is missing. */
export type Addresses = Readonly<Partial<Record<BoundKey, string>>>;

export interface Destination {
  readonly key: BoundKey;
  readonly origin: string;
}

export function destination(key: BoundKey, address: string): Destination {
  return { key, origin: new URL(address).origin };
}

export function isBound(key: string): key is BoundKey {
  return BOUND.some((bound) => bound === key);
}

/** Collects addresses. `read` returns the address for a key. */
export function collectAddresses(
  read: (key: BoundKey) => unknown,
  keys: readonly BoundKey[] = BOUND,
): Addresses {
  return Object.fromEntries(
    keys.flatMap((key) => {
      const address = read(key);
      return typeof address === 'string' && URL.canParse(address) ? [[key, address]] : [];
    }),
  );
}

export function parseAddresses(value: unknown): Addresses | undefined {
  return isRecord(value) ? collectAddresses((key) => value[key]) : undefined;
}

/** A stored credential, for error messages. */
export type Holder = 'session' | 'API key';

/**
 * Checks that a stored credential may be sent to `to`. The other configured addresses must also match. Otherwise, a command
 * could stop halfway, for example at a token refresh.
 *
 * @param bound the addresses for which the credential was issued
 * @throws usage error `LOGIN_OF_ANOTHER_ADDRESS`
 */
export function checkDestination(
  settings: Settings,
  holder: Holder,
  bound: Addresses,
  to: Destination,
): void {
  for (const key of BOUND) {
    if (bound[key] === undefined && key !== to.key) continue;
    const address = key === to.key ? to.origin : settings.get(key);
    const error = address && mismatchOf(settings, holder, bound[key], destination(key, address));
    if (error) throw error;
  }
}

/**
 * Returns an error if a stored credential must not be sent to a server, otherwise undefined.
 *
 * @param own the address for which the credential was issued
 */
export function mismatchOf(
  settings: Settings,
  holder: Holder,
  own: string | undefined,
  { key, origin }: Destination,
): CryptodataError | undefined {
  if (own !== undefined && new URL(own).origin === origin) return undefined;
  const { profile } = settings;
  const option = profileOption(settings);
  const { value: address = origin, origin: source } = settings.resolve(key) ?? {};
  const from = source && 'name' in source && source.from !== 'profile' ? source.name : 'config.toml';
  const set = `cryptodata config set ${key}`;
  const another = `To use ${origin}, log in with a profile for it: cryptodata login -p NAME.`;
  const [message, hint] =
    own === undefined
      ? [
          `${key} is ${origin} (${from}), but was not set when the ${holder} of profile ${profile} was stored`,
          `To allow this address, run: ${set} ${address}${option}. ${another}`,
        ]
      : [
          `The ${holder} of profile ${profile} belongs to ${new URL(own).origin}, but ${key} is ${origin} (${from})`,
          `${undo(source, `${set} ${own}${option}`, holder)} ${another} If the service has moved, run: ${set} ${address} --keep-session${option}`,
        ];
  return usageError(message, hint, 'LOGIN_OF_ANOTHER_ADDRESS');
}

function undo(source: Origin | undefined, restore: string, holder: Holder): string {
  if (source?.from === 'environment') return `To use the ${holder}, run: unset ${source.name}.`;
  if (source?.from === 'flag') return `To use the ${holder}, omit ${source.name}.`;
  return `To use the ${holder}, restore the address: ${restore}.`;
}
