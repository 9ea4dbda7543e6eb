import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { asked, run, sandboxed, temporary } from './harness.ts';

const sandbox = await sandboxed({ rows: 50 });
const { env, workspaceId, apiKey } = sandbox;
const elsewhere = 'http://203.0.113.1';

beforeEach(() => sandbox.reset());

/** Each entry is a command line, followed by the words that the error and its hint must contain. */
const refused: readonly (readonly [string, ...string[]])[] = [
  // names
  ['leders', '"cryptodata leders"', 'Did you mean "cryptodata ledgers"?'],
  ['ledgers lists', '"cryptodata ledgers lists"', 'Did you mean "cryptodata ledgers list"?'],
  ['help ledgrs', '"ledgrs"', 'Did you mean "cryptodata help ledgers"?'],
  ['-v', "'-v'", 'Did you mean --version?'],
  ['version', 'Did you mean "cryptodata --version"?'],
  ['help webhooks', 'Did you mean "cryptodata help events"?'],
  ['webhooks', 'Did you mean "cryptodata events"?'],
  ['ledgers export --output x.csv', '"x.csv"', 'For an export, use --out x.csv.'],
  ['help enviroment', '"enviroment"', 'Did you mean "cryptodata help environment"?'],
  ['help ledgers exprt', '"cryptodata ledgers exprt"', 'Did you mean "cryptodata ledgers export"?'],
  ['help xyz', 'The topics are environment, exit-codes'],
  ['ledgers list --limt 5', '--limt', 'Did you mean --limit?'],
  ['ledgers negative --exit-cod', '--exit-cod', 'Did you mean --exit-code?'],
  ['ledgers list extra', 'too many arguments'],
  ['ledgers get', "missing required argument 'id'"],
  ['-o', '-o, --output <format>', 'argument missing'],
  ['ledgers list -p', '-p, --profile <profile>', 'argument missing'],
  ['ledgers list --limit', '--limit', 'argument missing'],
  // values
  ['ledgers list -o jsn', '"jsn"', 'Did you mean json?', 'table, json, jsonl, csv'],
  ['ledgers list --json --csv', 'Several output formats'],
  ['ledgers list --types incomming', 'Did you mean incoming?', 'incoming, outgoing, fee'],
  ['ledgers list --types incoming,,fee', 'empty item', 'a,b,c'],
  ['ledgers list --sort-order down', '--sort-order', 'asc, desc'],
  ['ledgers list --has-missing-price=maybe', 'true, false'],
  ['ledgers list --limit 0', 'a whole number, 1 or greater'],
  ['ledgers list --limit 1 --all', '--limit cannot be combined with --all'],
  ['ledgers list --limit 5.5', 'a whole number, 1 or greater'],
  ['ledgers list --limit -1', 'a whole number, 1 or greater'],
  ['ledgers list --offset -1', 'a whole number, 0 or greater'],
  ['providers list --page 1 --limit 101', 'a whole number from 1 to 100'],
  ['providers list --type exchnge', 'Did you mean exchange?'],
  ['ledgers list --lt-after-balance abc', 'abc', 'a decimal', '-1e-18'],
  ['ledgers list --lt-after-balance 1,5', '1,5', 'a decimal'],
  ['ledgers list --gt-after-balance 0x10', '0x10', 'a decimal'],
  ['ledgers list --gt-after-balance=', 'a decimal'],
  ['ledgers list --gt-after-balance Infinity', 'a decimal'],
  ['ledgers list -q labels', 'name=value'],
  ['login --timeout 0', 'between 1 and 3600 seconds'],
  ['token --min-ttl 86401', 'between 0 and 86400 seconds'],
  ['sandbox --port 65536', 'a whole number from 0 to 65535'],
  ['sandbox --rows 1000001', 'a whole number from 0 to 1000000'],
  // times
  ['ledgers list --from 2025-05-02 --to 2025-05-01', '--from 2025-05-02 is after --to 2025-05-01'],
  ['ledgers list --from 2025-02-30', 'does not exist', '2025-02-28'],
  ['ledgers list --to 2023-02-29', 'does not exist', '2023-02-28'],
  ['ledgers list --from 2025-13-01', 'does not exist', '01 to 12'],
  ['ledgers list --from 2025-04-01T25:00', 'does not exist'],
  ['ledgers list --from yesterday', '"yesterday"', '2025-07-01T14:30:00Z'],
  ['ledgers list --period 2025-Q5', '2025-Q3'],
  ['ledgers list --period 2025 --from 2025-01-01', '--period cannot be used with --from'],
  ['ledgers list --from 2025-01-01 --start-time 5', '--start-time and --end-time cannot be used with'],
  ['ledgers list --start-time 5 --end-time 4', '--start-time is after --end-time'],
  ['ledgers list --tz Europe/Berln', '"Europe/Berln"', 'Did you mean Europe/Berlin?'],
  // ids
  ['ledgers get a/b', '"a/b"', 'must not contain slashes'],
  ['ledgers get ..', '".."', 'must not be empty, "." or ".."'],
  ['ledgers get ../../oidc/userinfo', 'contain slashes'],
  ['ledgers get a\\b', 'contain slashes'],
  ['ledgers get .', '"."'],
  ['ledgers get led_\u001b[2J', '\\u001b', 'control characters'],
  ['providers get ../users/me', 'contain slashes'],
  // settings
  [
    `ledgers list --base-url ${elsewhere}`,
    '--base-url must be an https:// address',
    'http:// is allowed only',
  ],
  ['ledgers list --base-url http://127.0.0.1.example.com', 'must be an https:// address'],
  ['ledgers list --base-url ftp://example.com', 'must be an https:// address'],
  ['ledgers list --base-url https://user:pw@example.com', 'must not contain a user name or password'],
  ['ledgers list --base-url nonsense', 'is not an address', 'https://api.example.com'],
  ['ledgers -p ../x', '"../x"', 'letters, digits'],
  ['config get bas_url', '"bas_url"', 'Did you mean base_url?'],
  ['config set output xml', '"xml"', 'table, json, jsonl, csv'],
  ['config set base_url http://example.com', 'must be an https:// address'],
  ['config set client_secret hunter2', 'is a secret', 'keychain'],
  // output
  ['ledgers export', '--out ledgers.csv'],
  ['ledgers export --out ledgers.xls', '"ledgers.xls"', '.csv, .xlsx, .parquet'],
  ['ledgers export --out x.csv --format cvs', 'Did you mean csv?'],
];

describe('invalid input is rejected with exit code 2 and a hint, before any request', () => {
  test.for(refused)('%s', async ([line, ...words]) => {
    const cwd = temporary();
    const { code, stdout, stderr } = await run(line.split(' '), { env, cwd });
    expect(code, stderr).toBe(2);
    expect(stdout).toBe('');
    for (const word of words) expect(stderr).toContain(word);
    expect(stderr).not.toContain('\u001b');
    expect(asked(sandbox)).toEqual([]);
  });

  test('an empty id', async () => {
    const { code, stderr } = await run(['ledgers', 'get', ''], { env });
    expect(code).toBe(2);
    expect(stderr).toContain('must not be empty');
    expect(asked(sandbox)).toEqual([]);
  });

  test('--json reports invalid input as one JSON object on stderr', async () => {
    for (const line of [
      'ledgers list --limit 0',
      'ledgers list --limt 5',
      'leders',
      'ledgers list --from 2025-02-30',
    ]) {
      const { code, stdout, stderr } = await run([...line.split(' '), '--json'], { env });
      expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
      const { error } = JSON.parse(stderr);
      expect(Object.keys(error)).toEqual(['code', 'message', 'status', 'hint', 'details']);
      expect(error.status).toBeNull();
    }
    expect(asked(sandbox)).toEqual([]);
  });
});

describe('decimals are sent unchanged', () => {
  test.for([
    ['--lt-after-balance', '-1e-18'],
    ['--lt-after-balance=0', ''],
    ['--gt-after-balance', '1E3'],
    ['--gt-after-balance', '+0.50'],
    ['--lt-after-balance', '-0.000000000000000001'],
    ['--gt-after-balance', '123456789012345678901234567890.123456789012345678'],
  ])('%s %s', async ([flag = '', value = '']) => {
    const written = value === '' ? flag.split('=') : [flag, value];
    const { code } = await run(['ledgers', 'list', '--json', flag, ...(value === '' ? [] : [value])], {
      env,
    });
    expect(code).toBe(0);
    const name = written[0] === '--lt-after-balance' ? 'ltAfterBalance' : 'gtAfterBalance';
    expect(asked(sandbox).map(({ query }) => query[name])).toEqual([written[1]]);
  });
});

describe('invalid credentials or settings', () => {
  const { CRYPTODATA_ACCESS_TOKEN: token, ...addresses } = env;
  const key = { ...addresses, CRYPTODATA_API_KEY: apiKey };

  test('rejects an API key without a workspace, and accepts an API key with a workspace', async () => {
    const without = await run(['ledgers'], { env: key });
    expect(without.code).toBe(2);
    expect(without.stderr).toContain('--workspace');
    expect(asked(sandbox)).toEqual([]);
    const withOne = await run(['ledgers', '--workspace', workspaceId], { env: key });
    expect(withOne.code).toBe(0);
    // The table contains account names, so the tool also requests the accounts.
    expect(asked(sandbox).map(({ query }) => query['wid'])).toEqual([workspaceId, workspaceId]);
  });

  test('rejects a bearer token together with a workspace from a flag, a variable or a profile', async () => {
    const home = temporary();
    writeFileSync(join(home, 'config.toml'), `[profiles.default]\nworkspace = "${workspaceId}"\n`);
    const ways = [
      run(['ledgers', '--workspace', workspaceId], { env }),
      run(['ledgers'], { env: { ...env, CRYPTODATA_WORKSPACE: workspaceId } }),
      run(['ledgers'], { env: { ...env, CRYPTODATA_CONFIG_DIR: home } }),
    ];
    for (const { code, stderr } of await Promise.all(ways)) {
      expect(code).toBe(2);
      expect(stderr).toContain('workspace');
    }
    expect(asked(sandbox)).toEqual([]);
  });

  test('rejects an access token together with an API key', async () => {
    const { code, stderr } = await run(['ledgers'], { env: { ...env, CRYPTODATA_API_KEY: apiKey } });
    expect(code).toBe(2);
    expect(stderr).toContain('CRYPTODATA_API_KEY');
    expect(asked(sandbox)).toEqual([]);
  });

  test('rejects a token that is not a valid header value, and does not print the token', async () => {
    const broken = `${token}\nX-Other: 1`;
    const { code, stderr } = await run(['ledgers'], { env: { ...env, CRYPTODATA_ACCESS_TOKEN: broken } });
    expect(code).toBe(2);
    expect(stderr).not.toContain(token);
    expect(asked(sandbox)).toEqual([]);
  });

  test('the error for a missing address lists every way to set the address', async () => {
    const { code, stderr } = await run(['ledgers'], { env: { CRYPTODATA_ACCESS_TOKEN: token } });
    expect(code).toBe(2);
    for (const way of ['--base-url', 'CRYPTODATA_BASE_URL', 'config set base_url', 'sandbox exec']) {
      expect(stderr).toContain(way);
    }
  });

  test('reports the path of an invalid config.toml and does not change the file', async () => {
    const home = temporary();
    mkdirSync(home, { recursive: true });
    const path = join(home, 'config.toml');
    const content = '[profiles.default\nbase_url = 5';
    writeFileSync(path, content);
    const { code, stderr } = await run(['config', 'set', 'tz', 'UTC'], {
      env: { CRYPTODATA_CONFIG_DIR: home },
    });
    expect(code).toBe(2);
    expect(stderr).toContain(path);
    expect(readFileSync(path, 'utf8')).toBe(content);
  });
});
