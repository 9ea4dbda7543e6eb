import { randomBytes } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { usageError } from '../base/errors.ts';
import { removeUnfinished } from '../base/file.ts';
import { removeDeadWaiters } from '../base/lock.ts';
import { lockPath, markFile, sessionFile, userInfoFile } from './cache.ts';
import type { AuthHost } from './host.ts';
import { loginCommand } from './refusals.ts';

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

/** The client secret: from the environment, else from the keychain; null where there is none. */
export async function readClientSecret(host: AuthHost): Promise<string | null> {
  return host.env['CRYPTODATA_CLIENT_SECRET'] || (await readSecret(host, 'client-secret'));
}

/** @throws usage error `MISSING_CLIENT_SECRET` */
export async function requireClientSecret(host: AuthHost): Promise<string> {
  const secret = await readClientSecret(host);
  if (secret !== null) return secret;
  throw usageError(
    `Profile ${host.settings.profile} has no client secret`,
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
  await storeSecret(host, 'api-key', apiKey);
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
 * Deletes all that is kept for the profile, in the keychain and in files. To do it again does no harm. What
 * can be deleted is deleted, even where something else fails. Call under the profile's lock: else a refresh that
 * is under way stores a new token after it.
 *
 * @throws what the keychain threw first, after all was tried
 */
export async function forgetProfile(host: AuthHost, profile = host.settings.profile): Promise<void> {
  const { directory, keychain } = host;
  const results = await Promise.allSettled([
    rm(sessionFile(directory, profile), { force: true }),
    rm(userInfoFile(directory, profile), { force: true }),
    rm(markFile(directory, profile), { force: true }),
    removeUnfinished(userInfoFile(directory, profile)),
    removeRemains(directory, profile),
    ...SECRET_KINDS.map((kind) => keychain.delete(`${profile}:${kind}`)),
  ]);
  for (const result of results) if (result.status === 'rejected') throw result.reason;
}

/** What killed processes left of their unfinished writes and of their wait for the lock. Call under the profile's lock. */
export async function removeRemains(directory: string, profile: string): Promise<void> {
  await removeUnfinished(sessionFile(directory, profile));
  await removeUnfinished(markFile(directory, profile));
  await removeDeadWaiters(lockPath(directory, profile));
}
