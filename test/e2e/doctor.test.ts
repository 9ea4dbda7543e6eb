import { describe, expect, test } from 'vitest';
import { isRecord, parseJson } from '../../src/core/json.ts';
import { run, sandboxed, temporary } from './harness.ts';
import { stub } from './stub.ts';

async function checks(env: Record<string, string | undefined>, ...args: string[]) {
  const result = await run(['doctor', '--json', ...args], { env });
  const rows = parseJson(result.stdout);
  if (!Array.isArray(rows)) throw new Error(result.stderr);
  const states = Object.fromEntries(
    rows.filter(isRecord).map(({ check, state, detail }) => [check, [state, detail]]),
  );
  return { ...result, states };
}

describe('doctor', () => {
  test('reports no problem for a sandbox [/oidc/.well-known/openid_configuration, /oidc/jwks]', async () => {
    const { env } = await sandboxed();
    const { code, states, stderr } = await checks(env, '--exit-code');
    expect(code).toBe(0);
    expect(stderr).toContain('No problem found.');
    expect(states['reach base_url/v1/providers']?.[0]).toBe('ok');
    expect(states['reach auth_url/oidc/.well-known/openid_configuration']?.[0]).toBe('ok');
    expect(states['reach auth_url/oidc/jwks']?.[0]).toBe('ok');
    expect(states['clock']?.[0]).toBe('ok');
    expect(states['credentials']?.[1]).toContain('ws_');
  });

  test('reports missing settings, and exits with 10 if --exit-code is set', async () => {
    const env = {
      CRYPTODATA_KEYCHAIN: 'file',
      CRYPTODATA_PASSPHRASE: 'correct horse battery',
      CRYPTODATA_CONFIG_DIR: temporary(),
    };
    const { code, states } = await checks(env, '--exit-code');
    expect(code).toBe(10);
    expect(states['base_url']).toEqual(['problem', 'not set']);
    expect(states['keychain']?.[0]).toBe('ok');
    expect(states['credentials']).toEqual(['warning', 'not logged in']);
    expect((await checks(env)).code).toBe(0);
  });

  test('reports an invalid settings file as a finding', async () => {
    const directory = temporary();
    const { writeFileSync } = await import('node:fs');
    writeFileSync(`${directory}/config.toml`, 'profile = ');
    const result = await run(['doctor'], { env: { CRYPTODATA_CONFIG_DIR: directory } });
    expect(result.stdout).toContain('is not valid TOML');
    expect(result.code).toBe(0);
  });

  test('reports a wrong clock and a failing service, and masks the password of a proxy', async () => {
    const service = await stub((_request, response) => {
      response.sendDate = false;
      response.writeHead(503, { date: new Date(Date.now() + 3_600_000).toUTCString() }).end();
    });
    const env = {
      ...service.env,
      HTTPS_PROXY: 'http://user:hunter2@proxy.example:3128',
      HTTP_PROXY: 'user:hunter2@x@proxy:80',
    };
    const { states, stdout, stderr } = await checks(env);
    expect(states['reach base_url/v1/providers']?.[0]).toBe('problem');
    expect(states['clock']?.[0]).toBe('problem');
    expect(states['clock']?.[1]).toMatch(/^3(59\d|600) s behind the clock of the service$/);
    expect(states['proxy']?.[1]).toBe('HTTPS_PROXY=http://***@proxy.example:3128 HTTP_PROXY=***@proxy:80');
    expect(stdout + stderr).not.toContain('hunter2');
    expect(stdout + stderr).not.toContain('stub-token');
  });
});
