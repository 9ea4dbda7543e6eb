import { createServer } from 'node:http';
import { afterAll, describe, expect, test } from 'vitest';
import { entriesOf, wordsOf } from '../../src/cli/describe.ts';
import { TREE } from '../../src/commands/tree.ts';
import { sandboxed } from '../e2e/harness.ts';
import { endHere, runHere } from './in-process.ts';

const bare = await sandboxed({ rows: 60 });
const example = await sandboxed({ rows: 60, data: 'example' });
const [account] = JSON.parse((await runHere(['integrations', '--json'], bare.env)).stdout);
const LISTS = [
  'labels',
  'spam',
  'assets',
  'holdings nfts',
  'holdings defi',
  'holdings balances',
  `integrations assets ${account.walletId}`,
];

describe('a list without records in the sandbox', () => {
  test.each(LISTS)(
    'if a list is empty, the output suggests --data example, which provides records: %s',
    async (line) => {
      const args = line.split(' ');
      for (const more of [[], ['--all'], ['--json']]) {
        const { stdout, stderr } = await runHere([...args, ...more], bare.env);
        expect(stderr).toContain('--data example');
        expect(stdout.trim()).toBe(more[0] === '--json' ? '[]' : '');
      }
      const { stdout, stderr } = await runHere([...args, '--json', '--limit', '2'], example.env);
      expect(JSON.parse(stdout)[0]).toMatchObject({ example: true });
      expect(stderr).not.toContain('--data example');
    },
  );
});

test('the holdings table starts with symbol, quantity and value if the records contain them', async () => {
  const heading = async (env: NodeJS.ProcessEnv) =>
    (await runHere(['holdings'], env)).stdout.split('\n', 1)[0]?.split(/ {2,}/);
  expect((await heading(example.env))?.slice(0, 4)).toEqual(['symbol', 'quantity', 'value', 'cost basis']);
  expect((await heading(bare.env))?.slice(0, 2)).toEqual(['symbol', 'cost basis']);
});

describe('a service that reports rows and returns none', () => {
  const meta = { total: 5, limit: 50, offset: 0 };
  const server = createServer((_, response) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ data: [], meta, totalCount: 5, pagination: meta }));
  }).listen(0, '127.0.0.1');
  afterAll(() => server.close());
  const urlOf = () => {
    const address = server.address();
    return typeof address === 'object' ? `http://127.0.0.1:${address?.port}` : '';
  };
  const lists = [
    ...['ledgers list', 'txns list', 'providers list', 'integrations list', 'labels', 'spam', 'assets list'],
    ...['contacts', 'counter-parties', 'holdings list', 'holdings nfts', 'holdings defi'],
    ...['holdings balances', 'api GET /v1/ledgers'],
  ];

  test.each(lists)('"%s" exits with 12 if the service reports rows but returns none', async (line) => {
    const words = line.split(' ');
    const url = urlOf();
    const env = { CRYPTODATA_BASE_URL: url, CRYPTODATA_AUTH_URL: url, CRYPTODATA_ACCESS_TOKEN: 't' };
    for (const more of [[], ['--all'], ['--limit', '3'], ['--offset', '2', '--all']]) {
      if (words[0] === 'api' && more[0] !== '--all') continue;
      // Providers are paged by number.
      if (words[0] === 'providers' && more[0] === '--offset') continue;
      const { error, stderr } = await endHere([...words, ...more], env);
      expect({ more, error, stderr }).toMatchObject({ error: { kind: 'unverified' } });
    }
  });
});

describe('a service that ignores the offset and reports no total', () => {
  const rows = Array.from({ length: 3 }, (_, at) => ({ id: `${at}`, walletId: `w${at}`, timestamp: at }));
  const server = createServer(({ url }, response) => {
    // All assets belong to the account that the path names.
    const data = url?.includes('/assets') ? rows.map((row) => ({ ...row, walletId: 'w1' })) : rows;
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ data }));
  }).listen(0, '127.0.0.1');
  afterAll(() => server.close());

  test('every list with --offset warns if the service possibly ignored the offset', async () => {
    const address = server.address();
    const url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
    const env = {
      ...{ CRYPTODATA_BASE_URL: url, CRYPTODATA_AUTH_URL: url, CRYPTODATA_ACCESS_TOKEN: 't' },
      ...{ CRYPTODATA_LEGACY_PUBLIC_URL: url, CRYPTODATA_LEGACY_BASE_URL: url },
      ...{ CRYPTODATA_CLIENT_ID: 'c', CRYPTODATA_CLIENT_SECRET: 's' },
    };
    const entries = (await entriesOf(TREE)).filter(({ verb }) => 'offset' in verb.flags);
    expect(entries.length).toBeGreaterThan(8);
    for (const words of entries.map(wordsOf)) {
      const operands =
        words === 'assets search'
          ? ['a', '--text-parameter', 'q']
          : words === 'integrations assets'
            ? ['w1']
            : [];
      const line = [...words.split(' '), ...operands, '--json'];
      const { stderr, error } = await endHere([...line, '--offset', '1'], env);
      expect(`${words}: ${stderr}${error}`).toContain('it may have ignored the offset 1');
      expect((await endHere(line, env)).stderr, words).not.toContain('ignored the offset');
    }
  });
});
