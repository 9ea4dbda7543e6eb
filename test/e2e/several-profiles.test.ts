import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { FileKeychain } from '../../src/auth/keychain/file.ts';
import { sessionFile, writeSession } from '../../src/auth/session-file.ts';
import { cheapVault, storeKey } from '../auth/expired.ts';
import { needs } from '../needs.ts';
import { type Env, filesIn, messagesOf, type Result, run, start, temporary } from './harness.ts';
import { type Answer, type Stub, sendJson, stub } from './stub.ts';
import { terminal } from './tmux.ts';

// An accountant has one profile per client. Each profile has its own service, so a test can see which profile sent a request.

const PASSPHRASE = 'correct horse battery staple';
const DAY = 86_400_000;

interface Client {
  readonly name: string;
  readonly service: Stub;
  readonly login: 'session' | 'api-key' | 'none';
}

interface Office {
  readonly directory: string;
  readonly env: Env;
}

/** Creates one profile per client, with the credentials named in `login`. */
async function office(...clients: readonly Client[]): Promise<Office> {
  const directory = join(temporary(), 'config');
  const env = {
    CRYPTODATA_CONFIG_DIR: directory,
    CRYPTODATA_KEYCHAIN: 'file',
    CRYPTODATA_PASSPHRASE: PASSPHRASE,
  };
  await cheapVault(directory, PASSPHRASE, {});
  const keychain = new FileKeychain({ directory, env });
  let config = '';
  for (const { name, service, login } of clients) {
    config += `[profiles.${name}]\nauth_url = "${service.url}"\nbase_url = "${service.url}"\nclient_id = "client-${name}"\n`;
    if (login === 'api-key') {
      config += `workspace = "ws_${name}"\n`;
      await storeKey({ directory, keychain }, name, { apiKey: `key-${name}`, url: service.url });
    }
    if (name === 'acme') config += 'tz = "Europe/London"\nfiscal_year_start = "04-06"\n';
    if (login !== 'session') continue;
    await keychain.set(`${name}:client-secret`, `secret-${name}`);
    const key = Buffer.alloc(32, name);
    await keychain.set(`${name}:cache-key`, key.toString('base64url'));
    await keychain.set(`${name}:refresh-token`, `refresh-${name}`);
    const now = Date.now();
    await writeSession(directory, name, key, {
      accessToken: token({ workspaceId: `ws_${name}`, workspaceName: `Firm ${name}`, role: 'viewer' }),
      granted: ['openid'],
      requested: ['openid'],
      obtainedAt: now,
      accessExpiresAt: now + DAY,
      refreshExpiresAt: now + 30 * DAY,
      clientId: `client-${name}`,
      addresses: { auth_url: service.url, base_url: service.url },
    });
  }
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  writeFileSync(join(directory, 'config.toml'), config);
  return { directory, env };
}

function token(claims: Record<string, unknown>): string {
  const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
  return `${part({ alg: 'RS256' })}.${part(claims)}.c2ln`;
}

const ledgers =
  (...ids: string[]): Answer =>
  (_request, response, { searchParams }) => {
    const [offset, limit] = ['offset', 'limit'].map((name) => Number(searchParams.get(name) ?? 0));
    const data = ids.slice(offset, (offset ?? 0) + (limit || 50)).map((id) => ({ id, quantity: '1.50' }));
    sendJson(
      response,
      200,
      JSON.stringify({ data, meta: { total: ids.length, limit: limit || 50, offset } }),
    );
  };

const refusing: Answer = (_request, response) =>
  sendJson(
    response,
    403,
    '{"error":"insufficient_scope","error_description":"transactions:read is missing"}',
  );

const acme: Client = { name: 'acme', service: await stub(ledgers('a1', 'a2')), login: 'session' };
const beta: Client = { name: 'beta', service: await stub(ledgers('b1')), login: 'api-key' };
const gone: Client = { name: 'gone', service: await stub(refusing), login: 'session' };
const fresh: Client = { name: 'fresh', service: await stub(ledgers()), login: 'none' };
const everyone = await office(beta, gone, acme, fresh);
const { env } = everyone;

function ask(...args: string[]): Promise<Result> {
  for (const { service } of [acme, beta, gone, fresh]) service.requests.length = 0;
  return run(args, { env });
}

const requests = () => [acme, beta, gone, fresh].map(({ service }) => service.requests.length);

describe('a read command with several profiles', () => {
  test('prints one list with the profile in the first column, and with the profiles in the order of --profile', async () => {
    const { code, stdout, stderr } = await ask(
      'ledgers',
      '-p',
      'acme, beta',
      '--csv',
      '--columns',
      'id,quantity',
    );
    expect([code, stdout, stderr]).toEqual([
      0,
      'profile,id,quantity\nacme,a1,1.50\nacme,a2,1.50\nbeta,b1,1.50\n',
      '',
    ]);
    expect(requests()).toEqual([1, 1, 0, 0]);
    // A request with an API key also sends the workspace.
    expect(beta.service.requests[0]).toContain('wid=ws_beta');
  });

  test('if some profiles fail, prints the rows of the successful profiles and exits with 11', async () => {
    const { code, stdout, stderr } = await ask('ledgers', 'list', '--all-profiles', '--json');
    expect(code).toBe(11);
    expect(JSON.parse(stdout)).toEqual([
      { profile: 'beta', id: 'b1', quantity: '1.50' },
      { profile: 'acme', id: 'a1', quantity: '1.50' },
      { profile: 'acme', id: 'a2', quantity: '1.50' },
    ]);
    const { error } = JSON.parse(stderr.slice(stderr.indexOf('{"error"')));
    expect(error).toMatchObject({
      code: 'SOME_PROFILES_FAILED',
      message: '2 of 4 profiles failed: gone, fresh',
    });
    expect(error.details).toMatchObject([
      { profile: 'gone', code: 'insufficient_scope', status: 403, records: 0 },
      { profile: 'fresh', code: 'NOT_LOGGED_IN', status: null, records: 0 },
    ]);
    expect(error.details[1].hint).toContain('cryptodata login -p fresh');
  });

  test('reports an unknown column once for all profiles', async () => {
    const { code, stdout, stderr } = await ask('ledgers', '-p', 'gone,acme,beta', '--columns', 'id,quantty');
    expect(code).toBe(2);
    expect(stdout).toBe('');
    expect(stderr).toMatch(/^gone: error: .*transactions:read/m);
    expect(stderr.match(/Unknown column "quantty"\nDid you mean quantity\?/g)).toHaveLength(1);
  });

  test('if every profile fails in the same way, prints no result and exits with the exit code of this failure', async () => {
    const { code, stdout } = await ask('ledgers', '-p', 'gone,gone', '--json');
    expect([code, stdout]).toEqual([4, '']);
    const { stderr } = await ask('ledgers', '-p', 'gone', '-p', 'gone2', '-p', 'gone');
    expect(stderr).toMatch(/Profile gone2 does not exist/);
  });

  test('rejects unknown profiles and unsupported commands before any request', async () => {
    const refused: readonly [readonly string[], number, RegExp][] = [
      [['ledgers', '-p', 'acme,bta'], 2, /Profile bta does not exist\nDid you mean beta\?/],
      [['token', '-p', 'acme,beta'], 2, /"cryptodata token" works for one profile at a time/],
      [['close', 'verify', 'x', '-p', 'acme,beta'], 2, /A filing pack belongs to one profile\./],
      [['ledgers', 'explain', 'x', '-p', 'acme,beta'], 2, /A leg belongs to one profile\./],
      [['audit', 'explain', 'x', '-p', 'acme,beta'], 2, /A finding belongs to one profile\./],
      [['sync', 'resync-all', '--yes', '--all-profiles'], 2, /"cryptodata sync resync-all" works for one/],
      [['ledgers', '-p', 'acme', '--all-profiles'], 2, /-p and --all-profiles cannot be combined/],
      [
        ['ledgers', 'export', '--all-profiles', '--out', '-'],
        2,
        /^error: Cannot export several profiles to stdout\n.*--out 'ledgers-\{profile\}\.csv'/,
      ],
    ];
    const results = await Promise.all(refused.map(async ([args]) => ask(...args)));
    for (const [index, { code, stdout, stderr }] of results.entries()) {
      const [args, exit, says] = refused[index] ?? [];
      expect([code, stdout], args?.join(' ')).toEqual([exit, '']);
      expect(stderr).toMatch(says ?? 'nothing');
    }
    expect(requests()).toEqual([0, 0, 0, 0]);
  });

  test('if the profiles have different client ids, rejects a client secret from the environment', async () => {
    const given = { ...env, CRYPTODATA_CLIENT_SECRET: 'secret-acme' };
    for (const args of [
      ['ledgers', '-p', 'acme,gone'],
      ['logout', '--all'],
    ]) {
      const { code, stderr } = await run(args, { env: given });
      expect(code).toBe(2);
      expect(stderr).toMatch(/differ in client_id\nTo use the .*unset CRYPTODATA_CLIENT_SECRET/);
    }
    expect(existsSync(sessionFile(everyone.directory, 'acme'))).toBe(true);
  });

  test('accepts several profiles from repeated --profile flags or from CRYPTODATA_PROFILE', async () => {
    const { stdout } = await ask('ledgers', '-p', 'beta', '-p', 'acme', '--csv', '--columns', 'id');
    expect(stdout).toBe('profile,id\nbeta,b1\nacme,a1\nacme,a2\n');
    const named = { ...env, CRYPTODATA_PROFILE: 'acme,beta' };
    const of = (...args: string[]) => run(args, { env: named });
    const [list, profiles, config, child, token, get] = await Promise.all([
      of('ledgers', '--csv', '--columns', 'id'),
      of('profiles', '--csv', '--columns', 'name,active'),
      of('config', 'list', '--json'),
      of('sandbox', 'exec', '--', 'true'),
      of('token'),
      of('config', 'get', 'base_url'),
    ]);
    expect(list.stdout).toBe('profile,id\nacme,a1\nacme,a2\nbeta,b1\n');
    expect(profiles.stdout).toBe('name,active\nbeta,true\ngone,false\nacme,true\nfresh,false\n');
    expect([config.code, child.code]).toEqual([0, 0]);
    expect(config.stderr).toMatch(/^{"warning":"CRYPTODATA_PROFILE contains several profiles .*-p NAME"}$/m);
    for (const { code, stderr } of [token, get]) {
      expect(code).toBe(2);
      expect(stderr).toMatch(
        /several profiles \(acme, beta\).*\n?.*\nPass -p NAME, or set CRYPTODATA_PROFILE/,
      );
    }
    const here = await office(fresh);
    const more = { ...here.env, CRYPTODATA_PROFILE: 'fresh,other' };
    expect((await run(['logout', '--all'], { env: more })).code).toBe(0);
    expect((await run(['profiles', 'delete', 'fresh', '--yes'], { env: more })).code).toBe(0);
    expect((await run(['profiles', '--json'], { env: more })).stdout).toBe('[]\n');
  });

  test('with an API key, whoami prints the requested columns', async () => {
    const service = await stub((_request, response) => sendJson(response, 200, '{"data":{"uid":"u1"}}'));
    const { env } = await office({ name: 'key', service, login: 'api-key' });
    const of = (profile: string) =>
      run(['whoami', '--columns', 'workspaceId,source', '-p', profile, '--csv'], { env });
    expect((await of('key')).stdout).toBe('workspaceId,source\nws_key,api-key\n');
    expect((await of('key,key')).stdout).toBe('profile,workspaceId,source\nkey,ws_key,api-key\n');
  });

  test('exports one file per profile', async () => {
    const out = join(temporary(), 'ledgers.csv');
    const { code, stdout, stderr } = await ask(
      'ledgers',
      'export',
      '-p',
      'acme,gone,beta',
      '--out',
      out,
      '--jsonl',
    );
    expect(code, stderr).toBe(11);
    const rows = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(rows).toMatchObject([
      { profile: 'acme', file: out.replace('.csv', '.acme.csv'), format: 'csv', rows: 2, verified: true },
      { profile: 'beta', file: out.replace('.csv', '.beta.csv'), format: 'csv', rows: 1, verified: true },
    ]);
    expect(filesIn(join(out, '..'))).toEqual(
      ['ledgers.acme.csv', 'ledgers.beta.csv'].flatMap((name) => [name, `${name}.manifest.json`]),
    );
    expect(readFileSync(rows[1].file, 'utf8')).toMatch(/^id,.*\nb1,/);
    const verified = await ask(
      'ledgers',
      'verify',
      '-p',
      'acme,beta',
      out,
      '--csv',
      '--columns',
      'hash,rows,totalToday',
    );
    expect([verified.code, verified.stdout]).toEqual([
      0,
      'profile,hash,rows,totalToday\nacme,same,2,2\nbeta,same,1,1\n',
    ]);
  });

  test.skipIf(!needs('tmux'))('prompts only once for the passphrase of all profiles', async () => {
    const { CRYPTODATA_PASSPHRASE: _, ...others } = env;
    const screen = terminal('cryptodata ledgers -p acme,beta --csv --columns id', { columns: 100 }, others);
    await screen.shows(/Passphrase of the secrets file/);
    screen.type(PASSPHRASE);
    screen.press('Enter');
    await screen.shows(/exit=\d+/);
    const shown = screen.screen();
    expect(shown).toMatch(/profile,id\nacme,a1\nacme,a2\nbeta,b1\nexit=0$/);
    expect(shown.match(/Passphrase of the secrets file/g)).toHaveLength(1);
  });

  test('sends no further requests after Ctrl-C', async () => {
    let hanging = () => {};
    const asked = new Promise<void>((resolve) => {
      hanging = resolve;
    });
    const slow: Client = { name: 'slow', service: await stub(() => hanging()), login: 'session' };
    const last: Client = { name: 'last', service: await stub(ledgers('l1')), login: 'session' };
    const first: Client = { name: 'first', service: await stub(ledgers('f1')), login: 'session' };
    const out = temporary();
    const args = ['ledgers', 'export', '--all-profiles', '--out', join(out, '{profile}.jsonl'), '--jsonl'];
    const running = start(args, { env: (await office(first, slow, last)).env });
    await asked;
    running.child.kill('SIGINT');
    const { code, stdout } = await running.ended;
    expect([code, JSON.parse(stdout)]).toEqual([130, expect.objectContaining({ profile: 'first' })]);
    expect(filesIn(out)).toEqual(['first.jsonl', 'first.jsonl.manifest.json']);
    expect(last.service.requests).toEqual([]);
  });
});

describe('profiles list', () => {
  test('the command "profiles list" prints the login of each profile, and sends no request', async () => {
    const { code, stdout, stderr } = await ask('profiles', '--json', '-p', 'gone');
    expect([code, stderr, requests()]).toEqual([0, '', [0, 0, 0, 0]]);
    const rows = JSON.parse(stdout);
    const none = {
      workspaceName: null,
      workspaceId: null,
      role: null,
      accessExpiresAt: null,
      refreshExpiresAt: null,
    };
    expect(rows).toMatchObject([
      { name: 'beta', active: false, source: 'api-key', ...none, workspaceId: 'ws_beta' },
      { name: 'gone', active: true, source: 'session', workspaceId: 'ws_gone' },
      {
        name: 'acme',
        active: false,
        base_url: acme.service.url,
        client_id: 'client-acme',
        tz: 'Europe/London',
        fiscal_year_start: '04-06',
        source: 'session',
        workspaceName: 'Firm acme',
        workspaceId: 'ws_acme',
        role: 'viewer',
      },
      { name: 'fresh', source: 'none', ...none },
    ]);
    expect(rows[0]).toMatchObject({ tz: null, fiscal_year_start: null });
    expect(rows[2].accessExpiresAt - Date.now()).toBeLessThanOrEqual(DAY);
    expect(rows[2].refreshExpiresAt - rows[2].accessExpiresAt).toBe(29 * DAY);
    const table = (await ask('profiles')).stdout;
    expect(table).toMatch(
      /^acme +false +session +Firm acme +ws_acme +viewer +Europe\/London +04-06 +23 h 59 min left +29 days left$/m,
    );
    expect((await ask('profiles', '--csv', '--columns', 'name,source')).stdout).toBe(
      'name,source\nbeta,api-key\ngone,session\nacme,session\nfresh,none\n',
    );
  });

  test('uses credentials from the environment only for the active profile', async () => {
    const sources = async (more: Env) => {
      const { stdout } = await run(['profiles', '--json', '-p', 'acme'], { env: { ...env, ...more } });
      const rows: { name: string; source: string; workspaceId: string | null }[] = JSON.parse(stdout);
      return rows.map(({ name, source, workspaceId }) => [name, source, workspaceId].join(' '));
    };
    const others = ['beta api-key ws_beta', 'gone session ws_gone'];
    const given = token({ workspaceId: 'ws_env' });
    expect(await sources({ CRYPTODATA_ACCESS_TOKEN: given })).toEqual([
      ...others,
      'acme environment ws_env',
      'fresh none ',
    ]);
    expect(await sources({ CRYPTODATA_API_KEY: 'k', CRYPTODATA_WORKSPACE: 'ws_key' })).toEqual([
      ...others,
      'acme environment ws_key',
      'fresh none ',
    ]);
  });

  test('the command "profiles list" succeeds with an unreadable keychain or a corrupt session', async () => {
    const wrong = { ...env, CRYPTODATA_PASSPHRASE: 'another' };
    const { code, stdout, stderr } = await run(['profiles', '--json', '--quiet'], { env: wrong });
    expect(code).toBe(0);
    expect(JSON.parse(stdout).map(({ name, source }: Record<string, unknown>) => [name, source])).toEqual([
      ['beta', null],
      ['gone', null],
      ['acme', null],
      // This profile has never logged in, so its row does not need the keychain.
      ['fresh', 'none'],
    ]);
    expect(stderr).toMatch(
      /^{"warning":"Cannot read the login of beta, gone, acme\. .*passphrase[^\n]*"}\n$/,
    );

    const here = await office(acme, gone);
    writeFileSync(sessionFile(here.directory, 'gone'), 'damaged');
    const rows = JSON.parse((await run(['profiles', '--json'], { env: here.env })).stdout);
    expect(rows).toMatchObject([
      { name: 'acme', source: 'session', workspaceId: 'ws_acme' },
      // The session file is damaged.
      { name: 'gone', source: 'session', workspaceId: null, accessExpiresAt: null },
    ]);
  });
});

describe('logout --all', () => {
  const revocations: string[] = [];
  const revoking: Answer = (request, response) => {
    let body = '';
    request.on('data', (part) => {
      body += part;
    });
    request.on('end', () => {
      revocations.push(`${request.url} ${new URLSearchParams(body).get('token')}`);
      sendJson(response, 200, '');
    });
  };

  test('revokes and deletes every session, and reports credentials that remain valid', async () => {
    const one: Client = { name: 'one', service: await stub(revoking), login: 'session' };
    const deaf: Client = { name: 'deaf', service: await stub(refusing), login: 'session' };
    const left: Client = { name: 'left', service: one.service, login: 'session' };
    const { directory, env } = await office(one, deaf, beta, fresh, left);
    // Delete the settings of a profile, but not its session.
    const path = join(directory, 'config.toml');
    writeFileSync(path, readFileSync(path, 'utf8').replace(/\[profiles\.left\][^[]*/, ''));
    expect((await run(['logout', '--all', '-p', 'one'], { env })).code).toBe(2);
    expect(existsSync(sessionFile(directory, 'one'))).toBe(true);

    const { code, stdout, stderr } = await run(['logout', '--all', '--json', '--quiet'], { env });
    expect(code, stderr).toBe(0);
    const row = (profile: string, hadSession: boolean, hadApiKey: boolean, revoked: boolean) => ({
      profile,
      hadSession,
      hadApiKey,
      revoked,
    });
    expect(JSON.parse(stdout)).toEqual([
      row('one', true, false, true),
      row('deaf', true, false, false),
      row('beta', false, true, false),
      row('fresh', false, false, false),
      row('left', true, false, true),
    ]);
    // The profile `left` has a session file but no settings. Its session is revoked too.
    expect(revocations).toEqual(['one', 'left'].map((name) => `/oidc/token/revocation refresh-${name}`));
    const [first = '', second = '', ...others] = messagesOf(stderr).warnings;
    expect(first).toMatch(/^deaf: .*did not revoke it .*within 30 days/);
    expect(second).toMatch(
      /^beta: The API key was deleted from this machine.*Revoke the key in your account settings/,
    );
    expect(others).toEqual([]);
    expect(filesIn(directory)).toEqual(['config.toml']);
  });

  test('if a profile fails, logout --all continues with the next profile and exits with 11', async () => {
    const one: Client = { name: 'one', service: await stub(revoking), login: 'session' };
    const here = await office({ ...one, name: 'odd' }, one);
    const path = join(here.directory, 'config.toml');
    const config = readFileSync(path, 'utf8');
    writeFileSync(path, config.replace('[profiles.odd]\n', '[profiles.odd]\nkeychain = "none"\n'));
    const { CRYPTODATA_KEYCHAIN: _, ...others } = here.env;
    writeFileSync(
      path,
      readFileSync(path, 'utf8').replace('[profiles.one]\n', '[profiles.one]\nkeychain = "file"\n'),
    );
    const { code, stdout, stderr } = await run(['logout', '--all', '--csv'], { env: others });
    expect(code, stderr).toBe(11);
    expect(stdout).toBe('profile,hadSession,hadApiKey,revoked\nodd,,,\none,true,false,true\n');
    expect(stderr).toMatch(/^odd: error: Invalid keychain in profile odd: "none"/m);
    expect(stderr).toMatch(/^error: 1 of 2 profiles failed: odd$/m);
    expect(existsSync(sessionFile(here.directory, 'one'))).toBe(false);
  });
});

test('the help of "ledgers list" describes --all-profiles, and the help of "csv upload" does not', async () => {
  const [reads, writes] = await Promise.all([
    ask('ledgers', 'list', '--help'),
    ask('csv', 'upload', '--help'),
  ]);
  expect(reads.stdout).toMatch(/--all-profiles\): one list[\s\S]*does not stop\s+the others/);
  expect(writes.stdout).not.toContain('--all-profiles');
});
