import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { freePort } from '../free-port.ts';
import { consent } from './browser.ts';
import { begin, type Env, filesIn, run, sandboxed, temporary } from './harness.ts';
import { loginUrl, newcomer } from './newcomer.ts';
import { recorder } from './recorder.ts';

let now = Date.now();
const sandbox = await sandboxed({ rows: 50, oneOrigin: true, clock: () => now });

beforeEach(async () => {
  now = Date.now();
  await sandbox.reset();
});

async function logIn(env: Env): Promise<void> {
  const running = begin(['login', '--no-browser'], { env });
  await fetch(await consent(await loginUrl(running)));
  const { code, stderr } = await running.ended;
  expect(code, stderr).toBe(0);
}

function refreshTokens(): readonly string[] {
  return sandbox.truth.grants().flatMap(({ refreshTokens }) => refreshTokens);
}

describe('login', () => {
  test('logs in with the printed URL, lists ledgers, and logs out [GET /oidc/auth, POST /oidc/token, POST /oidc/token/revocation]', async () => {
    const { directory, env } = await newcomer(sandbox, { cheap: true });
    expect((await run(['ledgers'], { env })).code).toBe(3);

    const login = begin(['login', '--no-browser', '--json'], { env });
    const url = new URL(await loginUrl(login));
    expect([...url.searchParams.keys()].sort()).toEqual([
      'client_id',
      'code_challenge',
      'code_challenge_method',
      'redirect_uri',
      'response_type',
      'scope',
      'state',
    ]);
    expect(url.searchParams.get('code_challenge_method')).toBe('S256');
    const page = await fetch(await consent(url.href));
    expect([page.status, await page.text()]).toEqual([200, expect.stringContaining('Consent given')]);
    const { code, stdout, stderr } = await login.ended;
    expect(code, stderr).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({
      profile: 'default',
      workspaceId: sandbox.workspaceId,
      role: 'owner',
    });

    const whoami = JSON.parse((await run(['whoami', '--json'], { env })).stdout);
    expect(whoami).toMatchObject({ workspaceId: sandbox.workspaceId, sub: sandbox.truth.uid });
    expect(whoami.scopesGranted).toContain('transactions:read');
    const token = (await run(['token'], { env })).stdout.trim();
    expect(token.split('.')).toHaveLength(3);
    const ledgers = await run(['ledgers', 'list', '--all', '--json'], { env });
    expect(JSON.parse(ledgers.stdout)).toHaveLength(sandbox.truth.ledgers);
    expect(refreshTokens()).toHaveLength(1);

    const out = await run(['logout', '--json'], { env });
    expect(JSON.parse(out.stdout)).toEqual({
      profile: 'default',
      hadSession: true,
      hadApiKey: false,
      revoked: true,
    });
    expect(refreshTokens()).toEqual([]);
    expect(sandbox.truth.requests().map(({ path }) => path)).toContain('/oidc/token/revocation');
    expect(filesIn(directory)).toEqual(['config.toml']);
    expect((await run(['ledgers'], { env })).code).toBe(3);
    const again = await run(['logout'], { env });
    expect([again.code, again.stderr]).toEqual([0, 'This profile was not logged in.\n']);
  });

  test('login does not store, print or log any secret in plain text', async () => {
    const { directory, env } = await newcomer(sandbox);
    const { env: recorded, secrets, answer } = await recorder(sandbox);
    const login = begin(['login', '--no-browser', '--debug'], { env: { ...env, ...recorded } });
    await answer(login);
    const { code, stdout, stderr } = await login.ended;
    expect(code, stderr).toBe(0);
    const kept = filesIn(directory).map((file) => readFileSync(join(directory, file), 'latin1'));
    expect(kept.length).toBeGreaterThan(1);
    expect(secrets.size).toBe(6);
    for (const [what, secret] of secrets) {
      for (const text of [stdout, stderr, ...kept]) expect(text.includes(secret), what).toBe(false);
    }
  });

  test('refreshes an expired access token, and requires a new login after 30 days', async () => {
    const { env } = await newcomer(sandbox, { cheap: true });
    await logIn(env);
    const [first] = refreshTokens();
    // Only the clock of the service advances. The tool therefore does not refresh the token before a 401.
    now += 25 * 3600 * 1000;
    const ledgers = await run(['ledgers', '--json'], { env });
    expect(ledgers.code, ledgers.stderr).toBe(0);
    const [second] = refreshTokens();
    expect(second).not.toBe(first);
    now += 31 * 24 * 3600 * 1000;
    const expired = await run(['ledgers'], { env });
    expect([expired.code, expired.stdout]).toEqual([3, '']);
    expect(expired.stderr).toMatch(/30 days.*cryptodata login/s);
  });

  test('if several processes find an expired token at the same time, only one process refreshes the token', async () => {
    const { env } = await newcomer(sandbox, { cheap: true });
    await logIn(env);
    now += 25 * 3600 * 1000;
    const before = sandbox.truth.requests().filter(({ path }) => path === '/oidc/token').length;
    const results = await Promise.all(Array.from({ length: 6 }, () => run(['ledgers', '--json'], { env })));
    for (const { code, stderr } of results) expect(code, stderr).toBe(0);
    const after = sandbox.truth.requests().filter(({ path }) => path === '/oidc/token').length;
    expect(after - before).toBe(1);
    expect(refreshTokens()).toHaveLength(1);
  });

  test('if the token expires during an export, the tool refreshes the token and exports every leg', async () => {
    const { env } = await newcomer(sandbox, { cheap: true });
    await logIn(env);
    const before = sandbox.truth.requests().length;
    const fault = { kind: 'expired', path: '/v1/ledgers', nth: 5 };
    const asked = await fetch(`${sandbox.url}/_sandbox/faults`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(fault),
    });
    expect(asked.ok).toBe(true);
    const file = join(temporary(), 'all.jsonl');
    const { code, stderr } = await run(['ledgers', 'export', '--out', file], { env });
    expect(code, stderr).toBe(0);
    expect(stderr).toContain('Verified');
    const ids = readFileSync(file, 'utf8')
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line).id);
    expect(new Set(ids).size).toBe(sandbox.truth.ledgers);
    expect(ids).toHaveLength(sandbox.truth.ledgers);
    const met = sandbox.truth.requests().slice(before);
    expect(met.some(({ path, status }) => path === '/v1/ledgers' && status === 401)).toBe(true);
    expect(met.filter(({ path }) => path === '/oidc/token')).toHaveLength(1);
  });

  test('reports a session that the service has revoked', async () => {
    const { env } = await newcomer(sandbox, { cheap: true });
    await logIn(env);
    const asked = await fetch(`${sandbox.url}/_sandbox/faults`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ kind: 'revoked', path: '/v1/ledgers' }),
    });
    expect(asked.ok).toBe(true);
    const ledgers = await run(['ledgers'], { env });
    expect([ledgers.code, ledgers.stderr]).toEqual([3, expect.stringContaining('has ended')]);
    const token = await run(['token'], { env });
    expect([token.code, token.stdout]).toEqual([3, '']);
    const [profile] = JSON.parse((await run(['profiles', '--json'], { env })).stdout);
    expect(profile.accessExpiresAt).toBeLessThanOrEqual(Date.now());
    expect(profile.refreshExpiresAt).toBeLessThanOrEqual(Date.now());
    const doctor = JSON.parse((await run(['doctor', '--json'], { env })).stdout);
    expect(doctor).toContainEqual(
      expect.objectContaining({
        check: 'credentials',
        state: 'problem',
        detail: expect.stringContaining('is no longer valid'),
      }),
    );
    await logIn(env);
    expect((await run(['token'], { env })).code).toBe(0);
  });

  test('login warns about a new workspace of the profile, and about settings that the profile does not store', async () => {
    const { env } = await newcomer(sandbox, { cheap: true });
    await logIn(env);
    const running = begin(['login', '--no-browser'], { env });
    await fetch(await consent(await loginUrl(running), 'allow', 1));
    const { code, stderr } = await running.ended;
    expect(code, stderr).toBe(0);
    expect(stderr).toMatch(
      new RegExp(`Profile default was logged in to .*${sandbox.workspaceId}.* and now uses `),
    );
    expect(stderr).toMatch(/not stored in the profile.*CRYPTODATA_BASE_URL/);
    const again = begin(['login', '--no-browser'], { env });
    await fetch(await consent(await loginUrl(again), 'allow', 1));
    expect((await again.ended).stderr).not.toContain('was logged in to');
  });

  test('logout revokes the token at its issuer after auth_url has changed', async () => {
    const { directory, env } = await newcomer(sandbox, { cheap: true });
    await logIn(env);
    const other = `http://127.0.0.1:${await freePort()}`;
    const { code, stdout } = await run(['logout', '--json'], { env: { ...env, CRYPTODATA_AUTH_URL: other } });
    expect([code, JSON.parse(stdout)]).toEqual([0, expect.objectContaining({ revoked: true })]);
    expect(sandbox.truth.grants().flatMap(({ refreshTokens }) => refreshTokens)).toEqual([]);
    expect(filesIn(directory)).toEqual(['config.toml']);
  });
});
