import { chmodSync, cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { beforeAll, describe, expect, test } from 'vitest';
import { editState } from '../mirror/state.ts';
import { needs } from '../needs.ts';
import { canStartPostgres, PASSWORD, type Postgres, startPostgres } from '../postgres.ts';
import {
  type Env,
  launch,
  messagesOf,
  type Result,
  ROOT,
  run,
  sandboxed,
  start,
  temporary,
} from './harness.ts';
import { terminal } from './tmux.ts';

const cwd = temporary();
const env = { PGPASSWORD: PASSWORD };

/** Loads the mirror, and checks that the output does not contain the password. */
async function load(
  to: string,
  { flags = [], more = env }: { flags?: string[]; more?: Env } = {},
): Promise<Result> {
  const result = await run(['mirror', 'load', 'books', '--to', to, ...flags], { cwd, env: more });
  expect(`${result.stdout}${result.stderr}`).not.toContain(PASSWORD);
  return result;
}

function unverify(folder: string): void {
  editState(folder, ({ ledgers }) => {
    Object.assign(ledgers, { verified: false, why: 'rows changed' });
  });
}

/** Marks all windows of a mirror for rereading, as a listener does after an event. */
function mark(folder: string): void {
  mkdirSync(join(folder, 'reread'));
  const reason = { why: 'costbasis.completed', at: '2025-01-01T00:00:00.000Z', walletId: null };
  writeFileSync(join(folder, 'reread', '1735689600000-0123456789ab.json'), JSON.stringify(reason));
}

/** Runs a load that fails, and returns its exit code and its error code. */
async function refusal(to: string, more?: Env, flags: string[] = []): Promise<unknown[]> {
  const { code, stderr, stdout } = await load(to, { flags: ['--json', ...flags], ...(more ? { more } : {}) });
  expect(stdout).toBe('');
  return [code, messagesOf(stderr).error?.code];
}

describe.skipIf(!canStartPostgres())('mirror load', () => {
  let server: Postgres;
  beforeAll(async () => {
    const sandbox = await sandboxed({ rows: 700 });
    const { code, stderr } = await run(['mirror', 'books'], { env: sandbox.env, cwd });
    expect(code, stderr).toBe(0);
    server = await startPostgres();
  });

  test('loads a mirror, and reports how many rows were sent and removed', async () => {
    const to = await server.create();
    const first = await load(to, { flags: ['--json'] });
    expect(first.code, first.stderr).toBe(0);
    const record = JSON.parse(first.stdout);
    expect(record).toMatchObject({
      ...{ folder: 'books', database: to.replace(/.*@/, ''), schema: 'public', verified: true, why: null },
      removed: 0,
    });
    expect(record.tables[0]).toMatchObject({ table: 'ledgers', rows: 700, sent: 700, removed: 0 });
    expect(record.tables.map(({ table }: { table: string }) => table)).toEqual(
      'ledgers ledgers_history transactions integrations holdings labels spam'.split(' '),
    );
    expect(messagesOf(first.stderr).notes[0]).toBe(
      'Committed: the counts and sums of every table match the mirror.',
    );
    const second = await load(to);
    expect(second.code, second.stderr).toBe(0);
    expect(second.stdout).toMatch(/^table +rows +sent +removed +files +files sent$/m);
    expect(second.stdout).toMatch(/^ledgers +700 +0 +0 +\d+ +0$/m);
    expect(second.stderr).toMatch(/verified, read at \d{4}-/);
  });

  test('PostgreSQL computes the same sum for each asset as the command "mirror sql"', async () => {
    const to = await server.create('sums');
    expect((await load(to)).code).toBe(0);
    const { stdout } = await run(
      [
        'mirror',
        'sql',
        'books',
        'SELECT asset_id AS asset, sum(quantity) AS total FROM ledgers GROUP BY 1 ORDER BY 1',
        '--json',
      ],
      { cwd },
    );
    const rows = await server.sql(
      'sums',
      'SELECT asset_id AS asset, trim_scale(sum(quantity))::text AS total FROM ledgers GROUP BY 1 ORDER BY asset_id COLLATE "C" NULLS LAST',
    );
    expect(rows).toEqual(JSON.parse(stdout));
    expect(rows.length).toBeGreaterThan(3);
  });

  test('reads the password from PGPASSFILE', async () => {
    const file = join(cwd, 'pgpass');
    writeFileSync(file, `127.0.0.1:*:*:tester:${PASSWORD.replace(/[:\\]/g, '\\$&')}\n`);
    const to = await server.create();
    chmodSync(file, 0o644);
    const ignored = await load(to, { more: { PGPASSFILE: file } });
    expect(ignored.code).toBe(3);
    expect(ignored.stderr).toMatch(
      /is ignored, because other users can access it[\s\S]*requires a password, but none is set/,
    );
    chmodSync(file, 0o600);
    expect((await load(to, { more: { PGPASSFILE: file } })).code).toBe(0);
  });

  test('connects to the server through a Unix socket', async () => {
    await server.create('by_socket');
    const to = `postgres://tester@/by_socket?host=${server.socket}`;
    expect((await load(to, { more: { PGPORT: String(server.port) } })).code).toBe(0);
  });

  test('exits with 2 if the address contains a password, and does not print the password', async () => {
    const secret = 'hunter22-in-the-address';
    for (const to of [
      `postgres://tester:${secret}@127.0.0.1/books`,
      `postgres://tester@127.0.0.1/books?password=${secret}`,
    ]) {
      for (const flags of [[], ['--json'], ['--debug']]) {
        const { code, stdout, stderr } = await load(to, { flags });
        expect([code, stdout]).toEqual([2, '']);
        expect(stderr).toContain('contains a password');
        expect(stderr).not.toContain(secret);
      }
    }
  });

  test('explains login, database and connection errors', async () => {
    const to = await server.create();
    const wrong = await load(to, { more: { PGPASSWORD: 'a-wrong-password-1' } });
    expect(wrong.code).toBe(3);
    expect(wrong.stderr).toMatch(
      /rejected the login: password authentication failed for user "tester"\n.*PGPASSWORD/,
    );
    expect(wrong.stderr).not.toContain('a-wrong-password-1');
    expect(await refusal(to, {})).toEqual([3, 'NO_DATABASE_PASSWORD']);
    const at = `postgres://tester@127.0.0.1:${server.port}`;
    expect(await refusal(`${at}/nowhere`)).toEqual([2, 'DATABASE_ERROR']);
    expect((await load(`${at}/nowhere`)).stderr).toMatch(
      /database "nowhere" does not exist \[3D000\]\n.*createdb/,
    );
    expect(await refusal('postgres://tester@127.0.0.1:1/books')).toEqual([13, 'CONNECTION_REFUSED']);
    expect(await refusal('postgres://tester@nowhere.invalid/books?sslmode=disable')).toEqual([
      13,
      expect.stringMatching(/^NAME_/),
    ]);
    expect(await refusal(`postgres://tester@/books?host=${cwd}`)).toEqual([13, 'NETWORK_FAILED']);
    await server.sql('postgres', 'CREATE DATABASE foreign_owner');
    expect((await load(`${at}/foreign_owner`)).stderr).toMatch(
      /permission denied for schema public \[42501\]\n[\s\S]*GRANT/,
    );
    expect(await refusal(`${at}/foreign_owner`)).toEqual([2, 'DATABASE_ERROR']);
  });

  test('requires --to, and a folder that contains a mirror', async () => {
    const { code, stderr } = await run(['mirror', 'load', 'books'], { cwd });
    expect([code, stderr]).toEqual([2, expect.stringContaining('The address of the database is missing')]);
    const none = await run(['mirror', 'load', 'nothing', '--to', await server.create()], { cwd, env });
    expect([none.code, none.stderr]).toEqual([2, expect.stringContaining('is not a mirror')]);
  });

  test('exits with 12 and commits nothing if another program has changed the loaded rows', async () => {
    const to = await server.create('changed');
    expect((await load(to)).code).toBe(0);
    await server.sql('changed', 'DELETE FROM ledgers WHERE id = (SELECT min(id) FROM ledgers)');
    expect(await refusal(to)).toEqual([12, 'LOAD_DIFFERS']);
    expect(await server.sql('changed', 'SELECT count(*) AS legs FROM ledgers')).toEqual([{ legs: '699' }]);
    expect((await load(to, { flags: ['--full'] })).code).toBe(0);
    expect(await server.sql('changed', 'SELECT count(*) AS legs FROM ledgers')).toEqual([{ legs: '700' }]);
  });

  const AGAIN = 'windows of the mirror must be read again (costbasis.completed)';
  test.each([
    ['ledgers are not verified', 'unverified', 'rows changed', unverify],
    ['windows must be reread', 'marked', AGAIN, mark],
  ])('loads the mirror but exits with 12 if the %s', async (_, name, why, change) => {
    const folder = temporary();
    cpSync(join(cwd, 'books'), folder, { recursive: true });
    change(folder);
    const line = ['mirror', 'load', folder, '--to', await server.create(name), '--json'];
    const { code, stdout, stderr } = await run(line, { cwd, env });
    expect([code, JSON.parse(stdout)]).toEqual([12, expect.objectContaining({ verified: false, why })]);
    expect(messagesOf(stderr).error).toMatchObject({
      code: 'MIRROR_UNVERIFIED',
      message: `Loaded and committed, but the ledgers of the mirror are not verified: ${why}`,
    });
    expect(messagesOf(stderr).warnings.join()).toContain(`not verified: ${why}`);
    expect(
      await server.sql(name, "SELECT rows, verified, why FROM mirror_tables WHERE name = 'ledgers'"),
    ).toEqual([{ rows: '700', verified: false, why }]);
  });

  test.skipIf(!needs('tmux'))(
    'prompts for the password on a terminal, and does not show the typed password',
    async () => {
      const to = await server.create('typed');
      const line = `cd ${cwd} && cryptodata mirror load books --to ${to}`;
      const screen = terminal(line, { columns: 100 }, { CI: undefined });
      await screen.shows(/Password for user tester on 127\.0\.0\.1:\d+\/typed/);
      screen.type(PASSWORD);
      screen.press('Enter');
      await screen.shows(/ledgers +700 +700[\s\S]*exit=0/);
      expect(screen.screen()).not.toContain(PASSWORD);
    },
  );

  test('after Ctrl-C, exits with 130 and does not change the database', async () => {
    const to = await server.create('stopped');
    expect((await load(to)).code).toBe(0);
    const holder = new pg.Client({
      host: server.socket,
      port: server.port,
      user: 'owner',
      database: 'stopped',
    });
    await holder.connect();
    await holder.query('BEGIN; LOCK TABLE labels IN ACCESS EXCLUSIVE MODE');
    const { child, ended } = start(['mirror', 'load', 'books', '--to', to, '--full'], { cwd, env });
    const waiting = "SELECT FROM pg_stat_activity WHERE datname = 'stopped' AND wait_event_type = 'Lock'";
    while ((await server.sql('stopped', waiting)).length === 0)
      await new Promise((resolve) => setTimeout(resolve, 50));
    child.kill('SIGINT');
    const { code, stderr } = await ended;
    expect([code, stderr]).toEqual([130, expect.stringContaining('Interrupted')]);
    await holder.end();
    expect(await server.sql('stopped', 'SELECT count(*) AS legs FROM ledgers')).toEqual([{ legs: '700' }]);
    expect((await load(to)).code).toBe(0);
  });

  test('exits with 13 if the server ends the connection', async () => {
    const to = await server.create('ended');
    expect((await load(to)).code).toBe(0);
    const holder = new pg.Client({
      host: server.socket,
      port: server.port,
      user: 'owner',
      database: 'ended',
    });
    await holder.connect();
    await holder.query('BEGIN; LOCK TABLE labels IN ACCESS EXCLUSIVE MODE');
    const ended = refusal(to);
    const end =
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = 'ended' AND wait_event_type = 'Lock'";
    while ((await server.sql('ended', end)).length === 0)
      await new Promise((resolve) => setTimeout(resolve, 50));
    expect(await ended).toEqual([13, 'DATABASE_UNAVAILABLE']);
    await holder.end();
  });

  test('accepts a remote server without TLS only if sslmode=disable is set', async () => {
    const to = (await server.create()).replace('127.0.0.1', '0.0.0.0');
    expect(await refusal(to)).toEqual([13, 'NO_TLS']);
    const { code, stderr } = await load(`${to}?sslmode=disable`);
    expect(code, stderr).toBe(0);
    expect(stderr).toContain('is not encrypted (sslmode=disable)');
  });

  test('every PostgreSQL query in docs/mirror.md runs on the loaded tables', async () => {
    expect((await load(await server.create('documented'))).code).toBe(0);
    const [, section = ''] = readFileSync(join(ROOT, 'docs', 'mirror.md'), 'utf8').split(
      '\n## Load it into PostgreSQL\n',
    );
    const [own = ''] = section.split('\n## ');
    const statements = [...own.matchAll(/```sql\n([\s\S]*?)```/g)].flatMap(([, block = '']) =>
      block.trim().split(/;\n?/).filter(Boolean),
    );
    expect(statements.length).toBeGreaterThan(3);
    for (const statement of statements) await server.sql('documented', statement);
  });

  test('the command "mirror load" works from a copy of bin and dist, without node_modules', async () => {
    const copy = temporary();
    for (const name of ['dist', 'bin', 'package.json'])
      cpSync(join(ROOT, name), join(copy, name), { recursive: true });
    const line = ['mirror', 'load', `${cwd}/books`, '--to', await server.create(), '--json'];
    const { code, stderr } = await launch(process.execPath, [join(copy, 'bin', 'cryptodata.js'), ...line], {
      env: { ...env, NODE_PG_FORCE_NATIVE: '1' },
    }).ended;
    expect(code, stderr).toBe(0);
  });
});

describe.skipIf(!canStartPostgres())('the command "mirror load" with TLS', () => {
  let server: Postgres;
  let to: (host: string, parameters?: string) => string;
  beforeAll(async () => {
    server = await startPostgres({ tls: true });
    await server.create('books');
    to = (host, parameters = '') => `postgres://tester@${host}:${server.port}/books${parameters}`;
  });

  test('refuses a self-signed certificate', async () => {
    expect(await refusal(to('0.0.0.0'))).toEqual([13, 'TLS_FAILED']);
    expect(await refusal(to('localhost', '?sslmode=require'))).toEqual([13, 'TLS_FAILED']);
    const { stderr } = await load(to('0.0.0.0'));
    expect(stderr).toMatch(/\[DEPTH_ZERO_SELF_SIGNED_CERT\]\n[\s\S]*sslrootcert=FILE/);
  });

  test('trusts the certificate in sslrootcert or PGSSLROOTCERT, and checks the host name', async () => {
    const file = `sslrootcert=${server.certificate}`;
    expect((await load(to('localhost', `?sslmode=verify-full&${file}`))).code).toBe(0);
    expect(
      (
        await load(to('localhost', '?sslmode=require'), {
          more: { ...env, PGSSLROOTCERT: server.certificate },
        })
      ).code,
    ).toBe(0);
    expect(await refusal(to('127.0.0.1', `?sslmode=verify-full&${file}`))).toEqual([13, 'TLS_FAILED']);
    expect(await refusal(to('0.0.0.0', `?${file}`))).toEqual([13, 'TLS_FAILED']);
    expect((await load(to('0.0.0.0', `?sslmode=verify-ca&${file}`))).code).toBe(0);
    expect((await load(to('localhost', `?sslmode=require&channel_binding=require&${file}`))).code).toBe(0);
  });

  test('suggests sslmode=require if a server on this machine requires TLS', async () => {
    const { code, stderr } = await load(to('127.0.0.1'));
    expect(code).toBe(3);
    expect(stderr).toMatch(/no encryption[\s\S]*\?sslmode=require/);
  });
});
