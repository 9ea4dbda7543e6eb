import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { beforeAll, expect, test } from 'vitest';
import { freePort } from '../free-port.ts';
import { atEnd, bash, type Env, ROOT, run, sandboxed, start, temporary } from './harness.ts';

// Runs the commands and queries in docs/mirror.md in order, with data from the sandbox.

const sandbox = await sandboxed({ rows: 700 });
const { env } = sandbox;
const cwd = temporary();

/** Maps each heading of the page to its section. The text before the first heading has the key ''. */
const SECTIONS = new Map(
  readFileSync(join(ROOT, 'docs', 'mirror.md'), 'utf8')
    .split('\n## ')
    .map((text, at) => (at === 0 ? ['', text] : [text.split('\n')[0] ?? '', text])),
);

function blocksOf(section: string, language: string): string[] {
  const text = SECTIONS.get(section);
  if (text === undefined) throw new Error(`docs/mirror.md has no section ${section}`);
  return [...text.matchAll(new RegExp(`\`\`\`${language}\\n([\\s\\S]*?)\`\`\``, 'g'))].map(([, block = '']) =>
    block.trim(),
  );
}

const linesOf = (section: string, language = 'sh') =>
  blocksOf(section, language).flatMap((block) => block.split('\n'));

const statementsOf = (section: string) =>
  blocksOf(section, 'sql').flatMap((block) => block.split(/;\n?/).filter(Boolean));

async function succeed(lines: readonly string[], own: Env): Promise<void> {
  for (const line of lines) {
    const { code, stdout, stderr } = await bash(line, { env: own, cwd });
    expect(code, `${line}\n${stdout}\n${stderr}`).toBe(0);
    if (!line.includes('> ')) expect(stdout, line).not.toBe('');
  }
}

const TESTED = [
  '',
  'Work offline with a mirror',
  'Learn about edits from webhooks',
  'Query it with SQL',
  'Read it with other programs',
  'Keep it up to date with cron',
];

beforeAll(async () => {
  const { code, stderr } = await run(['ledgers', 'export', '--out', 'filed.csv'], { env, cwd });
  expect(code, stderr).toBe(0);
  const lines = linesOf('').filter((line) => !line.startsWith('cryptodata mirror load '));
  expect(lines[0]).toMatch(/^cryptodata mirror books /);
  await succeed(lines, env);
  expect(lines.length).toBeGreaterThan(3);
});

test('every section of docs/mirror.md that contains commands has a test, except the PostgreSQL section', () => {
  const sections = [...SECTIONS.keys()].filter((name) =>
    /```(sh|sql|crontab)\n/.test(SECTIONS.get(name) ?? ''),
  );
  expect(sections.filter((name) => !name.includes('PostgreSQL'))).toEqual(TESTED);
});

test('every offline command in docs/mirror.md succeeds without settings, and sends no request', async () => {
  const found = await run(['audit', '--mirror', 'books', '--period', '2025-Q3', '--json'], { cwd });
  const { ledgerId } = JSON.parse(found.stdout).findings.find(
    (one: Record<string, unknown>) => one['ledgerId'],
  );
  const lines = linesOf('Work offline with a mirror');
  expect(lines.filter((line) => line.includes('LEDGER_ID'))).toHaveLength(1);
  expect(lines.length).toBeGreaterThan(7);
  const before = sandbox.truth.requests().length;
  await succeed(
    lines.map((line) => line.replace('LEDGER_ID', ledgerId)),
    {},
  );
  expect(sandbox.truth.requests()).toHaveLength(before);
});

test('after the example listener of docs/mirror.md gets a delivery, the next update rereads the affected windows', async () => {
  const [line = '', ...others] = linesOf('Learn about edits from webhooks');
  expect(others).toEqual([]);
  const port = await freePort();
  const [, ...args] = line.split(' ');
  const listener = start([...args, '--port', String(port)], { env, cwd });
  await listener.said(/Press Ctrl-C to stop/);
  const url = `http://127.0.0.1:${port}/`;
  sandbox.events.addReceiver(url);
  atEnd(() => sandbox.events.removeReceiver(url));
  const done = { action: 'ACCOUNT_MANAGER', status: 'completed', reason: null, timestamp: 1_735_689_600_000 };
  sandbox.events.emit('costbasis.completed', done);
  await sandbox.events.settled();
  listener.child.kill('SIGINT');
  expect((await listener.ended).code).toBe(130);
  const { stdout, stderr } = await run(['mirror', 'books', '--json'], { env, cwd });
  expect(JSON.parse(stdout), stderr).toMatchObject({ legsRead: 700, rereadBecause: ['costbasis.completed'] });
});

test('every "mirror sql" query in docs/mirror.md succeeds', async () => {
  const lines = linesOf('Query it with SQL');
  expect(lines.length).toBeGreaterThan(4);
  await succeed(lines, {});
  const statements = statementsOf('Query it with SQL');
  expect(statements.length).toBeGreaterThan(3);
  for (const statement of statements) {
    const { code, stderr } = await run(['mirror', 'sql', 'books', statement], { cwd });
    expect(code, `${statement}\n${stderr}`).toBe(0);
  }
});

test('every DuckDB query in docs/mirror.md finds rows, and the last query counts every leg', async () => {
  const statements = statementsOf('Read it with other programs');
  expect(statements.length).toBeGreaterThan(2);
  const instance = await DuckDBInstance.create(':memory:');
  const connection = await instance.connect();
  atEnd(() => {
    connection.closeSync();
    instance.closeSync();
  });
  let last: unknown;
  for (const statement of statements) {
    const reader = await connection.runAndReadAll(statement.replaceAll("'books/", `'${join(cwd, 'books')}/`));
    if (/^\s*(--.*\n)?SELECT/.test(statement)) expect(reader.currentRowCount, statement).toBeGreaterThan(0);
    last = reader.getRows();
  }
  expect(last).toEqual([[700n]]);
});

test('every cron job in docs/mirror.md succeeds', async () => {
  const jobs = linesOf('Keep it up to date with cron', 'crontab');
  expect(jobs.length).toBeGreaterThan(1);
  for (const job of jobs) {
    const [, command = ''] = /^(?:\S+\s+){5}(cryptodata .*)$/.exec(job) ?? [];
    const { code, stdout, stderr } = await bash(command.replace('/srv/books', 'books'), { env, cwd });
    expect({ code, stderr }, `${job}\n${stdout}`).toEqual({ code: 0, stderr: '' });
  }
});
