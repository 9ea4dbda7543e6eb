import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { usageError } from '../core/errors.ts';
import { removeUnfinished, writePrivateFile } from '../core/file.ts';
import { isRecord, tryJson } from '../core/json.ts';
import { removeDeadWaiters, withLock } from '../core/lock.ts';
import { type Addresses, parseAddresses } from './addresses.ts';
import type { AuthHost } from './host.ts';
import { loginCommand } from './login-command.ts';
import {
  apiKeyMarker,
  hasApiKey,
  lockPath,
  readSession,
  refreshLogFile,
  type StoredSession,
  sessionFile,
  userInfoFile,
} from './session-file.ts';

/**
 * Keychain entries of a profile. The key in `cache-key` encrypts the session file. `probe` is a test entry, which stays in the
 * keychain only if a process was killed during a test.
 */
const SECRET_KINDS = ['refresh-token', 'client-secret', 'api-key', 'cache-key', 'probe'] as const;
export type SecretKind = (typeof SECRET_KINDS)[number];

function account(host: AuthHost, kind: SecretKind): string {
  return `${host.settings.profile}:${kind}`;
}

/** Runs `work` while this process holds the lock of the profile. */
export function underLock<T>(host: AuthHost, work: () => Promise<T>): Promise<T> {
  return withLock(lockPath(host.directory, host.settings.profile), host, work);
}

/** Reads a secret from the keychain, and passes it to the redactor. No other code reads secrets from the keychain. */
export async function readSecret(host: AuthHost, kind: SecretKind): Promise<string | null> {
  const secret = await host.keychain.get(account(host, kind));
  host.redactor?.conceal(secret);
  return secret;
}

/** Passes a secret to the redactor, and stores it in the keychain. No other code stores secrets in the keychain. */
export function storeSecret(host: AuthHost, kind: SecretKind, secret: string): Promise<void> {
  host.redactor?.conceal(secret);
  return host.keychain.set(account(host, kind), secret);
}

export function deleteSecret(host: AuthHost, kind: SecretKind): Promise<void> {
  return host.keychain.delete(account(host, kind));
}

/**
 * Returns the client secret from the environment. If the environment contains no secret, returns the stored secret, or null.
 * Only the session records the client of the stored secret. This secret is ignored if the session cannot be read, or belongs to
 * another server or client.
 */
export async function readClientSecret(host: AuthHost): Promise<string | null> {
  const given = host.env['CRYPTODATA_CLIENT_SECRET'];
  if (given) return given;
  const secret = await readSecret(host, 'client-secret');
  if (secret === null) return null;
  const stored = await readStoredSession(host);
  return stored && isOfThisClient(host, stored.session) ? secret : null;
}

/** Whether a session belongs to the server and the client in the settings. A missing setting matches every session. */
export function isOfThisClient(
  { settings }: AuthHost,
  { addresses: { auth_url }, clientId }: StoredSession,
): boolean {
  return (
    (settings.get('auth_url') ?? auth_url) === auth_url &&
    (settings.get('client_id') ?? clientId) === clientId
  );
}

/** Does not call the keychain if CRYPTODATA_ACCESS_TOKEN is set. @throws usage error `MISSING_CLIENT_SECRET` */
export async function requireClientSecret(host: AuthHost): Promise<string> {
  const { env, settings } = host;
  if (env['CRYPTODATA_ACCESS_TOKEN'] && !env['CRYPTODATA_CLIENT_SECRET']) {
    throw usageError(
      'CRYPTODATA_CLIENT_SECRET is also required when CRYPTODATA_ACCESS_TOKEN is set',
      'Set CRYPTODATA_CLIENT_SECRET to the secret of your client.',
      'MISSING_CLIENT_SECRET',
    );
  }
  const secret = await readClientSecret(host);
  if (secret !== null) return secret;
  const client = settings.get('client_id') ?? 'the client';
  const at = settings.get('auth_url');
  throw usageError(
    `Profile ${settings.profile} has no client secret for ${client}${at === undefined ? '' : ` at ${at}`}`,
    `Log in on a terminal and type the secret: ${loginCommand(host)}. Or set CRYPTODATA_CLIENT_SECRET.`,
    'MISSING_CLIENT_SECRET',
  );
}

/**
 * Tests that the keychain can write, read and delete an entry. The test entry always has the same name, so a test also deletes
 * the entry that a killed test left. The caller must hold the profile's lock, because concurrent tests would collide.
 */
export function probeKeychain(host: AuthHost): Promise<void> {
  return host.keychain.probe(account(host, 'probe'));
}

/** An API key, with the addresses for which it was stored. */
export interface StoredKey {
  readonly apiKey: string;
  readonly addresses: Addresses;
}

/**
 * Returns the API key. Returns null if there is none, or if the entry cannot be read, for example because it has no addresses.
 * Calls the keychain only if a key was stored.
 */
export async function readApiKey(host: AuthHost): Promise<StoredKey | null> {
  if (!hasApiKey(host.directory, host.settings.profile)) return null;
  const stored = parseStoredKey((await readSecret(host, 'api-key')) ?? '');
  host.redactor?.conceal(stored?.apiKey);
  return stored;
}

function parseStoredKey(text: string): StoredKey | null {
  const stored = tryJson(text);
  if (!isRecord(stored)) return null;
  const { apiKey } = stored;
  const addresses = parseAddresses(stored['addresses']);
  return typeof apiKey === 'string' && addresses ? { apiKey, addresses } : null;
}

/**
 * Stores an enterprise API key in the keychain. One entry contains the key and its addresses, so that a killed process never
 * leaves a key with the addresses of another key. The caller must hold the profile's lock.
 */
export async function storeApiKey(host: AuthHost, { apiKey, addresses }: StoredKey): Promise<void> {
  await probeKeychain(host);
  await writePrivateFile(apiKeyMarker(host.directory, host.settings.profile), '');
  await storeSecret(host, 'api-key', JSON.stringify({ apiKey, addresses }));
}

/** Undoes {@link storeApiKey}. The caller must hold the profile's lock. */
export async function deleteApiKey(host: AuthHost): Promise<void> {
  await deleteSecret(host, 'api-key');
  await rm(apiKeyMarker(host.directory, host.settings.profile), { force: true });
}

/**
 * Returns the key that encrypts the profile's session file. If there is no key, creates one. The caller must hold the profile's
 * lock.
 */
export async function cacheKey(host: AuthHost): Promise<Buffer> {
  const kept = parseKey(await readSecret(host, 'cache-key'));
  if (kept) return kept;
  const key = crypto.getRandomValues(Buffer.alloc(32));
  await storeSecret(host, 'cache-key', key.toString('base64url'));
  return key;
}

export async function readCacheKey(host: AuthHost): Promise<Buffer | null> {
  return parseKey(await readSecret(host, 'cache-key'));
}

/** Returns the session and the key of its file. Returns null if there is no session, or if its file cannot be decrypted. */
export async function readStoredSession(
  host: AuthHost,
): Promise<{ readonly session: StoredSession; readonly key: Buffer } | null> {
  const key = await readCacheKey(host);
  const session = key && (await readSession(host.directory, host.settings.profile, key));
  return session && { session, key };
}

function parseKey(text: string | null): Buffer | null {
  const key = Buffer.from(text ?? '', 'base64url');
  return key.length === 32 ? key : null;
}

/**
 * Deletes the secrets and files of the profile. Deletes the secrets first, then the files, and the key of the session file
 * last. An interrupted deletion can therefore be repeated. If a secret cannot be deleted, the other secrets are deleted, but the
 * files are kept for the same reason. If a file cannot be deleted, everything else is deleted. The caller must hold the
 * profile's lock. Otherwise, a refresh in another process could store a new token after the deletion.
 *
 * @throws usage error `SESSION_OF_ANOTHER_KEYCHAIN`, before anything is deleted; keychain errors at any time
 */
export async function deleteProfile(host: AuthHost): Promise<void> {
  const { directory, settings } = host;
  await refuseForeignSession(host);
  const secrets = SECRET_KINDS.filter((kind) => kind !== 'cache-key');
  await doAll(secrets.map((kind) => () => deleteSecret(host, kind)));
  const files = [sessionFile, userInfoFile, refreshLogFile, apiKeyMarker];
  await doAll([
    ...files.map((file) => () => rm(file(directory, settings.profile), { force: true })),
    () => removeUnfinished(userInfoFile(directory, settings.profile)),
    () => removeLeftovers(directory, settings.profile),
    () => deleteSecret(host, 'cache-key'),
  ]);
}

/** Does every step, also after a failed step. Then throws the first error. */
async function doAll(steps: readonly (() => Promise<void>)[]): Promise<void> {
  const errors: unknown[] = [];
  for (const step of steps) await step().catch((error: unknown) => errors.push(error));
  if (errors.length > 0) throw errors[0];
}

/** Throws if the secrets of the session are in another keychain, because those secrets would not be deleted. */
async function refuseForeignSession(host: AuthHost): Promise<void> {
  const { directory, keychain, settings } = host;
  const path = sessionFile(directory, settings.profile);
  if (!existsSync(path)) return;
  if ((await readCacheKey(host)) !== null || (await readSecret(host, 'refresh-token')) !== null) return;
  throw usageError(
    `Profile ${settings.profile} has a session, but the key that decrypts the session is not in ${keychain.describe}`,
    `The key was stored in another keychain. To use that keychain, set CRYPTODATA_KEYCHAIN=os or CRYPTODATA_KEYCHAIN=file. If that keychain no longer exists, delete ${path}.`,
    'SESSION_OF_ANOTHER_KEYCHAIN',
  );
}

/** Removes the temporary files of killed processes. The caller must hold the profile's lock. */
export async function removeLeftovers(directory: string, profile: string): Promise<void> {
  await removeUnfinished(sessionFile(directory, profile));
  await removeUnfinished(refreshLogFile(directory, profile));
  await removeDeadWaiters(lockPath(directory, profile));
}
