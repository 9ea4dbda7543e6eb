import { once } from 'node:events';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { openKeychain } from '../../src/auth/keychain/index.ts';
import { storeApiKey } from '../../src/auth/secrets.ts';
import { Settings } from '../../src/config/settings.ts';
import { type CryptodataError, fromProfile } from '../../src/index.ts';
import { atEnd } from '../at-end.ts';
import { cheapVault, storeSession } from '../auth/expired.ts';
import { failure } from '../client/helpers.ts';
import { temporary } from '../e2e/harness.ts';

const PASSPHRASE = 'correct horse battery staple';

interface Seen {
  readonly path: string;
  readonly authorization: string | undefined;
  readonly key: unknown;
}

/** A server that records requests, and answers with a status. `/oidc/token` returns new tokens. */
async function service(status = 200) {
  const seen: Seen[] = [];
  const server = createServer((request, response) => {
    const { url: path = '', headers } = request;
    seen.push({ path, authorization: headers.authorization, key: headers['x-api-key'] });
    request.resume();
    response.writeHead(status, { 'content-type': 'application/json' });
    const tokens = {
      access_token: 'new-access-token',
      refresh_token: 'rt-1',
      token_type: 'Bearer',
      expires_in: 86_400,
    };
    response.end(JSON.stringify(path === '/oidc/token' ? tokens : { uid: 'u1' }));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  atEnd(() => server.close());
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, seen };
}

type Place = Awaited<ReturnType<typeof profileAt>>;

/** Settings of the profile `default`, and a file keychain. Selects them with environment variables. */
async function profileAt(url: string, more = '') {
  const directory = join(temporary(), 'config');
  mkdirSync(directory, { mode: 0o700 });
  const write = (address: string) =>
    writeFileSync(
      join(directory, 'config.toml'),
      `[profiles.default]\nauth_url = "${address}"\nbase_url = "${address}"\nlegacy_base_url = "${address}"\nclient_id = "the-client"\nkeychain = "file"\n${more}`,
    );
  write(url);
  await cheapVault(directory, PASSPHRASE);
  for (const name of Object.keys(process.env)) if (/^CRYPTODATA_/.test(name)) vi.stubEnv(name, undefined);
  vi.stubEnv('CRYPTODATA_CONFIG_DIR', directory);
  vi.stubEnv('CRYPTODATA_PASSPHRASE', PASSPHRASE);
  const env = { CRYPTODATA_PASSPHRASE: PASSPHRASE };
  const keychain = openKeychain({ kind: 'file', directory, env });
  return { directory, keychain, authUrl: url, moveTo: write };
}

afterEach(() => vi.unstubAllEnvs());

describe('fromProfile', () => {
  test('uses the stored session, and ignores credentials in the environment', async () => {
    const { url, seen } = await service();
    await storeSession(await profileAt(url), { obtainedAt: Date.now() });
    vi.stubEnv('CRYPTODATA_ACCESS_TOKEN', 'other-token');
    vi.stubEnv('CRYPTODATA_API_KEY', 'other-key');
    vi.stubEnv('CRYPTODATA_WORKSPACE', 'ws_other');
    await using client = await fromProfile('default');
    expect(await client.users.me()).toEqual({ uid: 'u1' });
    expect(seen).toEqual([{ path: '/v1/users/me', authorization: 'Bearer at-0', key: undefined }]);
  });

  test('refreshes an expired session once, and stores the new tokens', async () => {
    const { url, seen } = await service();
    const place = await profileAt(url);
    await storeSession(place, { obtainedAt: Date.now() - 86_400_000 });
    {
      await using client = await fromProfile();
      await Promise.all([client.users.me(), client.users.me(), client.users.me()]);
    }
    expect(seen.filter(({ path }) => path === '/oidc/token')).toHaveLength(1);
    expect(await place.keychain.get('default:refresh-token')).toBe('rt-1');
    await using again = await fromProfile();
    await again.users.me();
    expect(seen.at(-1)?.authorization).toBe('Bearer new-access-token');
    expect(seen.filter(({ path }) => path === '/oidc/token')).toHaveLength(1);
  });

  const CALLS = {
    current: (client: Awaited<ReturnType<typeof fromProfile>>) => client.users.me(),
    legacy: (client: Awaited<ReturnType<typeof fromProfile>>) => client.legacy.nfts().page(),
  };

  test.each([
    ['session', 'CRYPTODATA_BASE_URL', 'current'],
    ['session', 'CRYPTODATA_LEGACY_BASE_URL', 'legacy'],
    ['session', 'CRYPTODATA_AUTH_URL', 'current'],
    ['session', 'config.toml', 'current'],
    ['session', 'config.toml', 'legacy'],
    ['API key', 'CRYPTODATA_BASE_URL', 'current'],
    ['API key', 'CRYPTODATA_LEGACY_BASE_URL', 'legacy'],
    ['API key', 'config.toml', 'current'],
  ] as const)(
    'does not send a stored %s to another address that is set in %s (%s API)',
    async (holder, source, api) => {
      const own = await service();
      const other = await service();
      const place = await profileAt(own.url, holder === 'API key' ? 'workspace = "ws_1"\n' : '');
      if (holder === 'session') await storeSession(place, { obtainedAt: Date.now() });
      else {
        const settings = new Settings({ flags: {}, profileFlag: 'default', env: {}, file: { profiles: {} } });
        const host = { ...place, settings, env: {} } as unknown as Parameters<typeof storeApiKey>[0];
        const addresses = { base_url: own.url, legacy_base_url: own.url };
        await storeApiKey(host, { apiKey: 'stored-key', addresses });
      }
      if (source === 'config.toml') place.moveTo(other.url);
      else vi.stubEnv(source, other.url);
      await using client = await fromProfile();
      expect(await failure(CALLS[api](client))).toMatchObject({
        kind: 'usage',
        code: 'LOGIN_OF_ANOTHER_ADDRESS',
      });
      expect([...own.seen, ...other.seen]).toEqual([]);
    },
  );

  test.each([
    ['NOT_LOGGED_IN', () => fromProfile()],
    ['UNKNOWN_PROFILE', () => fromProfile('acme')],
    ['BAD_PROFILE_NAME', () => fromProfile('../acme')],
    [
      'UNKNOWN_PROFILE',
      () => {
        vi.stubEnv('CRYPTODATA_PROFILE', 'acme');
        return fromProfile();
      },
    ],
    [
      'ONE_PROFILE_ONLY',
      () => {
        vi.stubEnv('CRYPTODATA_PROFILE', 'acme,default');
        return fromProfile();
      },
    ],
    [
      'MISSING_PASSPHRASE',
      async (place: Place) => {
        await storeSession(place, { obtainedAt: Date.now() });
        vi.stubEnv('CRYPTODATA_PASSPHRASE', undefined);
        return (await fromProfile()).users.me();
      },
    ],
    [
      'LOGIN_OF_ANOTHER_ADDRESS',
      async (place: Place) => {
        await storeSession(place, { obtainedAt: Date.now() });
        place.moveTo('https://other.example');
        return (await fromProfile()).users.me();
      },
    ],
    [
      'SESSION_EXPIRED',
      async (place: Place) => {
        await storeSession(place);
        await place.keychain.delete('default:refresh-token');
        return (await fromProfile()).users.me();
      },
    ],
    [
      'SESSION_OF_ANOTHER_SERVER',
      async (place: Place) => {
        await storeSession(place, { clientId: 'another-client' });
        return (await fromProfile()).users.me();
      },
    ],
    [
      'BAD_TOKEN_RESPONSE',
      async (place: Place) => {
        await storeSession(place);
        return (await fromProfile()).users.me();
      },
    ],
    [
      'MISSING_CLIENT_SECRET',
      async (place: Place) => {
        await storeSession(place);
        await place.keychain.delete('default:client-secret');
        return (await fromProfile()).legacy.nfts().page();
      },
    ],
  ])('the error %s does not mention commands, flags or variables that have no effect', async (code, call) => {
    const { url } = await service(500);
    const error = await failure(call(await profileAt(url)));
    expect(error).toMatchObject({ code });
    const text = `${(error as CryptodataError).message} ${(error as CryptodataError).hint}`;
    expect(text).not.toMatch(/cryptodata [a-z]|(?:^|[ (])--?[a-z]|ACCESS_TOKEN|API_KEY|WORKSPACE/);
  });

  test.each([
    ['CRYPTODATA_PROFILE', 'acme', ''],
    ['config.toml', undefined, 'acme'],
  ])('without a name, uses the profile in %s', async (_, variable, inFile) => {
    const { url } = await service();
    const { directory } = await profileAt(url);
    const file = join(directory, 'config.toml');
    const name = inFile === '' ? '' : `profile = "${inFile}"\n`;
    const text = readFileSync(file, 'utf8');
    writeFileSync(file, `${name}${text}\n${text.replace('profiles.default', 'profiles.acme')}`);
    vi.stubEnv('CRYPTODATA_PROFILE', variable);
    const message = 'Profile acme is not logged in';
    expect(await failure(fromProfile())).toMatchObject({ code: 'NOT_LOGGED_IN', message });
    expect(await failure(fromProfile('default'))).toMatchObject({
      message: 'Profile default is not logged in',
    });
  });

  test('fails if the profile does not exist or is not logged in', async () => {
    const { url, seen } = await service();
    await profileAt(url);
    expect(await failure(fromProfile('acme'))).toMatchObject({ kind: 'usage', code: 'UNKNOWN_PROFILE' });
    expect(await failure(fromProfile('../acme'))).toMatchObject({ code: 'BAD_PROFILE_NAME' });
    expect(await failure(fromProfile('default'))).toMatchObject({ kind: 'auth', code: 'NOT_LOGGED_IN' });
    expect(seen).toEqual([]);
  });

  test.each(['refresh-token', 'client-secret'])('masks the stored %s before it is used', async (kind) => {
    const { url } = await service(400);
    const place = await profileAt(url);
    await storeSession(place, { obtainedAt: Date.now() });
    await place.keychain.set(`default:${kind}`, 'the-stored-secret');
    const lines: string[] = [];
    const add = (...parts: unknown[]) => void lines.push(parts.join(' '));
    await using client = await fromProfile('default', {
      logger: { error: add, warn: add, info: add, debug: add },
      logLevel: 'debug',
    });
    const error = await failure(client.ledgers.get('the-stored-secret'));
    expect(error).toMatchObject({ status: 400 });
    expect(lines).toHaveLength(1);
    expect(lines + inspect(error)).not.toContain('the-stored-secret');
  });

  test('never passes the stored token to a logger, and uses the given fetch', async () => {
    const { url, seen } = await service();
    await storeSession(await profileAt(url), { obtainedAt: Date.now() - 86_400_000 });
    const lines: string[] = [];
    const add = (...parts: unknown[]) => void lines.push(parts.join(' '));
    const used = vi.fn<typeof fetch>((...args) => fetch(...args));
    await using client = await fromProfile('default', {
      logger: { error: add, warn: add, info: add, debug: add },
      logLevel: 'debug',
      fetch: used,
    });
    await client.users.me();
    await failure(client.ledgers.get('new-access-token'));
    // The refresh does not use `fetch`: it uses the connections of the login.
    expect(used).toHaveBeenCalledTimes(seen.length - 1);
    expect(lines).toHaveLength(2);
    expect(lines.join('\n')).not.toMatch(/new-access-token|rt-\d/);
  });
});
