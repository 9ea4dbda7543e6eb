import { createHmac, randomBytes } from 'node:crypto';
import { fsyncSync, writeSync } from 'node:fs';
import { open, readFile, rm } from 'node:fs/promises';
import { messageOf } from '../core/errors.ts';
import { writePrivateFile } from '../core/file.ts';
import { isRecord } from '../core/json.ts';
import { markFile } from './cache.ts';
import type { AuthHost } from './host.ts';
import { seal, unseal } from './sealed-file.ts';
import type { Answer } from './send.ts';

// A refresh that is under way leaves a mark beside the session. Its first line says when it began and which refresh
// token it spends. The server's answer follows as the second line, sealed with the key of the session file, as soon
// as it arrives: before it is parsed, and before the keychain is called. A process that is killed after that loses
// nothing, because the next one reads the answer here. A process that is killed before leaves a token that may be
// spent, and the mark is how the next one knows. All of this happens under the profile's lock, so no living process
// is at work on a mark that is found.

/** A refresh with the stored token that did not finish. */
export interface Unfinished {
  /** Milliseconds since 1970. */
  readonly startedAt: number;
  /** The server's answer, where it arrived. */
  readonly answer: KeptAnswer | null;
}

export interface KeptAnswer extends Answer {
  /** When the request was sent, in milliseconds since 1970. */
  readonly asked: number;
}

export interface Mark {
  /** Writes the answer to the disk, and returns when it is there. Never throws. */
  keep(answer: KeptAnswer): void;
  close(): Promise<void>;
}

/** The earlier refresh with this very token that did not finish; null where there is none. */
export async function unfinished(
  host: AuthHost,
  refreshToken: string,
  key: Buffer | null,
): Promise<Unfinished | null> {
  let mark: unknown;
  let sealed: string | undefined;
  try {
    const [first = '', second] = (await readFile(pathOf(host), 'utf8')).split('\n');
    mark = JSON.parse(first);
    sealed = second;
  } catch {
    return null;
  }
  if (!isRecord(mark)) return null;
  const { startedAt, salt, token } = mark;
  if (typeof startedAt !== 'number' || typeof salt !== 'string') return null;
  // A mark of another token is out of date: its refresh got as far as storing this one.
  if (token !== fingerprint(refreshToken, salt)) return null;
  const opened = key && sealed ? unseal(Buffer.from(sealed, 'base64'), key, purposeOf(host, token)) : null;
  return { startedAt, answer: parseAnswer(opened) };
}

/**
 * On the disk when it resolves.
 *
 * @param startedAt of an earlier refresh with this token that did not finish; default: now
 * @throws CryptodataError where it cannot be written: then nothing is to be sent
 */
export async function markRefresh(
  host: AuthHost,
  refreshToken: string,
  key: Buffer,
  startedAt = host.now(),
): Promise<Mark> {
  const salt = randomBytes(16).toString('base64url');
  const token = fingerprint(refreshToken, salt);
  await writePrivateFile(pathOf(host), `${JSON.stringify({ startedAt, salt, token })}\n`);
  // Open before the request is sent: nothing but the write itself stands between the answer and the disk.
  const file = await open(pathOf(host), 'a');
  return {
    keep: (answer) => {
      try {
        writeSync(file.fd, seal(key, purposeOf(host, token), answer).toString('base64'));
        fsyncSync(file.fd);
      } catch (error) {
        // A full disk is no reason not to try the keychain.
        host.debug?.(`the answer could not be kept: ${messageOf(error)}`);
      }
    },
    close: () => file.close(),
  };
}

/** A mark that stays although it should go costs one needless warning: no reason to fail. */
export async function unmarkRefresh(host: AuthHost): Promise<void> {
  await rm(pathOf(host), { force: true }).catch(() => undefined);
}

export function refreshTokenIn({ text }: KeptAnswer): string | null {
  try {
    const body: unknown = JSON.parse(text);
    return isRecord(body) && typeof body['refresh_token'] === 'string' ? body['refresh_token'] : null;
  } catch {
    return null;
  }
}

function pathOf({ directory, settings }: AuthHost): string {
  return markFile(directory, settings.profile);
}

function purposeOf({ settings }: AuthHost, token: string): string {
  return `cryptodata answer ${settings.profile} ${token}`;
}

/** Tells which token is meant, and gives nothing away of it. */
function fingerprint(refreshToken: string, salt: string): string {
  return createHmac('sha256', salt).update(refreshToken).digest('base64url');
}

function parseAnswer(value: unknown): KeptAnswer | null {
  if (!isRecord(value)) return null;
  const { status, contentType, text, asked } = value;
  if (typeof status !== 'number' || typeof asked !== 'number') return null;
  return typeof contentType === 'string' && typeof text === 'string'
    ? { status, contentType, text, asked }
    : null;
}
