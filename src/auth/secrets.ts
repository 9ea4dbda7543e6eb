import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { usageError } from '../core/errors.ts';
import { removeUnfinished, writePrivateFile } from '../core/file.ts';
import { removeDeadWaiters } from '../core/lock.ts';
import {
  keyMarkFile,
  lockPath,
  markFile,
  readSession,
  type StoredSession,
  sessionFile,
  userInfoFile,
} from './cache.ts';
import type { AuthHost } from './host.ts';
import { loginCommand } from './login-command.ts';

/**
 * What a profile may have in the keychain; `cache-key` encrypts the file with the access token, `probe` is left
 * where a process was killed while it tried the keychain.
 */
export const SECRET_KINDS = ['refresh-token', 'client-secret', 'api-key', 'cache-key', 'probe'] as const;
export type SecretKind = (typeof SECRET_KINDS)[number];

export function account(host: AuthHost, kind: SecretKind): string {
  return `${host.settings.profile}:${kind}`;
}

export function readSecret(host: AuthHost, kind: SecretKind): Promise<string | null> {
  return host.keychain.get(account(host, kind));
}

export function storeSecret(host: AuthHost, kind: SecretKind, secret: string): Promise<void> {
  return host.keychain.set(account(host, kind), secret);
}

export function deleteSecret(host: AuthHost, kind: SecretKind): Promise<void> {
  return host.keychain.delete(account(host, kind));
}

/**
 * The client secret: from the environment, else the stored one, but never one of another server or client; null where
 * there is none. Whose the stored one is, the session beside it tells: with `known` it must.
 */
export async function readClientSecret(host: AuthHost, { known = false } = {}): Promise<string | null> {
  const given = host.env['CRYPTODATA_CLIENT_SECRET'];
  if (given) return given;
  const secret = await readSecret(host, 'client-secret');
  if (secret === null) return null;
  const key = await readCacheKey(host);
  const session = key && (await readSession(host.directory, host.settings.profile, key));
  return (session ? isOfThisClient(host, session) : !known) ? secret : null;
}

/** Whether a session is of the server and the client that the settings name, as far as they name them. */
export function isOfThisClient({ settings }: AuthHost, { authUrl, clientId }: StoredSession): boolean {
  return (
    (settings.get('auth_url') ?? authUrl) === authUrl && (settings.get('client_id') ?? clientId) === clientId
  );
}

/** With a token from the environment the keychain is not touched. @throws usage error `MISSING_CLIENT_SECRET` */
export async function requireClientSecret(
  host: AuthHost,
  options: { known?: boolean } = {},
): Promise<string> {
  const { env, settings } = host;
  if (env['CRYPTODATA_ACCESS_TOKEN'] && !env['CRYPTODATA_CLIENT_SECRET']) {
    throw usageError(
      'This wants the client secret beside the token in CRYPTODATA_ACCESS_TOKEN',
      'Set CRYPTODATA_CLIENT_SECRET.',
      'MISSING_CLIENT_SECRET',
    );
  }
  const secret = await readClientSecret(host, options);
  if (secret !== null) return secret;
  const client = settings.get('client_id') ?? 'the client';
  const at = settings.get('auth_url');
  throw usageError(
    `Profile ${settings.profile} has no client secret for ${client}${at === undefined ? '' : ` at ${at}`}`,
    `Log in on a terminal, which asks for it: ${loginCommand(host)}. Or set CRYPTODATA_CLIENT_SECRET.`,
    'MISSING_CLIENT_SECRET',
  );
}

/**
 * Shows that the keychain takes, gives back and deletes. Call under the profile's lock: the entry has one name,
 * so that what a killed process leaves of it is found again.
 */
export function probeKeychain(host: AuthHost): Promise<void> {
  return host.keychain.probe(account(host, 'probe'));
}

/** Keeps an enterprise API key for the profile, in the keychain. Call under the profile's lock. */
export async function storeApiKey(host: AuthHost, apiKey: string): Promise<void> {
  await probeKeychain(host);
  await writePrivateFile(keyMarkFile(host.directory, host.settings.profile), '');
  await storeSecret(host, 'api-key', apiKey);
}

/** Undoes {@link storeApiKey}. Call under the profile's lock. */
export async function deleteApiKey(host: AuthHost): Promise<void> {
  await deleteSecret(host, 'api-key');
  await rm(keyMarkFile(host.directory, host.settings.profile), { force: true });
}

/** The key that encrypts the profile's session file; made at its first use. Call under the profile's lock. */
export async function cacheKey(host: AuthHost): Promise<Buffer> {
  const kept = parseKey(await readSecret(host, 'cache-key'));
  if (kept) return kept;
  const key = randomBytes(32);
  await storeSecret(host, 'cache-key', key.toString('base64url'));
  return key;
}

export async function readCacheKey(host: AuthHost): Promise<Buffer | null> {
  return parseKey(await readSecret(host, 'cache-key'));
}

function parseKey(text: string | null): Buffer | null {
  const key = Buffer.from(text ?? '', 'base64url');
  return key.length === 32 ? key : null;
}

/**
 * Deletes all that is kept for the profile, in the keychain and in files. To do it again does no harm. The session
 * goes after the secrets that it belongs to, and its key last: whatever fails or is killed half-way is seen, and is
 * done again with what it needs. Call under the profile's lock: else a refresh that is under way stores a new token
 * after it.
 *
 * @throws usage error `SESSION_OF_ANOTHER_KEYCHAIN`, before anything is deleted; what the keychain throws
 */
export async function forgetProfile(host: AuthHost): Promise<void> {
  const { directory, settings } = host;
  await refuseForeignSession(host);
  for (const kind of SECRET_KINDS) if (kind !== 'cache-key') await deleteSecret(host, kind);
  for (const file of [sessionFile, userInfoFile, markFile, keyMarkFile]) {
    await rm(file(directory, settings.profile), { force: true });
  }
  await removeUnfinished(userInfoFile(directory, settings.profile));
  await removeRemains(directory, settings.profile);
  await deleteSecret(host, 'cache-key');
}

/** A session whose secrets another keychain has: what is deleted here would leave them there, and nobody would know. */
async function refuseForeignSession(host: AuthHost): Promise<void> {
  const { directory, keychain, settings } = host;
  const path = sessionFile(directory, settings.profile);
  if (!existsSync(path)) return;
  if ((await readCacheKey(host)) !== null || (await readSecret(host, 'refresh-token')) !== null) return;
  throw usageError(
    `There is a session of profile ${settings.profile}, but no key of it in ${keychain.describe}`,
    `It was kept in another keychain: choose that one (CRYPTODATA_KEYCHAIN=os or CRYPTODATA_KEYCHAIN=file). Where it is gone for good, delete ${path}.`,
    'SESSION_OF_ANOTHER_KEYCHAIN',
  );
}

/** What killed processes left of their unfinished writes and of their wait for the lock. Call under the profile's lock. */
export async function removeRemains(directory: string, profile: string): Promise<void> {
  await removeUnfinished(sessionFile(directory, profile));
  await removeUnfinished(markFile(directory, profile));
  await removeDeadWaiters(lockPath(directory, profile));
}
