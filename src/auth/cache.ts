import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { writePrivateFile } from '../base/file.ts';
import { isRecord } from '../base/json.ts';

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

export function lockPath(directory: string, profile: string): string {
  return join(sessionsDirectory(directory), `${profile}.lock`);
}

const FORMAT = Buffer.from('cds1');
const NONCE = 12;
const TAG = 16;

/** Writes the session, AES-256-GCM under `key`: `cds1`, nonce, tag, ciphertext; bound to the profile's name. */
export async function writeSession(
  directory: string,
  profile: string,
  key: Buffer,
  session: StoredSession,
): Promise<void> {
  const nonce = randomBytes(NONCE);
  const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(boundTo(profile));
  const data = Buffer.concat([cipher.update(JSON.stringify(session), 'utf8'), cipher.final()]);
  const file = Buffer.concat([FORMAT, nonce, cipher.getAuthTag(), data]);
  await writePrivateFile(sessionFile(directory, profile), file);
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
  try {
    const file = await readFile(sessionFile(directory, profile));
    if (!file.subarray(0, FORMAT.length).equals(FORMAT)) return null;
    const [nonceEnd, tagEnd] = [FORMAT.length + NONCE, FORMAT.length + NONCE + TAG];
    if (file.length < tagEnd) return null;
    const decipher = createDecipheriv('aes-256-gcm', key, file.subarray(FORMAT.length, nonceEnd))
      .setAAD(boundTo(profile))
      .setAuthTag(file.subarray(nonceEnd, tagEnd));
    const plain = Buffer.concat([decipher.update(file.subarray(tagEnd)), decipher.final()]);
    return parseSession(JSON.parse(plain.toString('utf8')));
  } catch {
    return null;
  }
}

export async function deleteSession(directory: string, profile: string): Promise<void> {
  await rm(sessionFile(directory, profile), { force: true });
}

/** A file copied over another profile's does not open there. */
function boundTo(profile: string): Buffer {
  return Buffer.from(`cryptodata session ${profile}`);
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
