import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { FileKeychain } from '../../src/auth/keychain/file.ts';
import { hasSession, writeSession } from '../../src/auth/session-file.ts';
import { TREE } from '../../src/commands/tree.ts';
import { cheapVault, KEY, storeKey } from '../auth/expired.ts';
import { share } from '../runs.ts';
import { type Env, run, sandboxed, temporary } from './harness.ts';
import { mcp } from './mcp-client.ts';
import { sendJson, stub } from './stub.ts';

// A stored credential is sent only to the addresses for which it was stored. Each command runs with each kind of stored
// credential, while a variable, a flag or the profile names the address of a recorder.

const sandbox = await sandboxed({ rows: 60, oneOrigin: true });
const recorder = await stub((_request, response) =>
  sendJson(response, 200, '{"data":[],"meta":{"total":0}}'),
);
const {
  CRYPTODATA_ACCESS_TOKEN: accessToken = '',
  CRYPTODATA_CLIENT_ID: clientId = '',
  CRYPTODATA_CLIENT_SECRET: clientSecret = '',
} = sandbox.env;
const folder = temporary();

const made = (name: string, text: string) => {
  writeFileSync(join(folder, name), text);
  return join(folder, name);
};
const [leg] = JSON.parse((await run(['ledgers', '--limit', '1', '--json'], { env: sandbox.env })).stdout);
const exported = join(folder, 'ledgers.csv');
await run(['ledgers', 'export', '--out', exported], { env: sandbox.env });
const trades = made('trades.csv', 'date,amount\n2025-01-01,1\n');
const posted = made(
  'posted.json',
  JSON.stringify({
    walletId: leg.walletId,
    transactions: [
      {
        timestamp: 1_735_689_600_000,
        transactionType: 'deposit',
        transactionId: 'manual-1',
        receivedCurrency: { currency: 'BTC', amount: 1 },
      },
    ],
  }),
);

let files = 0;
const fresh = () => join(folder, `new-${++files}`);

/** The arguments of every command that sends a stored credential. `mcp` has a test of its own. */
const SENDING: Readonly<Record<string, () => readonly string[]>> = {
  whoami: () => [],
  doctor: () => [],
  'token --introspect': () => [],
  'ledgers list': () => [],
  'ledgers get': () => [leg.id],
  'ledgers negative': () => [],
  'ledgers explain': () => [leg.id],
  'ledgers rollforward': () => ['--period', '2025'],
  'ledgers disposals': () => [],
  'ledgers export': () => ['--out', `${fresh()}.csv`],
  'ledgers verify': () => [exported],
  audit: () => [],
  'audit explain': () => ['negative-1'],
  close: () => ['--period', '2025', '--out', fresh()],
  'mirror run': () => [fresh()],
  'balances list': () => [],
  'holdings list': () => [],
  'holdings nfts': () => [],
  'holdings defi': () => [],
  'holdings balances': () => [],
  'txns list': () => [],
  'txns ledgers': () => [leg.transactionId],
  'txns export': () => ['--out', `${fresh()}.csv`],
  'txns batch': () => [made('batch.json', '[]'), '--yes'],
  labels: () => [],
  'assets search': () => ['BTC'],
  spam: () => [],
  contacts: () => [],
  'counter-parties': () => [],
  'integrations list': () => [],
  'integrations assets': () => [leg.walletId],
  'integrations alias-exists': () => ['Main'],
  'integrations test-credentials': () => ['-d', '{"providerId":"binance","credentials":{}}'],
  'integrations batch-delete': () => ['w1', '--field', 'ids', '--yes'],
  'integrations wait': () => ['--timeout', '1s'],
  'sync status': () => [],
  'sync get': () => [leg.syncId ?? 's1'],
  'sync watch': () => [leg.syncId ?? 's1', '--timeout', '1s'],
  'sync resync-all': () => ['--yes'],
  'csv upload': () => [trades, '--field', 'files', '--yes'],
  'legacy integrations': () => [],
  'legacy holdings': () => [],
  'legacy userinfo': () => [],
  'legacy nfts': () => [],
  'legacy defi': () => [],
  'legacy post': () => [posted, '--yes'],
  'api GET /v1/users/me': () => [],
  'api POST /v1/things --yes': () => ['-d', '{}'],
};

/** Commands that send no stored credential. */
const OTHERS = new Set([
  // These commands read or change only files and settings on this machine.
  ...[
    'token',
    'ledgers diff',
    'close verify',
    'mirror status',
    'mirror changes',
    'mirror sql',
    'mirror load',
    'mirror vacuum',
    'mirror forget',
    'csv check',
  ],
  ...['legacy renames', 'config', 'profiles', 'completion', 'commands', 'schema'],
  // These commands send requests without a credential, or requests of their own.
  ...['providers', 'legacy providers', 'events', 'sandbox', 'mcp'],
  // These commands send what the user typed, or what belongs to the server of the session. They have separate tests.
  ...['login', 'logout'],
]);

/** Stores a login of the profile acme, with the addresses of the sandbox. */
async function loggedIn(kind: 'session' | 'API key' | 'client secret'): Promise<Env> {
  const directory = join(temporary(), 'config');
  const env = {
    CRYPTODATA_CONFIG_DIR: directory,
    CRYPTODATA_KEYCHAIN: 'file',
    CRYPTODATA_PASSPHRASE: 'correct horse battery staple',
  };
  mkdirSync(directory, { mode: 0o700 });
  await cheapVault(directory, env.CRYPTODATA_PASSPHRASE, {});
  const keychain = new FileKeychain({ directory, env });
  if (kind === 'API key') {
    await storeKey({ directory, keychain }, 'acme', { apiKey: sandbox.apiKey, url: sandbox.url });
  } else {
    // The client secret is sent with an expired session, to refresh the session.
    const now = kind === 'client secret' ? 0 : Date.now();
    await keychain.set('acme:client-secret', clientSecret);
    await keychain.set('acme:refresh-token', 'the-refresh-token');
    await keychain.set('acme:cache-key', KEY.toString('base64url'));
    await writeSession(directory, 'acme', KEY, {
      accessToken,
      granted: ['openid'],
      requested: ['openid'],
      obtainedAt: now,
      accessExpiresAt: now + 86_400_000,
      refreshExpiresAt: null,
      clientId,
      addresses: { auth_url: sandbox.url, base_url: sandbox.url, legacy_base_url: sandbox.url },
    });
  }
  configure(env.CRYPTODATA_CONFIG_DIR, kind === 'API key' ? { workspace: sandbox.workspaceId } : {});
  return env;
}

/** Writes the profile acme: the addresses of the sandbox, with changes. */
function configure(directory: string, changes: Readonly<Record<string, string>> = {}): void {
  const all = {
    auth_url: sandbox.url,
    base_url: sandbox.url,
    legacy_base_url: sandbox.url,
    legacy_public_url: sandbox.url,
    client_id: clientId,
    csv_field: 'files',
    ...changes,
  };
  const lines = Object.entries(all).map(([key, value]) => `${key} = ${JSON.stringify(value)}`);
  writeFileSync(join(directory, 'config.toml'), `profile = "acme"\n[profiles.acme]\n${lines.join('\n')}\n`);
}

const DATA = ['base_url', 'legacy_base_url'] as const;
const CREDENTIALS = {
  session: ['auth_url', ...DATA],
  'API key': DATA,
  'client secret': ['auth_url'],
} as const;
/**
 * Errors of commands that never send this kind of credential, or that compare the address with the address in an exported file.
 */
const REFUSED = /needs an enterprise API key|has no access token|needs a login|The export is from/;

test('every command is in the list of commands that send stored credentials, or in the list of exceptions', async () => {
  const words = (await Promise.all(TREE.map(({ load }) => load()))).flatMap(({ name, verbs, alone }) =>
    verbs.map((verb) =>
      verb.name === name ? name : alone === verb.name && SENDING[name] ? name : `${name} ${verb.name}`,
    ),
  );
  const sending = Object.keys(SENDING);
  const known = (line: string) =>
    sending.some(
      (command) => command === line || command.startsWith(`${line} -`) || command.startsWith(`${line} `),
    ) ||
    OTHERS.has(line) ||
    OTHERS.has(line.split(' ')[0] ?? '');
  expect(words.filter((line) => !known(line))).toEqual([]);
});

describe.each(['session', 'API key', 'client secret'] as const)('a stored %s', (kind) => {
  test.each(Object.keys(SENDING))(
    '"%s" sends the stored credential to the address for which it was stored',
    async (command) => {
      if (kind === 'client secret') return;
      const env = await loggedIn(kind);
      await sandbox.reset();
      const { stderr } = await run([...command.split(' '), ...(SENDING[command]?.() ?? [])], { env });
      expect(stderr).not.toMatch(/belongs to http/);
      if (REFUSED.test(stderr)) return;
      expect(sandbox.truth.requests().length, stderr).toBeGreaterThan(0);
    },
  );

  const keys = CREDENTIALS[kind];
  const places = [
    ...keys.map((key) => ['a variable', [key]] as const),
    ['a flag', keys] as const,
    ['a changed profile', keys] as const,
  ];
  test.each(places.map(([where, changed], place) => [where, changed, place] as const))(
    'no command sends the stored credential to another address that is set in %s (%j)',
    async (where, changed, place) => {
      const env = await loggedIn(kind);
      const entries = (name: (key: string) => string) => changed.map((key) => [name(key), recorder.url]);
      const workspace = kind === 'API key' ? { workspace: sandbox.workspaceId } : {};
      if (where === 'a changed profile') {
        const changes = Object.fromEntries(entries((key) => key));
        configure(String(env['CRYPTODATA_CONFIG_DIR']), { ...workspace, ...changes });
      }
      if (where === 'a variable') {
        Object.assign(env, Object.fromEntries(entries((key) => `CRYPTODATA_${key.toUpperCase()}`)));
      }
      const flags = where === 'a flag' ? entries((key) => `--${key.replaceAll('_', '-')}`).flat() : [];
      await sandbox.reset();
      recorder.requests.length = 0;
      const results: [command: string, code: number, error: string][] = [];
      // Expect the exact message of this check. The message of a different check of the client secret must not hide that this
      // check is missing.
      const [first] = changed;
      const message = `belongs to ${sandbox.url}, but ${first} is ${recorder.url}`;
      for (const [command, more] of share(Object.entries(SENDING), places.length, place)) {
        const { code, stderr } = await run([...command.split(' '), ...more(), ...flags], { env });
        results.push([command, code, stderr.includes(message) || REFUSED.test(stderr) ? '' : stderr]);
      }
      expect(recorder.requests).toEqual([]);
      expect(sandbox.truth.requests()).toEqual([]);
      expect(results.filter(([, code, error]) => code !== 2 || error !== '')).toEqual([]);
    },
  );
});

describe('an address for which the session was not stored', () => {
  const other = { CRYPTODATA_BASE_URL: recorder.url };

  test('mcp refuses each call to a new address, but continues to run', async () => {
    recorder.requests.length = 0;
    const server = await mcp({ ...(await loggedIn('session')), ...other });
    for (const name of ['whoami', 'list']) {
      const result = await server.call(name, name === 'list' ? { noun: 'ledgers' } : {});
      expect([result['isError'], JSON.stringify(result)]).toEqual([
        true,
        expect.stringContaining(`belongs to ${sandbox.url}`),
      ]);
    }
    expect(await server.end()).toBe(0);
    expect(recorder.requests).toEqual([]);
  });

  test('doctor sends no request to a new address, but runs its other checks', async () => {
    const env = { ...(await loggedIn('session')), ...other };
    const { code, stdout } = await run(['doctor', '--json', '--exit-code'], { env });
    const checks: { check: string; state: string; detail: string }[] = JSON.parse(stdout);
    expect(code).toBe(2);
    expect(checks.find(({ check }) => check === 'credentials')).toMatchObject({
      state: 'problem',
      detail: expect.stringContaining(`belongs to ${sandbox.url}, but base_url is ${recorder.url}`),
    });
    const reached = checks.filter(({ check }) => check.startsWith('reach'));
    expect(new Set(reached.map(({ state }) => state))).toEqual(new Set(['skipped']));
  });

  test('a request of a public path is sent to a new address, and contains no credentials', async () => {
    const seen: unknown[] = [];
    const open = await stub(({ headers }, response) => {
      seen.push(headers.authorization ?? headers['x-api-key']);
      sendJson(response, 200, '{"data":[],"meta":{"total":0,"limit":50,"offset":0}}');
    });
    const env = await loggedIn('session');
    const public_ = { ...env, CRYPTODATA_BASE_URL: open.url, CRYPTODATA_LEGACY_PUBLIC_URL: open.url };
    expect((await run(['providers'], { env: public_ })).code).toBe(0);
    await run(['legacy', 'providers'], { env: public_ });
    expect(seen.length).toBeGreaterThan(1);
    expect(new Set(seen)).toEqual(new Set([undefined]));
    expect((await run(['token'], { env: public_ })).stdout.trim()).toBe(accessToken);
  });

  test('a new address receives credentials from the environment', async () => {
    recorder.requests.length = 0;
    const env = { ...(await loggedIn('session')), ...other, CRYPTODATA_ACCESS_TOKEN: 'env-token' };
    await run(['ledgers'], { env });
    expect(recorder.requests.length).toBeGreaterThan(0);
  });

  test('a login with the stored client secret sends nothing to a new address', async () => {
    recorder.requests.length = 0;
    const env = { ...(await loggedIn('session')), CRYPTODATA_AUTH_URL: recorder.url };
    const { code, stderr } = await run(['login', '--no-browser'], { env });
    expect([code, stderr]).toEqual([2, expect.stringContaining('belongs to another server')]);
    expect(recorder.requests).toEqual([]);
  });

  test('logout revokes the session at the server that issued it, not at a new address', async () => {
    recorder.requests.length = 0;
    const login = await loggedIn('session');
    const { CRYPTODATA_CONFIG_DIR: directory } = login;
    const env = { ...login, ...other, CRYPTODATA_AUTH_URL: recorder.url };
    await sandbox.reset();
    await run(['logout'], { env });
    expect(sandbox.truth.requests().map(({ path }) => path)).toEqual(['/oidc/token/revocation']);
    expect(recorder.requests).toEqual([]);
    expect(hasSession(String(directory), 'acme')).toBe(false);
  });

  test('after a confirmed "config set --keep-session", the new address receives the session', async () => {
    const env = await loggedIn('session');
    const set = (...more: string[]) => run(['config', 'set', 'base_url', recorder.url, ...more], { env });
    expect((await set()).stderr).toContain(`belongs to ${sandbox.url}, and is not sent to ${recorder.url}`);
    expect((await run(['ledgers'], { env })).code).toBe(2);
    const unconfirmed = await set('--keep-session');
    expect([unconfirmed.code, unconfirmed.stderr]).toEqual([2, expect.stringContaining('--yes')]);
    expect((await run(['ledgers'], { env })).code).toBe(2);
    recorder.requests.length = 0;
    expect((await set('--keep-session', '--yes')).code).toBe(0);
    await run(['ledgers'], { env });
    expect(recorder.requests.length).toBeGreaterThan(0);
  });

  test('--keep-session is refused for a setting that does not affect the credential, and for a profile without a login', async () => {
    const env = await loggedIn('API key');
    for (const line of [
      ['tz', 'UTC'],
      ['legacy_public_url', recorder.url],
      ['auth_url', recorder.url],
      ['base_url', recorder.url, '-p', 'nobody'],
    ]) {
      const { code, stderr } = await run(['config', 'set', ...line, '--keep-session', '--yes'], { env });
      expect([line, code, stderr]).toEqual([line, 2, expect.stringMatching(/--keep-session/)]);
    }
  });
});
