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
import { books, HOUR, mixed, PERIOD } from '../books/random-books.ts';
import { runs } from '../runs.ts';
import { endHere } from './in-process.ts';

let served: readonly JsonRecord[] = [];
/** An account without legs. */
const ACCOUNTS = [{ walletId: 'w3', status: 'COMPLETED', lastSyncedAt: 1 }];
const server = createServer((request, response) => {
  const { pathname, searchParams: query } = new URL(request.url ?? '', 'http://x');
  const [offset, limit] = [Number(query.get('offset') ?? 0), Number(query.get('limit') ?? 50)];
  const [from, to] = [Number(query.get('startTime') ?? 0), Number(query.get('endTime') ?? 1e15)];
  const within = served.filter(({ timestamp }) => Number(timestamp) >= from && Number(timestamp) <= to);
  const sorted = query.get('sortOrder') === 'asc' ? within : within.toReversed();
  const data = pathname === '/v1/ledgers' ? sorted : pathname === '/v1/integrations' ? ACCOUNTS : [];
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

/**
 * Runs a command that prints JSON. If the command prints a result and then fails, the answer contains the code of the error.
 */
async function answer(...args: string[]) {
  const { stdout, error } = await endHere([...args, '--json'], env);
  if (stdout === '') throw error;
  return { answer: JSON.parse(stdout), error: error === undefined ? undefined : Object(error).code };
}

/**
 * Returns the parts of an audit that are about legs, without checks that need the accounts or transactions of the service. If
 * the source has no accounts, transfers are omitted too.
 */
function aboutLegs(
  { answer: { legs, checks, findings, setAside, matched }, error }: { answer: Audit; error: string },
  hasAccounts: boolean,
) {
  const isAboutLegs = ({ check }: { readonly check: string }) =>
    checkNamed(check).isAboutService === undefined && (hasAccounts || check !== 'unmatched-transfer');
  const offline = (found: readonly Finding[]) =>
    found.filter(isAboutLegs).map((finding) => ({
      ...finding,
      // The suggested commands of findings differ only in their source, so omit the source. Only the service can show the
      // transaction of a cause.
      next: withoutSource(finding.next),
      causes: finding.causes.map(({ next: _, ...cause }) => cause),
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

function nextCommands({ findings, setAside }: Audit): string[] {
  return [...findings, ...setAside].flatMap(({ next, causes }) => [
    next,
    ...causes.map((cause) => cause.next),
  ]);
}

const withoutSource = (command: string) => command.replace(/ --(file|mirror) \S+/, '');

/**
 * Makes some incoming legs refer to a second wallet: a wallet with legs, an account without legs, or a foreign wallet. Outgoing
 * legs stay unchanged, because their kind of disposal depends on the accounts, which a file does not have.
 */
function namingWallets(legs: readonly JsonRecord[], seed: number): JsonRecord[] {
  return legs.map((leg, at) =>
    leg['type'] === 'incoming' && at % 2 === 0
      ? { ...leg, fromAccount: { walletId: `w${1 + ((at + seed) % 4)}` } }
      : leg,
  );
}

function transfersIn({ checks, findings, setAside }: Audit) {
  const isOfTransfers = ({ check }: { readonly check: string }) => check === 'unmatched-transfer';
  const found = [...findings, ...setAside].filter(isOfTransfers);
  const ids = found.map(({ id }) => id);
  return { status: checks.find(isOfTransfers)?.status, ids, messages: found.map(({ message }) => message) };
}

test('commands print the same results from the service, an exported file and a mirror', async () => {
  let round = 0;
  const shown = { findings: 0, lines: 0 };
  await fc.assert(
    fc.asyncProperty(books, fc.nat({ max: 100 }), async (legs, seed) => {
      served = mixed(namingWallets(legs, seed), seed);
      round += 1;
      const path = (name: string) => join(directory, `${round}-${name}`);
      for (const name of ['a.csv', 'a.jsonl', 'a.json']) {
        const { error } = await endHere(['ledgers', 'export', '--out', path(name)], env);
        if (error) throw error;
      }
      const { error } = await endHere(['mirror', path('mirror'), '--tables', 'integrations'], env);
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
        const online = await answer('audit', ...range);
        shown.findings += online.answer.findings.length;
        for (const source of sources) {
          const found = await answer('audit', ...range, ...source);
          expect(nextCommands(found.answer).filter((next) => /^cryptodata txns /.test(next))).toEqual([]);
          const hasAccounts = source[0] === '--mirror';
          expect(aboutLegs(found, hasAccounts), `${source}`).toEqual(aboutLegs(online, hasAccounts));
          if (hasAccounts) continue;
          // A file does not show whether a wallet without legs is an own wallet.
          const [own, all] = [transfersIn(found.answer), transfersIn(online.answer)];
          expect(all.ids).toEqual(expect.arrayContaining(own.ids));
          expect(JSON.stringify(own)).not.toContain('known account');
          if (own.status === 'passed') expect(all).toEqual(own);
        }
      }
    }),
    { numRuns: runs(40, 6) },
  );
  expect(shown.findings).toBeGreaterThan(10);
  expect(shown.lines).toBeGreaterThan(10);
});

test('a transfer to an account without legs is checked only with data from the service or from a mirror with accounts', async () => {
  const paid = leg('l1', { label: 'Payment', toAccount: { walletId: 'w3' } });
  served = [paid, leg('l2', { type: 'incoming', label: 'Payment', timestamp: 200 * HOUR })];
  const path = (name: string) => join(directory, `transfer-${name}`);
  const until = { from: new Date(99 * HOUR).toISOString(), to: new Date(150 * HOUR).toISOString() };
  const period = ['--from', until.from, '--to', until.to];
  await endHere(['ledgers', 'export', '--out', path('all.jsonl')], env);
  await endHere(['ledgers', 'export', ...period, '--out', path('period.jsonl')], env);
  for (const tables of ['integrations', 'none'])
    await endHere(['mirror', path(tables), '--tables', tables], env);
  const transfers = async (...source: string[]) => {
    const { answer: found } = await answer('audit', '--check', 'unmatched-transfer', ...source);
    const { status, ids } = transfersIn(found);
    return [status, ids.length, found.checks.map(({ why }: CheckResult) => why)];
  };
  const found = ['failed', 1, [null]];
  const unknown = [
    'partial',
    0,
    [expect.stringContaining('1 leg refers to a wallet that has no known legs.')],
  ];
  expect(await transfers()).toEqual(found);
  expect(await transfers('--mirror', path('integrations'))).toEqual(found);
  expect(await transfers('--mirror', path('none'))).toEqual(unknown);
  expect(await transfers('--file', path('all.jsonl'))).toEqual(unknown);
  expect((await transfers('--file', path('period.jsonl')))[0]).toBe('partial');
});

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
