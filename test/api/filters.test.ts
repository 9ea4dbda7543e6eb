import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Filter, listFilter, textFilter } from '../../src/api/filters.ts';
import { LISTS } from '../../src/api/index.ts';
import { flagName } from '../../src/cli/flags.ts';
import { TREE } from '../../src/commands/tree.ts';
import { endHere } from '../commands/in-process.ts';
import { type Row, SAMPLES, type Sample } from './filter-samples.ts';

interface Reader {
  /** The arguments of the command. FILE is a placeholder for the path of a new file. */
  readonly line: readonly string[];
  /** A second command, which reads the file and sends the same filters. */
  readonly afterwards?: readonly string[];
  /** Filters that the command sets itself. */
  readonly except?: RegExp;
  /** Returns true for requests from which the command deliberately omits the filters. */
  readonly ignores?: (query: URLSearchParams) => boolean;
}

/** Further commands that read a list and accept its filters, by the path of the list. */
const FURTHER: Readonly<Record<string, readonly Reader[]>> = {
  '/v1/ledgers': [
    { line: ['ledgers', 'list', '--sum-by', 'month'] },
    {
      line: ['ledgers', 'negative'],
      except: /AfterBalance$/,
      // `ledgers negative` also reads the legs around each leg that it finds.
      ignores: (query) => query.get('ltAfterBalance') !== '0',
    },
    { line: ['ledgers', 'export', '--out', 'FILE'], afterwards: ['ledgers', 'verify', 'FILE'] },
  ],
  '/v1/transactions': [
    { line: ['txns', 'list', '--period', '2025'] },
    { line: ['txns', 'export', '--out', 'FILE'] },
  ],
};

const verbs = (await Promise.all(TREE.map(({ load }) => load()))).flatMap(({ name: noun, verbs }) =>
  verbs.map((verb) => ({ ...verb, words: [noun, verb.name] })),
);

/**
 * Returns the commands that read a list: the list commands, each with one page and with all pages, and the further commands.
 */
function readersOf(path: string): readonly Reader[] {
  const shown = verbs.filter(({ list, flags }) => list?.path === path && 'all' in flags);
  const lines = shown.flatMap(({ words }) => [{ line: words }, { line: [...words, '--all'] }]);
  return [...lines, ...(FURTHER[path] ?? [])];
}

const filtered = LISTS.filter(({ filters }) => Object.keys(filters).length > 0);

function sampleOf(path: string, name: string): Sample {
  return SAMPLES[path]?.[name] ?? { value: '' };
}

/** A value for a parameter that is not a filter. */
const PARAMETERS: Readonly<Record<string, string>> = { flag: 'true', time: '1735689600000', count: '1' };

/** The rows of the list that the current test reads. */
let rows: readonly Row[] = [];
/** Whether the service applies filters. If false, the service returns all rows for every value. */
let applies = false;

const TIME = 1_735_689_600_000;
/** Fields that the commands need, whatever the filter. */
const BASE: Readonly<Record<string, Row>> = {
  '/v1/ledgers': { type: 'fee', quantity: '1', walletId: 'wal_main', afterBalance: '-1', beforeBalance: '0' },
};

/** The lists in which commands look up known values. */
const KNOWN: Readonly<Record<string, readonly Row[]>> = {
  '/v1/integrations': [{ walletId: 'wal_main', provider: 'kraken', providerPublicName: 'Kraken' }],
  '/v1/labels': [{ name: 'Airdrop' }],
  '/v1/providers': [{ id: 'binance', publicName: 'Binance' }],
  '/v1/ledgers': [{ id: 'l1', walletId: 'wal_2', assetId: 'asset_LINK', label: 'Reward' }],
};

const asked: URL[] = [];
let path = '';
const server = createServer((request, response) => {
  const url = new URL(request.url ?? '', 'http://service');
  const { pathname, searchParams } = url;
  asked.push(url);
  const offset = Number(searchParams.get('offset') ?? 0);
  const all = pathname === path ? rows : (KNOWN[pathname] ?? []);
  const isMatch = [...searchParams].every(
    ([name, value]) => name.startsWith('not') || value === (SAMPLES[pathname]?.[name]?.value ?? value),
  );
  const found = applies && !isMatch ? [] : all;
  const data = found.slice(offset, offset + Number(searchParams.get('limit') ?? 50));
  response.end(JSON.stringify({ data, meta: { total: found.length, limit: 50, offset } }));
});
let env: NodeJS.ProcessEnv = {};
let directory = '';

beforeAll(async () => {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  directory = await mkdtemp(join(tmpdir(), 'filters-'));
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  env = {
    CRYPTODATA_BASE_URL: address,
    CRYPTODATA_LEGACY_BASE_URL: address,
    CRYPTODATA_ACCESS_TOKEN: 'token',
    CRYPTODATA_CLIENT_ID: 'id',
    CRYPTODATA_CLIENT_SECRET: 'secret',
    CRYPTODATA_CONFIG_DIR: directory,
  };
});
afterAll(async () => {
  server.close();
  await rm(directory, { recursive: true });
});

/** Runs a command against a service that has these rows. Returns the requests for the list. */
async function run(list: string, args: readonly string[], served: readonly (Row | undefined)[]) {
  asked.length = 0;
  path = list;
  rows = served.map((row, at) => ({ id: `row_${at}`, timestamp: TIME + at, ...BASE[list], ...row }));
  const file = (word: string) => (word === 'FILE' ? join(directory, 'rows.csv') : word);
  const ended = await endHere(args.map(file), env);
  const queries = asked.filter(({ pathname }) => pathname === list).map(({ searchParams }) => searchParams);
  return { ...ended, queries };
}

/** Whether the declaration of a filter says that every value is possible, so that no value is checked. */
function acceptsAnyText({ kind, known, choices }: Filter): boolean {
  return (kind === 'text' || kind === 'list') && choices === undefined && 'unchecked' in known;
}

/** Whether the only purpose of a request is to check that a filter value exists. */
function isCheck(query: URLSearchParams): boolean {
  return query.size === 2 && query.get('limit') === '1';
}

describe.each(filtered)('$path', ({ path, filters, parameters }) => {
  const readers = readersOf(path);

  test('every list is requested by at least one of the tested commands', () =>
    expect(readers).not.toEqual([]));

  test('each filter accepts one of its sample rows, and each filter that checks rows also rejects one', () => {
    const shapes = (of: (name: string, filter: Filter) => boolean) =>
      Object.fromEntries(Object.entries<Filter>(filters).map(([name, filter]) => [name, of(name, filter)]));
    expect(shapes((name) => sampleOf(path, name).fails !== undefined)).toEqual(
      shapes((_, { decides }) => decides !== undefined),
    );
    expect(Object.keys(SAMPLES[path] ?? {})).toEqual(Object.keys(filters));
  });

  describe.each(readers.map((reader) => [reader.line.join(' '), reader] as const))('"%s"', (_, reader) => {
    const declared = Object.entries<Filter>(filters).filter(([name]) => !reader.except?.test(name));
    const overwrite = reader.line.includes('FILE') ? ['--overwrite'] : [];
    const argsFor = (name: string, value: string) => [
      ...reader.line,
      ...overwrite,
      `${flagName(name)}=${value}`,
    ];

    test.each(declared)('sends %s, and accepts a row that passes the filter', async (name, filter) => {
      const { value, passes } = sampleOf(path, name);
      const sent = (queries: readonly URLSearchParams[]) =>
        new Set(
          queries
            .filter((query) => !isCheck(query) && !reader.ignores?.(query))
            .map((query) => query.get(name)),
        );
      applies = true;
      const { error, queries, stderr } = await run(path, argsFor(name, value), [passes]);
      expect(error).toBeUndefined();
      expect(sent(queries)).toEqual(new Set([value]));
      // The note names a filter that no field of the row decides.
      const isNoted = stderr.includes(`Filters not verified: ${name}.`);
      expect(isNoted).toBe(filter.decides === undefined);
      if (reader.afterwards === undefined) return;
      const afterwards = await run(path, reader.afterwards, [passes]);
      expect(sent(afterwards.queries)).toEqual(new Set([value]));
    });

    const decided = declared.filter(([, { decides }]) => decides);
    test.each(decided)('fails if the service ignores %s, and prints no wrong row', async (name) => {
      applies = false;
      const { value, passes, fails } = sampleOf(path, name);
      const wrong = { ...fails, id: 'wrong' };
      const { error, stdout } = await run(path, argsFor(name, value), [passes, wrong, passes]);
      expect(error).toMatchObject({
        kind: 'unverified',
        code: 'FILTER_IGNORED',
        message: expect.stringContaining(`The service ignored ${name}=`),
      });
      expect(stdout).not.toContain('wrong');
    });

    const misspelt = declared
      .filter(([, filter]) => !acceptsAnyText(filter))
      .flatMap(([name, filter]) => [true, false].map((honoured) => ({ name, filter, honoured })));
    test.each(misspelt)(
      'rejects a misspelt value for $name (the service applies filters: $honoured)',
      async ({ name, filter, honoured }) => {
        applies = honoured;
        const { value, passes } = sampleOf(path, name);
        const { error, stdout } = await run(path, argsFor(name, `${value}x`), [passes]);
        const known = 'word' in filter.known;
        expect(error).toMatchObject({
          kind: 'usage',
          ...(known ? { code: 'UNKNOWN_VALUE', hint: expect.stringContaining(`Did you mean ${value}`) } : {}),
        });
        expect(stdout).toBe('');
      },
    );
  });

  const [first] = readers;
  const others = Object.entries<Filter>(parameters);
  test.each(first ? others : [])(
    'the list command sends the parameter %s',
    async (name, { kind, choices }) => {
      const value = choices?.[0] ?? PARAMETERS[kind] ?? '';
      const { queries } = await run(path, [...(first?.line ?? []), `${flagName(name)}=${value}`], [{}]);
      expect(queries.map((query) => query.get(name))).toContain(value);
    },
  );
});

test('a filter by word or id must declare the source of its known values', () => {
  // @ts-expect-error: `known` is missing
  listFilter('legs of these wallets', 'ids', {});
  // @ts-expect-error: `known` is missing
  textFilter('NFT with this name', 'name', { decides: () => true });
  // @ts-expect-error: neither values nor a source
  textFilter('NFT with this name', 'name', { known: { word: 'name' } });
  // @ts-expect-error: a filter without `known`
  const filter: Filter = { kind: 'list', help: 'legs of these wallets', value: 'ids' };
  expect(filter.kind).toBe('list');
});

test('every command with filter flags is tested', () => {
  for (const { path, filters } of filtered) {
    const tested = readersOf(path).map(({ line: [noun, verb] }) => `${noun} ${verb}`);
    const nouns = new Set(readersOf(path).map(({ line: [noun] }) => noun));
    const taking = verbs.filter(
      ({ words, flags, list }) =>
        nouns.has(words[0]) &&
        (list === undefined || list.path === path) &&
        Object.keys(filters).some((filter) => filter in flags),
    );
    expect(taking.map(({ words }) => words.join(' ')).filter((words) => !tested.includes(words))).toEqual([]);
    expect(taking.length).toBeGreaterThan(0);
  }
});

test('every list that a command shows is tested with all its declared filters', () => {
  const shown = new Set(verbs.flatMap(({ list }) => list ?? []));
  expect(shown.size).toBeGreaterThan(15);
  for (const list of shown) expect(LISTS).toContain(list);
});

test.each([
  ['ltAfterBalance', '--lt-after-balance'],
  ['isHighPnLReviewed', '--is-high-pnl-reviewed'],
  ['tokenId', '--token-id'],
])('maps the filter %s to the flag %s', (name, flag) => expect(flagName(name)).toBe(flag));
