import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Filter } from '../../src/api/filters.ts';
import { LISTS } from '../../src/api/index.ts';
import { flagName } from '../../src/cli/flags.ts';
import { TREE } from '../../src/commands/tree.ts';
import { endHere } from '../commands/in-process.ts';

interface Reader {
  /** The arguments of the command. FILE is a placeholder for the path of a new file. */
  readonly line: readonly string[];
  /** A second command, which reads the file and sends the same filters. */
  readonly afterwards?: readonly string[];
  /** Filters that the command sets itself. */
  readonly except?: RegExp;
  /** Returns true for requests from which the command deliberately omits the filters. */
  readonly ignores?: (query: URLSearchParams) => boolean;
  /** Code of the error that the command reports for the rows of the test service. */
  readonly failsWith?: string;
}

/** For the path of each list: the commands that read the list and accept its filters. */
const READERS: Readonly<Record<string, readonly Reader[]>> = {
  '/v1/ledgers': [
    { line: ['ledgers', 'list'] },
    { line: ['ledgers', 'list', '--all'] },
    { line: ['ledgers', 'list', '--sum-by', 'month'] },
    {
      line: ['ledgers', 'negative'],
      except: /AfterBalance$/,
      // This command also reads the legs around each leg that it finds.
      ignores: (query) => query.get('ltAfterBalance') !== '0',
      failsWith: 'LIST_MOVED',
    },
    { line: ['ledgers', 'export', '--out', 'FILE'], afterwards: ['ledgers', 'verify', 'FILE'] },
  ],
  '/v1/transactions': [
    { line: ['txns', 'list'] },
    { line: ['txns', 'list', '--all'] },
    { line: ['txns', 'list', '--period', '2025'] },
    { line: ['txns', 'export', '--out', 'FILE'] },
  ],
  '/v1/providers': [{ line: ['providers', 'list'] }, { line: ['providers', 'list', '--all'] }],
  '/v1/assets/search': [{ line: ['assets', 'search'] }, { line: ['assets', 'search', '--all'] }],
  '/api/v1/nft-holdings': [{ line: ['legacy', 'nfts'] }, { line: ['legacy', 'nfts', '--all'] }],
  '/v0/defi-holdings': [{ line: ['legacy', 'defi'] }, { line: ['legacy', 'defi', '--all'] }],
};

const SAMPLES: Readonly<Record<Filter['kind'], string>> = {
  list: 'a1,a2',
  flag: 'true',
  decimal: '-1e-18',
  time: '1735689600000',
  text: 'a1',
  choice: '',
  count: '1',
};

function sampleOf({ kind, choices }: Filter): string {
  return (kind === 'list' ? choices?.join(',') : choices?.[0]) ?? SAMPLES[kind];
}

/** Whether the only purpose of a request is to check that a filter value exists. */
function isCheck(query: URLSearchParams): boolean {
  return query.size === 2 && query.get('limit') === '1' && /=a[12](&|$)/.test(`${query}`);
}

const filtered = LISTS.filter(({ filters }) => Object.keys(filters).length > 0);

const asked: URL[] = [];
const server = createServer((request, response) => {
  const url = new URL(request.url ?? '', 'http://service');
  asked.push(url);
  const offset = Number(url.searchParams.get('offset') ?? 0);
  // A row that has none of the fields that filters use.
  const row = { id: 'r1', timestamp: 1_735_689_600_000 };
  const rows = url.pathname === '/v1/integrations' ? [{ walletId: 'a1' }, { walletId: 'a2' }] : [row];
  const data = offset === 0 ? rows : [];
  response.end(JSON.stringify({ data, meta: { total: rows.length, limit: 50, offset } }));
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

/** Runs a command that requests a list. Returns the values that one query parameter has in these requests. */
async function sent(
  path: string,
  name: string,
  args: readonly string[],
  { ignores = () => false, failsWith }: Reader,
): Promise<Set<string | null>> {
  asked.length = 0;
  const { error } = await endHere(args, env);
  if (error !== undefined) expect(error).toMatchObject({ code: failsWith });
  const queries = asked.filter(({ pathname }) => pathname === path).map(({ searchParams }) => searchParams);
  const meant = queries.filter((query) => !isCheck(query) && !ignores(query));
  expect(meant.length).toBeGreaterThan(0);
  return new Set(meant.map((query) => query.get(name)));
}

describe.each(filtered)('$path', ({ path, filters, parameters }) => {
  const readers = READERS[path] ?? [];

  test('the test runs at least one command that requests the list', () => expect(readers).not.toEqual([]));

  describe.each(readers)('$line', (reader) => {
    const file = (word: string) => (word === 'FILE' ? join(directory, `${reader.line.join('-')}.csv`) : word);
    const declared = Object.entries<Filter>(filters).filter(([name]) => !reader.except?.test(name));

    test.each(declared)('sends %s', async (name, filter) => {
      const value = sampleOf(filter);
      const args = [...reader.line.map(file), `${flagName(name)}=${value}`];
      const overwrite = reader.line.includes('FILE') ? ['--overwrite'] : [];
      expect(await sent(path, name, [...args, ...overwrite], reader)).toEqual(new Set([value]));
      if (reader.afterwards === undefined) return;
      expect(await sent(path, name, reader.afterwards.map(file), reader)).toEqual(new Set([value]));
    });
  });

  const [first] = readers;
  const others = Object.entries<Filter>(parameters);
  test.each(first ? others : [])('the list command sends the parameter %s', async (name, filter) => {
    if (first === undefined) return;
    const value = sampleOf(filter);
    const args = [...first.line, `${flagName(name)}=${value}`];
    expect(await sent(path, name, args, first)).toEqual(new Set([value]));
  });
});

test('every command with filter flags is tested', async () => {
  const tested = Object.values(READERS).flatMap((readers) =>
    readers.map(({ line: [noun, verb] }) => `${noun} ${verb}`),
  );
  const taking: string[] = [];
  for (const { path, filters } of filtered) {
    const noun = TREE.find(({ name }) => name === READERS[path]?.[0]?.line[0]);
    for (const { name, flags } of (await noun?.load())?.verbs ?? []) {
      if (Object.keys(filters).some((filter) => filter in flags)) taking.push(`${noun?.name} ${name}`);
    }
  }
  expect(taking.filter((command) => !tested.includes(command))).toEqual([]);
  expect(taking.length).toBeGreaterThan(8);
});

test.each([
  ['ltAfterBalance', '--lt-after-balance'],
  ['isHighPnLReviewed', '--is-high-pnl-reviewed'],
  ['tokenId', '--token-id'],
])('maps the filter %s to the flag %s', (name, flag) => expect(flagName(name)).toBe(flag));
