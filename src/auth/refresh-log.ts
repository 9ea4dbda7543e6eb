import { createHmac, randomBytes } from 'node:crypto';
import { fsyncSync, writeSync } from 'node:fs';
import { open, rm } from 'node:fs/promises';
import { messageOf } from '../core/errors.ts';
import { readRegularFile, writePrivateFile } from '../core/file.ts';
import { isRecord } from '../core/json.ts';
import type { AuthHost } from './host.ts';
import type { AuthResponse } from './send.ts';
import { refreshLogFile, seal, unseal } from './session-file.ts';

// The refresh log is a file next to the session file, and exists while a refresh runs. See "A killed refresh" in SECURITY.md.
//
// The first line of the log contains the start time and a fingerprint of the refresh token. The second line is the server's
// response, encrypted with the key of the session file. The response is written as soon as it arrives, before the tool parses
// the response or calls the keychain.
//
// If a process is killed after it has written the response, the next process reads the response from the log. If a process is
// killed earlier, the log shows that the refresh token may be used up. If a refresh fails and the server may have used up the
// token, a third line records the failure. Without this line, the next process would assume that a process was killed. Reading
// and writing the log requires the profile's lock.

const FAILED = 'failed';

export interface UnfinishedRefresh {
  /** Milliseconds since 1970. */
  readonly startedAt: number;
  /** Whether the process that started the refresh was killed. If false, the server failed. */
  readonly killed: boolean;
  /** The server's response that the process saved; null if the process saved no response. */
  readonly response: SavedResponse | null;
}

export interface SavedResponse extends AuthResponse {
  /** The time of the request, in milliseconds since 1970. */
  readonly requestedAt: number;
}

export interface RefreshLog {
  /** Writes the response to the log, and flushes the file to the disk. Never throws. */
  save(response: SavedResponse): void;
  /**
   * Records that the refresh failed. Without this record, the next process would assume that this process was killed. Never
   * throws.
   */
  fail(): void;
  close(): Promise<void>;
}

/** Returns the unfinished refresh that used `refreshToken`, or null if no such refresh was recorded. */
export async function readRefreshLog(
  host: AuthHost,
  refreshToken: string,
  key: Buffer | null,
): Promise<UnfinishedRefresh | null> {
  let header: unknown;
  let sealed: string | undefined;
  let end: string | undefined;
  try {
    const [first = '', second, third] = (await readRegularFile(pathOf(host))).toString().split('\n');
    header = JSON.parse(first);
    sealed = second;
    end = third;
  } catch {
    return null;
  }
  if (!isRecord(header)) return null;
  const { startedAt, salt, token } = header;
  if (typeof startedAt !== 'number' || typeof salt !== 'string') return null;
  // A different fingerprint means that the log belongs to an older token that has already been replaced.
  if (token !== fingerprint(refreshToken, salt)) return null;
  const opened = key && sealed ? unseal(Buffer.from(sealed, 'base64'), key, purposeOf(host, token)) : null;
  const killed = header['killed'] === true || end !== FAILED;
  return { startedAt, killed, response: parseResponse(opened) };
}

/**
 * Starts a log. When the promise resolves, the file is on the disk.
 *
 * @param earlier an unfinished refresh with the same token. A killed process of this refresh is recorded in the new log too.
 * @throws CryptodataError if the file cannot be written. In this case, do not send the request.
 */
export async function startRefreshLog(
  host: AuthHost,
  refreshToken: string,
  key: Buffer,
  earlier: UnfinishedRefresh | null = null,
): Promise<RefreshLog> {
  const salt = randomBytes(16).toString('base64url');
  const token = fingerprint(refreshToken, salt);
  const started = earlier?.killed
    ? { startedAt: earlier.startedAt, killed: true }
    : { startedAt: host.now() };
  await writePrivateFile(pathOf(host), `${JSON.stringify({ ...started, salt, token })}\n`);
  // Open the file before the request is sent, so that a single write is enough to save the response.
  const file = await open(pathOf(host), 'a');
  return {
    save: (response) => {
      try {
        writeSync(file.fd, seal(key, purposeOf(host, token), response).toString('base64'));
        fsyncSync(file.fd);
      } catch (error) {
        // Continue if the log cannot be written, for example because the disk is full. The keychain may still work.
        host.debug?.(`cannot save the token response: ${messageOf(error)}`);
      }
    },
    fail: () => {
      try {
        writeSync(file.fd, `\n${FAILED}`);
      } catch (error) {
        host.debug?.(`cannot record the failed refresh: ${messageOf(error)}`);
      }
    },
    close: () => file.close(),
  };
}

/** Deletes the log. Ignores failures, because a leftover log causes only one needless warning. */
export async function deleteRefreshLog(host: AuthHost): Promise<void> {
  await rm(pathOf(host)).catch(() => undefined);
}

export function refreshTokenIn({ text }: SavedResponse): string | null {
  try {
    const body: unknown = JSON.parse(text);
    const token = isRecord(body) ? body['refresh_token'] : undefined;
    return typeof token === 'string' && token.trim() !== '' ? token : null;
  } catch {
    return null;
  }
}

function pathOf({ directory, settings }: AuthHost): string {
  return refreshLogFile(directory, settings.profile);
}

function purposeOf({ settings }: AuthHost, token: string): string {
  return `cryptodata answer ${settings.profile} ${token}`;
}

/** Returns a fingerprint of a token. The fingerprint does not reveal the token. */
function fingerprint(refreshToken: string, salt: string): string {
  return createHmac('sha256', salt).update(refreshToken).digest('base64url');
}

function parseResponse(value: unknown): SavedResponse | null {
  if (!isRecord(value)) return null;
  const { status, contentType, text, requestedAt } = value;
  if (typeof status !== 'number' || typeof requestedAt !== 'number') return null;
  return typeof contentType === 'string' && typeof text === 'string'
    ? { status, contentType, text, requestedAt }
    : null;
}
