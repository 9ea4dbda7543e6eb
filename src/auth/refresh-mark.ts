import { createHmac, randomBytes } from 'node:crypto';
import { readFile, rm } from 'node:fs/promises';
import { writePrivateFile } from '../base/file.ts';
import { isRecord } from '../base/json.ts';
import { markFile } from './cache.ts';
import type { AuthHost } from './host.ts';

// A refresh that is under way leaves a mark beside the session: when it began, and which refresh token it spends.
// A process that is killed between the sending and the storing leaves a token that may be dead; the mark is how
// the next one knows. All of this happens under the profile's lock, so a mark that is found is nobody's at work.

/** When an earlier refresh with this very token began that never got to its end; null where there was none. */
export async function unfinishedSince(host: AuthHost, refreshToken: string): Promise<number | null> {
  let mark: unknown;
  try {
    mark = JSON.parse(await readFile(pathOf(host), 'utf8'));
  } catch {
    return null;
  }
  if (!isRecord(mark)) return null;
  const { startedAt, salt, token } = mark;
  if (typeof startedAt !== 'number' || typeof salt !== 'string') return null;
  // A mark of another token is out of date: its refresh got as far as storing this one.
  return token === fingerprint(refreshToken, salt) ? startedAt : null;
}

/** On the disk when it resolves. @throws CryptodataError where it cannot be written: then nothing is to be sent */
export async function markRefresh(host: AuthHost, refreshToken: string): Promise<void> {
  const salt = randomBytes(16).toString('base64url');
  const mark = { startedAt: host.now(), salt, token: fingerprint(refreshToken, salt) };
  await writePrivateFile(pathOf(host), JSON.stringify(mark));
}

/** A mark that stays although it should go costs one needless warning: no reason to fail. */
export async function unmarkRefresh(host: AuthHost): Promise<void> {
  await rm(pathOf(host), { force: true }).catch(() => undefined);
}

function pathOf({ directory, settings }: AuthHost): string {
  return markFile(directory, settings.profile);
}

/** Tells which token is meant, and gives nothing away of it. */
function fingerprint(refreshToken: string, salt: string): string {
  return createHmac('sha256', salt).update(refreshToken).digest('base64url');
}
