import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { readRegularFile, writePrivateFile } from '../core/file.ts';
import { isRecord } from '../core/json.ts';
import { type Addresses, parseAddresses } from './addresses.ts';
import { decrypt, encrypt, NONCE_BYTES, TAG_BYTES } from './cipher.ts';

/** Lifetime of an access token in milliseconds, from section "Lifetimes" of the specification. */
export const ACCESS_TOKEN_LIFETIME = 24 * 3600 * 1000;
export const REFRESH_TOKEN_LIFETIME = 30 * 24 * 3600 * 1000;

/** The result of a login or a refresh. The refresh token itself is in the keychain. Times are in milliseconds. */
export interface StoredSession {
  readonly accessToken: string;
  readonly granted: readonly string[];
  readonly requested: readonly string[];
  readonly obtainedAt: number;
  readonly accessExpiresAt: number;
  /** The time when the refresh token expires; null if there is no refresh token. */
  readonly refreshExpiresAt: number | null;
  readonly clientId: string;
  /** The addresses for which the session was issued. The tokens of the session are never sent to other addresses. */
  readonly addresses: Addresses & { readonly auth_url: string };
}

export function sessionsDirectory(directory: string): string {
  return join(directory, 'sessions');
}

export function sessionFile(directory: string, profile: string): string {
  return join(sessionsDirectory(directory), `${profile}.session`);
}

export function userInfoFile(directory: string, profile: string): string {
  return join(sessionsDirectory(directory), `${profile}.userinfo`);
}

/** The path of a marker file. The empty file exists as long as the keychain contains an API key for the profile. */
export function apiKeyMarker(directory: string, profile: string): string {
  return join(sessionsDirectory(directory), `${profile}.api-key`);
}

/** See `refresh-log.ts`. */
export function refreshLogFile(directory: string, profile: string): string {
  return join(sessionsDirectory(directory), `${profile}.refreshing`);
}

export function lockPath(directory: string, profile: string): string {
  return join(sessionsDirectory(directory), `${profile}.lock`);
}

/**
 * Whether the profile has a session file. The file exists whenever the keychain contains a refresh token, so this function does
 * not need to call the keychain.
 */
export function hasSession(directory: string, profile: string): boolean {
  return existsSync(sessionFile(directory, profile));
}

export function hasApiKey(directory: string, profile: string): boolean {
  return existsSync(apiKeyMarker(directory, profile));
}

/** Writes the session, encrypted with `key` and bound to the profile's name. */
export function writeSession(
  directory: string,
  profile: string,
  key: Buffer,
  session: StoredSession,
): Promise<void> {
  return writeSealed(sessionFile(directory, profile), key, purposeOf(profile), session);
}

/**
 * Returns the session; null if there is none, or if the file cannot be read: `key` cannot decrypt it, or it has no addresses.
 * The next login replaces such a file.
 */
export async function readSession(
  directory: string,
  profile: string,
  key: Buffer,
): Promise<StoredSession | null> {
  return parseSession(await readSealed(sessionFile(directory, profile), key, purposeOf(profile)));
}

/** The purpose contains the name of the profile, so that a session file copied to another profile cannot be decrypted. */
function purposeOf(profile: string): string {
  return `cryptodata session ${profile}`;
}

function parseSession(value: unknown): StoredSession | null {
  if (!isRecord(value)) return null;
  const { accessToken, obtainedAt, accessExpiresAt, refreshExpiresAt, clientId } = value;
  const granted = strings(value['granted']);
  const requested = strings(value['requested']);
  const addresses = parseAddresses(value['addresses']);
  if (typeof accessToken !== 'string' || typeof clientId !== 'string' || !addresses?.auth_url) return null;
  if (typeof obtainedAt !== 'number' || typeof accessExpiresAt !== 'number' || !granted || !requested)
    return null;
  if (refreshExpiresAt !== null && typeof refreshExpiresAt !== 'number') return null;
  return {
    accessToken,
    granted,
    requested,
    obtainedAt,
    accessExpiresAt,
    refreshExpiresAt,
    clientId,
    addresses: { ...addresses, auth_url: addresses.auth_url },
  };
}

function strings(value: unknown): string[] | null {
  if (!Array.isArray(value)) return null;
  const found = value.filter((item) => typeof item === 'string');
  return found.length === value.length ? found : null;
}

const FORMAT = Buffer.from('cds1');

/** Encrypts a value. The result consists of `cds1`, the nonce, the tag and the ciphertext. */
export function seal(key: Buffer, purpose: string, value: unknown): Buffer {
  const { nonce, tag, data } = encrypt(key, purpose, value);
  return Buffer.concat([FORMAT, nonce, tag, data]);
}

/** Returns the decrypted value. Returns null if the key or the purpose is wrong, or if the data was damaged or altered. */
export function unseal(sealed: Buffer, key: Buffer, purpose: string): unknown {
  if (!sealed.subarray(0, FORMAT.length).equals(FORMAT)) return null;
  const nonceEnd = FORMAT.length + NONCE_BYTES;
  const tagEnd = nonceEnd + TAG_BYTES;
  if (sealed.length < tagEnd) return null;
  const [nonce, tag, data] = [
    sealed.subarray(FORMAT.length, nonceEnd),
    sealed.subarray(nonceEnd, tagEnd),
    sealed.subarray(tagEnd),
  ];
  try {
    return decrypt(key, purpose, { nonce, tag, data });
  } catch {
    return null;
  }
}

/**
 * Encrypts a value to a file. Each file needs its own `purpose`. If one file is replaced with another, decryption then fails.
 */
export function writeSealed(path: string, key: Buffer, purpose: string, value: unknown): Promise<void> {
  return writePrivateFile(path, seal(key, purpose, value));
}

/** Returns the decrypted value. Returns null if the file does not exist or cannot be decrypted. */
export async function readSealed(path: string, key: Buffer, purpose: string): Promise<unknown> {
  const file = await readRegularFile(path).catch(() => undefined);
  return file ? unseal(file, key, purpose) : null;
}
