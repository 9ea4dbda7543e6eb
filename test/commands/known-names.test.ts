// Runs commands in the sandbox with ids and names that do not exist, and with paging parameters in -q.

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { entriesOf, wordsOf } from '../../src/cli/describe.ts';
import { TREE } from '../../src/commands/tree.ts';
import { shellWord } from '../../src/core/text.ts';
import { createSandbox } from '../../src/sandbox/index.ts';
import { endHere, runHere } from './in-process.ts';

const sandbox = await createSandbox({ rows: 200, data: 'example' });
const { env } = sandbox;
const directory = await mkdtemp(join(tmpdir(), 'cryptodata-names-'));
const file = join(directory, 'legs.jsonl');
await runHere(['ledgers', 'export', '--out', file], env);
afterAll(async () => {
  await sandbox.close();
  await rm(directory, { recursive: true, force: true });
});

const end = (line: string) => endHere(line.split(' '), env);
const json = async (line: string) => JSON.parse((await runHere([...line.split(' '), '--json'], env)).stdout);
const accounts: Record<string, string>[] = await json('integrations --all');
const ledger = accounts.find(({ provider }) => provider === 'ledger') ?? {};

describe('an unknown filter value', () => {
  test('an unknown contract causes a warning, because any address is possible', async () => {
    const { error, stderr } = await end('legacy nfts --contract 0xabc');
    expect(error).toBeUndefined();
    expect(stderr).toBe('warning: No NFT has the contract 0xabc.\nNo NFTs found.\n');
  });

  test('a misspelt contract is rejected, and the hint suggests the similar contract', async () => {
    const [{ contractAddress }] = await json('legacy nfts --limit 1');
    const { error } = await end(`legacy nfts --contract ${contractAddress.slice(0, -1)}`);
    expect(error).toMatchObject({ code: 'UNKNOWN_VALUE', hint: `Did you mean ${contractAddress}?` });
  });

  test.each([
    ['legacy nfts --collection nosuchcollection', 'To list all NFTs, omit --collection.'],
    ['ledgers --asset-ids nosuchasset_nosuchasset', 'Find the id of an asset with: cryptodata assets TEXT.'],
  ])('%s: the hint shows how to list the values', async (line, hint) => {
    expect((await end(line)).error).toMatchObject({ code: 'UNKNOWN_VALUE', hint });
  });
});

describe('a misspelt name of an account', () => {
  test.each([
    'txns --not-wallet-ids Ledgr',
    'balances --wallet Ledgr',
    'ledgers rollforward --period 2025 --wallet Ledgr',
    'integrations assets Ledgr',
  ])('%s: the hint suggests the similar name', async (line) => {
    const { error } = await end(line);
    expect(error).toMatchObject({
      kind: 'usage',
      hint: expect.stringMatching(`Did you mean .*${ledger['walletId']}`),
    });
  });

  test.each(['audit', 'balances', 'ledgers rollforward', 'ledgers disposals'])(
    '%s --file: the hint suggests the similar id, or lists the known ids',
    async (command) => {
      const id = accounts[0]?.['walletId'] ?? '';
      const { error } = await end(`${command} --file ${file} --wallet ${id.slice(0, -1)}`);
      expect(error).toMatchObject({
        code: 'UNKNOWN_NAME',
        hint: expect.stringContaining(`Did you mean ${id}`),
      });
      expect((await end(`${command} --file ${file} --wallet Ledgr`)).error).toMatchObject({
        code: 'UNKNOWN_NAME',
        hint: expect.stringContaining(id),
      });
    },
  );
});

const PAIRS = [
  'ledgers',
  'ledgers negative',
  'balances',
  'ledgers rollforward',
  'ledgers disposals',
  'audit',
];

describe.each(PAIRS)('%s with a wallet name as --asset, or an asset name as --wallet', (words) => {
  const hintOf = async (...flag: string[]) => (await endHere([...words.split(' '), ...flag], env)).error;

  test('if --asset contains the name of a wallet, the hint suggests --wallet', async () => {
    const { alias = '', provider = '', walletId = '' } = ledger;
    for (const [name, word] of [alias, provider.toUpperCase(), walletId].map((one) => [
      one,
      shellWord(one),
    ])) {
      expect(await hintOf('--asset', name ?? '')).toMatchObject({
        code: 'UNKNOWN_NAME',
        hint: `${name} is a wallet: use --wallet ${word}`,
      });
    }
  });

  test('if --wallet contains the symbol of an asset, the hint suggests --asset', async () => {
    expect(await hintOf('--wallet', 'btc')).toMatchObject({
      code: 'UNKNOWN_NAME',
      hint: 'btc is an asset: use --asset btc',
    });
  });
});

test('for an unknown asset, the hint contains similar symbols, or five assets that are in many wallets', async () => {
  expect((await end('balances --asset EHT')).error).toMatchObject({
    hint: expect.stringMatching(/^Did you mean \S+ \(ETH\)/),
  });
  const rows: Record<string, string>[] = await json('balances');
  const wallets = (symbol: string) => rows.filter((row) => row['symbol'] === symbol).length;
  const { hint = '' } = (await end('balances --asset qqqqqqqq')).error as { hint?: string };
  const listed = [...hint.matchAll(/\(([^)]+)\)/g)].map(([, symbol = '']) => wallets(symbol));
  expect(hint).toMatch(/^Known assets: .*, and \d+ more\.$/);
  expect(listed).toHaveLength(5);
  expect(listed).toEqual([...listed].sort((left, right) => right - left));
  expect(listed[0]).toBe(Math.max(...rows.map((row) => wallets(row['symbol'] ?? ''))));
});

const declared = await entriesOf(TREE);

describe('a comma-separated list of names', () => {
  /** Every flag that accepts only one name, but can be repeated. */
  const flags = declared.flatMap(({ verb, ...entry }) =>
    Object.values(verb.flags).flatMap(({ written, schema, separated }) =>
      Object(schema).items?.type === 'string' && !separated
        ? [[wordsOf({ verb, ...entry }), written.split(' ')[0] ?? ''] as const]
        : [],
    ),
  );
  const MORE: Readonly<Record<string, readonly string[]>> = {
    'ledgers export': ['--out', join(directory, 'x.csv')],
    'ledgers explain': ['led_1'],
    'audit explain': ['finding'],
  };

  test('at least 14 flags accept one name at a time', () => {
    expect(flags.length).toBeGreaterThan(13);
  });

  test.each(flags)('"%s %s a,b" says that the flag is repeatable', async (words, flag) => {
    const [one, other] = flag === '--wallet' ? [ledger['walletId'], 'kraken'] : ['BTC', 'ETH X'];
    const line = [...words.split(' '), ...(MORE[words] ?? []), flag, `${one},${other}`];
    const { error } = await endHere(line, env);
    expect(error).toMatchObject({
      code: 'UNKNOWN_NAME',
      hint: `To select several, repeat the flag: ${flag} ${one} ${flag} ${flag === '--wallet' ? other : "'ETH X'"}`,
    });
  });
});

test('"integrations assets" accepts the id, the alias and the provider of an account', async () => {
  const { walletId = '', alias = '', provider = '' } = ledger;
  const rows = await json(`integrations assets ${walletId}`);
  for (const name of [alias, provider]) {
    const { stdout } = await runHere(['integrations', 'assets', name, '--json'], env);
    expect(JSON.parse(stdout)).toEqual(rows);
  }
});

const taking = (await entriesOf(TREE)).filter(
  ({ verb, noun }) => noun.sends && verb.operands?.some(({ written }) => /^<(id|account)>$/.test(written)),
);

test.each(taking.map(wordsOf))(
  'for %s, the error contains the id that does not exist, and the command that lists the ids',
  async (words) => {
    const { error } = await end(`${words} nosuch_nosuch`);
    expect(error).toMatchObject({
      kind: 'notFound',
      hint: expect.stringMatching(/no \w+ with the id "nosuch_nosuch"\. List the ids with: cryptodata /),
    });
  },
);

describe('paging parameters', () => {
  test.each([
    ['ledgers -q limit=5', '--limit N'],
    ['txns -q offset=50 --all', '--offset N'],
    ['txns -q page=2 --all', '--offset N'],
    ['spam -q limit=5', '--limit N'],
    ['holdings -q page=2', '--offset N'],
    ['legacy nfts -q limit=5', '--limit N'],
  ])('%s is rejected, and the hint contains the flag to use instead', async (line, flag) => {
    expect((await end(line)).error).toMatchObject({
      code: 'PAGING_PARAMETER',
      hint: expect.stringContaining(flag),
    });
  });

  test.each(['/v1/ledgers?offset=5', '/v1/ledgers?page=2', '/v1/ledgers -q offset=5'])(
    '"api --all" rejects a start position: %s',
    async (target) => {
      expect((await end(`api ${target} --all`)).error).toMatchObject({
        kind: 'usage',
        message: expect.stringMatching(/^--all reads all pages, so (offset|page) cannot be set$/),
      });
    },
  );

  test('"api --all" uses limit as the page size', async () => {
    const { stdout, error } = await end('api /v1/ledgers?limit=150 --all');
    expect(error).toBeUndefined();
    expect(JSON.parse(stdout)).toHaveLength(200);
  });
});
