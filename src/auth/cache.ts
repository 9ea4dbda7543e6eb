import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { writePrivateFile } from '../core/file.ts';
import { isRecord } from '../core/json.ts';
import { readSealed, writeSealed } from './sealed-file.ts';

/** What a login or a refresh gave, less the refresh token, which the keychain has. Times in milliseconds. */
export interface StoredSession {
  readonly accessToken: string;
  readonly granted: readonly string[];
  readonly requested: readonly string[];
  readonly obtainedAt: number;
  readonly accessExpiresAt: number;
  /** Null where there is no refresh token. */
  readonly refreshExpiresAt: number | null;
  /** Who issued it, and to whom: its refresh token is sent nowhere else. */
  readonly authUrl: string;
  readonly clientId: string;
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

/** Present, and empty, while the keychain holds an API key of the profile. */
export function keyMarkFile(directory: string, profile: string): string {
  return join(sessionsDirectory(directory), `${profile}.api-key`);
}

/** Known without the keychain: the session file is there from before the first secret is stored until the last is deleted. */
export function hasSession(directory: string, profile: string): boolean {
  return existsSync(sessionFile(directory, profile));
}

export function hasApiKey(directory: string, profile: string): boolean {
  return existsSync(keyMarkFile(directory, profile));
}

/** See `refresh-mark.ts`. */
export function markFile(directory: string, profile: string): string {
  return join(sessionsDirectory(directory), `${profile}.refreshing`);
}

export function lockPath(directory: string, profile: string): string {
  return join(sessionsDirectory(directory), `${profile}.lock`);
}

/** Writes the session, encrypted under `key` and bound to the profile's name. */
export function writeSession(
  directory: string,
  profile: string,
  key: Buffer,
  session: StoredSession,
): Promise<void> {
  return writeSealed(sessionFile(directory, profile), key, purposeOf(profile), session);
}

/**
 * The session, or null where there is none that this key opens. A file that was damaged or altered counts as
 * none: the refresh token brings a new one, and if there is no refresh token either, one logs in again.
 */
export async function readSession(
  directory: string,
  profile: string,
  key: Buffer,
): Promise<StoredSession | null> {
  return parseSession(await readSealed(sessionFile(directory, profile), key, purposeOf(profile)));
}

/** Leaves an empty file, which holds no access token and shows that the keychain may hold a refresh token. */
export function clearSession(directory: string, profile: string): Promise<void> {
  return writePrivateFile(sessionFile(directory, profile), '');
}

/** A file copied over another profile's does not open there. */
function purposeOf(profile: string): string {
  return `cryptodata session ${profile}`;
}

function parseSession(value: unknown): StoredSession | null {
  if (!isRecord(value)) return null;
  const { accessToken, obtainedAt, accessExpiresAt, refreshExpiresAt, authUrl, clientId } = value;
  const granted = texts(value['granted']);
  const requested = texts(value['requested']);
  if (typeof accessToken !== 'string' || typeof authUrl !== 'string' || typeof clientId !== 'string')
    return null;
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
    authUrl,
    clientId,
  };
}

function texts(value: unknown): string[] | null {
  if (!Array.isArray(value)) return null;
  const found = value.filter((item) => typeof item === 'string');
  return found.length === value.length ? found : null;
}
