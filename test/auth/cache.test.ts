import { randomBytes } from 'node:crypto';
import { copyFileSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import {
  readSession,
  type StoredSession,
  sessionFile,
  sessionsDirectory,
  writeSession,
} from '../../src/auth/session-file.ts';
import { temporaryDirectory } from './support.ts';

const session: StoredSession = {
  accessToken: 'the-access-token',
  granted: ['openid'],
  requested: ['openid', 'email'],
  obtainedAt: 1,
  accessExpiresAt: 2,
  refreshExpiresAt: null,
  clientId: 'c',
  addresses: { auth_url: 'https://auth.example.com' },
};
const key = randomBytes(32);

it('the session file is encrypted, and only its owner can read it', async () => {
  const directory = temporaryDirectory();
  await writeSession(directory, 'p', key, session);
  expect(await readSession(directory, 'p', key)).toEqual(session);
  expect(await readSession(directory, 'p', randomBytes(32))).toBeNull();
  expect(await readSession(directory, 'other', key)).toBeNull();
  expect(readFileSync(sessionFile(directory, 'p'), 'latin1')).not.toMatch(/access|openid|example/);
  if (process.platform !== 'win32') {
    expect(statSync(sessionFile(directory, 'p')).mode & 0o777).toBe(0o600);
    expect(statSync(sessionsDirectory(directory)).mode & 0o777).toBe(0o700);
  }
});

it('a session file that was copied from another profile cannot be decrypted', async () => {
  const directory = temporaryDirectory();
  await writeSession(directory, 'p', key, session);
  copyFileSync(sessionFile(directory, 'p'), sessionFile(directory, 'q'));
  expect(await readSession(directory, 'q', key)).toBeNull();
});

it('ignores a session file if any byte is altered or missing', async () => {
  const directory = temporaryDirectory();
  await writeSession(directory, 'p', key, session);
  const path = sessionFile(directory, 'p');
  const whole = readFileSync(path);
  for (let at = 0; at < whole.length; at++) {
    const altered = Buffer.from(whole);
    altered.writeUInt8(altered.readUInt8(at) ^ 1, at);
    writeFileSync(path, altered);
    expect(await readSession(directory, 'p', key)).toBeNull();
    writeFileSync(path, whole.subarray(0, at));
    expect(await readSession(directory, 'p', key)).toBeNull();
  }
  writeFileSync(path, whole);
  expect(await readSession(directory, 'p', key)).toEqual(session);
});
