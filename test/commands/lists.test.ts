import { afterEach, describe, expect, test } from 'vitest';
import {
  CALM,
  type Conduct,
  type LedgerServer,
  makeRows,
  seeded,
  startLedgerServer,
} from '../export/ledger-server.ts';
import { endHere } from './in-process.ts';

let server: LedgerServer | undefined;
afterEach(async () => {
  await server?.close();
  server = undefined;
});

async function ledgers(count: number, conduct: Partial<Conduct>, ...args: readonly string[]) {
  await server?.close();
  const random = seeded(1);
  server = await startLedgerServer(makeRows(count, 0.3, random), { ...CALM, ...conduct }, random);
  const env = { CRYPTODATA_BASE_URL: server.url, CRYPTODATA_ACCESS_TOKEN: 'token', HOME: '/nonexistent' };
  const { stdout, error } = await endHere(['ledgers', ...args, '--jsonl'], env);
  return { rows: stdout.split('\n').filter(Boolean).length, error, requests: server.requests.length };
}

describe('--limit', () => {
  test('"ledgers list --limit" limits the number of rows, and requests only the necessary pages', async () => {
    expect(await ledgers(900, {}, 'list', '--limit', '450')).toMatchObject({ rows: 450, requests: 3 });
    expect(await ledgers(900, {}, 'list', '--limit', '1')).toMatchObject({ rows: 1, requests: 1 });
    expect(await ledgers(300, {}, 'list', '--limit', '5000')).toMatchObject({ rows: 300, requests: 2 });
  });

  test('--limit and --all cannot be combined, and the command fails before any request', async () => {
    expect(await ledgers(9, {}, 'list', '--limit', '1', '--all')).toMatchObject({
      error: { kind: 'usage', message: '--limit cannot be combined with --all' },
      requests: 0,
    });
  });
});

describe('a filter that the service ignores', () => {
  test.each([
    ['types', 'list --types fee'],
    ['types', 'list --types fee --all'],
    ['types', 'list --types fee --sum-by month'],
    ['assetIds', 'list --asset-ids asset_1 --all'],
    ['hasMissingPrice', 'list --has-missing-price --all'],
    ['gtAfterBalance', 'list --gt-after-balance 1 --all'],
    ['ltAfterBalance', 'negative'],
  ])('a filter that the service ignores (%s) causes exit code 12: ledgers %s', async (name, line) => {
    expect((await ledgers(300, { ignoredFilters: [name] }, ...line.split(' '))).error).toMatchObject({
      kind: 'unverified',
      code: 'FILTER_IGNORED',
      message: expect.stringContaining(`The service ignored ${name}=`),
    });
  });
});

describe('a list with a wrong total', () => {
  test.each(['capped', 'zero', 'page'] as const)(
    'a list with a wrong total is read to the end and reported as unverified: %s',
    async (totals) => {
      for (const pageSize of [200, 50]) {
        const conduct = { totals, pageSize, hidesPageSize: true };
        expect(await ledgers(450, conduct, 'list', '--all')).toMatchObject({
          rows: 450,
          error: { kind: 'unverified', code: expect.stringMatching(/TOTAL_MISMATCH|LIST_MOVED/) },
        });
      }
    },
  );
});

describe('an unknown option', () => {
  test.each([
    ['holdings --wallet Krakn', "error: unknown option '--wallet'"],
    ['ledgers --walet Kraken', "error: unknown option '--walet'\n(Did you mean --wallet?)"],
    ['ledgers --form 2025-01-01', "error: unknown option '--form'\n(Did you mean --from?)"],
    ['holdings --xyz', "error: unknown option '--xyz'"],
  ])(
    'every unknown option is rejected, and the error contains a suggestion only if a similar option exists: %s',
    async (line, message) => {
      expect((await endHere(line.split(' '), {})).error).toMatchObject({ message });
    },
  );
});
