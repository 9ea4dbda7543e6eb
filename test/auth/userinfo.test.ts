import { readFile, stat, writeFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { cacheKey, deleteProfile } from '../../src/auth/secrets.ts';
import { openSession } from '../../src/auth/session.ts';
import { userInfoFile, writeSession } from '../../src/auth/session-file.ts';
import { userInfo } from '../../src/auth/userinfo.ts';
import { AUTH, type TestHost, testHost } from './support.ts';

const CLAIMS = { sub: 'u1', name: 'Ada', email: 'ada@example.com' };

/** Answers `times` requests. MockAgent makes any further request fail. */
function answers(host: TestHost, times: number): void {
  host.dispatcher.get(AUTH).intercept({ path: '/oidc/userinfo' }).reply(200, CLAIMS).times(times);
}

async function loggedIn(host: TestHost, accessToken = 'token-1'): Promise<void> {
  await writeSession(host.directory, 'default', await cacheKey(host), {
    accessToken,
    granted: ['openid'],
    requested: ['openid'],
    obtainedAt: host.time,
    accessExpiresAt: host.time + 86_400_000,
    refreshExpiresAt: null,
    clientId: 'the-client',
    addresses: { auth_url: AUTH },
  });
}

const ask = (host: TestHost, fresh?: boolean) => userInfo(host, openSession(host), fresh);
const pending = (host: TestHost) => host.dispatcher.pendingInterceptors().length;

describe('userinfo', () => {
  it('fetches userinfo at most once in five minutes [GET /oidc/userinfo]', async () => {
    const host = testHost();
    await loggedIn(host);
    answers(host, 2);
    for (let round = 0; round < 20; round += 1) expect(await ask(host)).toEqual(CLAIMS);
    expect(pending(host)).toBe(1);
    host.time += 5 * 60_000;
    expect(await ask(host)).toEqual(CLAIMS);
    expect(pending(host)).toBe(0);
  });

  it('fetches userinfo again for a new token, or if the caller requests fresh data', async () => {
    const host = testHost();
    await loggedIn(host);
    answers(host, 3);
    await ask(host);
    await ask(host, true);
    expect(pending(host)).toBe(1);
    await loggedIn(host, 'token-2');
    await ask(host);
    expect(pending(host)).toBe(0);
  });

  it('encrypts stored userinfo in an owner-only file, and fetches userinfo again if the file is corrupt', async () => {
    const host = testHost();
    await loggedIn(host);
    answers(host, 2);
    await ask(host);
    const file = userInfoFile(host.directory, 'default');
    const kept = await readFile(file);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    for (const secret of ['Ada', 'ada@example.com', 'token-1']) expect(kept.includes(secret)).toBe(false);
    await writeFile(file, kept.fill(0, 20));
    expect(await ask(host)).toEqual(CLAIMS);
    expect(pending(host)).toBe(0);
  });

  it('deleting a profile deletes its userinfo', async () => {
    const host = testHost();
    await loggedIn(host);
    answers(host, 1);
    await ask(host);
    await deleteProfile(host);
    await expect(readFile(userInfoFile(host.directory, 'default'))).rejects.toMatchObject({ code: 'ENOENT' });
  });

  it('does not store userinfo for a token from the environment', async () => {
    const host = testHost({ env: { CRYPTODATA_ACCESS_TOKEN: 'given' } });
    answers(host, 2);
    await ask(host);
    await ask(host);
    expect(pending(host)).toBe(0);
    expect(host.keychain.calls).toEqual([]);
  });
});
