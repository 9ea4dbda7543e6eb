import { describe, expect, test } from 'vitest';
import { CryptodataError } from '../../src/core/errors.ts';
import { sendJson, stub } from '../e2e/stub.ts';
import { endHere } from './in-process.ts';

interface Me {
  readonly status?: number;
  readonly body?: object;
}

async function fresh(
  { status = 200, body = { success: true, data: { uid: 'u1' } } }: Me,
  flags = ['--fresh'],
) {
  const { env, requests } = await stub((_request, response, { pathname }) => {
    if (pathname === '/oidc/userinfo') sendJson(response, 200, '{"sub":"u1","name":"Ada"}');
    else sendJson(response, status, JSON.stringify(body));
  });
  const { stdout, stderr, error } = await endHere(['whoami', ...flags, '--json'], env);
  const code = error instanceof CryptodataError ? `${error.kind} ${error.code}` : error;
  return { sub: stdout === '' ? undefined : JSON.parse(stdout).sub, stderr, code, error, requests };
}

describe('whoami --fresh', () => {
  test('"whoami --fresh" prints no warning if sub (login) and uid (data API) are equal', async () => {
    expect(await fresh({})).toMatchObject({ sub: 'u1', stderr: '', code: undefined });
  });

  test('"whoami --fresh" exits with 12 and prints both ids if sub and uid differ', async () => {
    const ended = await fresh({ body: { success: true, data: { uid: 'u2' } } });
    expect(ended).toMatchObject({ sub: 'u1', code: 'unverified USER_MISMATCH' });
    expect(String(ended.error)).toMatch(/different users: u1 and u2/);
  });

  test.each([
    ['without a uid', { body: { success: true, data: {} } }],
    ['that cannot be read', { status: 404, body: { success: false, error: 'no', code: 'NOT_FOUND' } }],
  ])('"whoami --fresh" exits with 12 for a response %s', async (_name, me) => {
    expect(await fresh(me)).toMatchObject({ sub: 'u1', code: expect.stringMatching(/^unverified /) });
  });

  test('"whoami --fresh" warns if the login is not allowed to read the user', async () => {
    const body = { error: 'insufficient_scope', error_description: 'users:read is missing' };
    const ended = await fresh({ status: 403, body });
    expect(ended).toMatchObject({ sub: 'u1', code: undefined });
    expect(ended.stderr).toMatch(/not compared/);
  });

  test('"whoami" requests the user from the data API only with --fresh', async () => {
    expect((await fresh({}, [])).requests).toEqual(['/oidc/userinfo']);
  });
});
