// Tests that the answers about the books are the same from the service, from exported files and from a mirror.

import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, expect, test } from 'vitest';
import { checkNamed } from '../../src/books/audit/checks/index.ts';
import type { CheckResult, Finding } from '../../src/books/audit/findings.ts';
import type { JsonRecord } from '../../src/core/json.ts';
import { leg } from '../books/audit/support.ts';
import { books, mixed, PERIOD } from '../books/random-books.ts';
import { runs } from '../runs.ts';
import { endHere } from './in-process.ts';

let served: readonly JsonRecord[] = [];
const server = createServer((request, response) => {
  const { pathname, searchParams: query } = new URL(request.url ?? '', 'http://x');
  const [offset, limit] = [Number(query.get('offset') ?? 0), Number(query.get('limit') ?? 50)];
  const [from, to] = [Number(query.get('startTime') ?? 0), Number(query.get('endTime') ?? 1e15)];
  const within = served.filter(({ timestamp }) => Number(timestamp) >= from && Number(timestamp) <= to);
  const sorted = query.get('sortOrder') === 'asc' ? within : within.toReversed();
  const data = pathname === '/v1/ledgers' ? sorted : [];
  const meta = { total: data.length, limit, offset };
  response.writeHead(200, { 'content-type': 'application/json' });
  response.end(JSON.stringify({ data: data.slice(offset, offset + limit), meta }));
});
await once(server.listen(0, '127.0.0.1'), 'listening');
const directory = await mkdtemp(join(tmpdir(), 'cryptodata-sources-'));
afterAll(async () => {
  server.closeAllConnections();
  server.close();
  await rm(directory, { recursive: true, force: true });
});

const env = {
  CRYPTODATA_BASE_URL: `http://127.0.0.1:${Object(server.address()).port}`,
  CRYPTODATA_ACCESS_TOKEN: 'test-token-of-sources',
};

/** Runs a command that prints JSON. An error about the result is part of the answer. */
async function answer(...args: string[]) {
  const { stdout, error } = await endHere([...args, '--json'], env);
  if (stdout === '') throw error;
  return { answer: JSON.parse(stdout), error: error === undefined ? undefined : Object(error).code };
}

/** What an audit says about legs. The service also has accounts and transactions. */
function aboutLegs({
  answer: { legs, checks, findings, setAside, matched },
  error,
}: {
  answer: Audit;
  error: string;
}) {
  const isAboutLegs = ({ check }: { readonly check: string }) =>
    checkNamed(check).isAboutService === undefined;
  const offline = (found: readonly Finding[]) =>
    found.filter(isAboutLegs).map((finding) => ({
      ...finding,
      // The commands read the same source.
      next: withoutSource(finding.next),
      causes: finding.causes.map((cause) => ({ ...cause, next: withoutSource(cause.next) })),
    }));
  return {
    ...{ legs, matched, error, checks: checks.filter(isAboutLegs) },
    ...{ findings: offline(findings), setAside: offline(setAside) },
  };
}

interface Audit {
  readonly legs: number;
  readonly checks: readonly CheckResult[];
  readonly findings: readonly Finding[];
  readonly setAside: readonly Finding[];
  readonly matched: unknown;
}

const withoutSource = (command: string) => command.replace(/ --(file|mirror) \S+/, '');

test('the service, an exported file and a mirror give the same answers', async () => {
  let round = 0;
  const shown = { findings: 0, lines: 0 };
  await fc.assert(
    fc.asyncProperty(books, fc.nat({ max: 100 }), async (legs, seed) => {
      served = mixed(legs, seed);
      round += 1;
      const path = (name: string) => join(directory, `${round}-${name}`);
      for (const name of ['a.csv', 'a.jsonl', 'a.json']) {
        const { error } = await endHere(['ledgers', 'export', '--out', path(name)], env);
        if (error) throw error;
      }
      const { error } = await endHere(['mirror', path('mirror'), '--tables', 'none'], env);
      if (error) throw error;
      const sources = [
        ...['a.csv', 'a.jsonl', 'a.json'].map((name) => ['--file', path(name)]),
        ['--mirror', path('mirror')],
      ];
      const time = (at: number) => new Date(at).toISOString();
      const period = ['--from', time(PERIOD.from), '--to', time(PERIOD.to)];
      const commands = [
        ['ledgers', 'rollforward', ...period],
        ['ledgers', 'rollforward', '--by', 'asset', ...period],
        ['ledgers', 'disposals', ...period],
        ['balances', '--as-of', time(PERIOD.to)],
        ['balances', '--by', 'asset'],
        ['balances', '--wallet', String(legs[0]?.['walletId'])],
      ];
      for (const command of commands) {
        const online = await answer(...command);
        shown.lines += online.answer.length;
        for (const source of sources)
          expect(await answer(...command, ...source), `${source}`).toEqual(online);
      }
      for (const range of [[], period]) {
        const online = aboutLegs(await answer('audit', ...range));
        shown.findings += online.findings.length;
        for (const source of sources) {
          expect(aboutLegs(await answer('audit', ...range, ...source)), `${source}`).toEqual(online);
        }
      }
    }),
    { numRuns: runs(40) },
  );
  expect(shown.findings).toBeGreaterThan(10);
  expect(shown.lines).toBeGreaterThan(10);
}, 300_000);

test.each([
  ['t1', 'cryptodata txns ledgers t1'],
  ["o'neill 1", `cryptodata txns ledgers 'o'\\''neill 1'`],
  ['', 'cryptodata audit'],
])(
  'for a leg of transaction %j, "ledgers explain" suggests a command that can be pasted',
  async (transactionId, next) => {
    served = [leg('l1', { transactionId, type: 'incoming', beforeBalance: '0', afterBalance: '1' })];
    const { stdout } = await endHere(['ledgers', 'explain', 'l1', '--json'], env);
    expect(JSON.parse(stdout).next).toBe(next);
  },
);
