import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Filter } from '../../src/api/filters.ts';
import { ledgerFilters } from '../../src/api/ledgers.ts';
import { endHere } from '../commands/in-process.ts';

const SAMPLES: Readonly<Record<Filter['kind'], string>> = {
  list: 'a1,a2',
  flag: 'true',
  decimal: '-1e-18',
  time: '1735689600000',
};

const declared = Object.entries<Filter>(ledgerFilters).map(([name, filter]) => {
  const value = filter.choices?.join(',') ?? SAMPLES[filter.kind];
  return {
    name,
    value,
    flag: `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}=${value}`,
  };
});

/** `negative` asks for balances itself. */
const ofNegative = declared.filter(({ name }) => !name.endsWith('AfterBalance'));

/** Whether a request only asks if a single value exists. */
function isCheck({ searchParams }: URL): boolean {
  return (
    searchParams.size === 2 && searchParams.get('limit') === '1' && /=a[12](&|$)/.test(`${searchParams}`)
  );
}

describe('every declared filter of ledgers reaches the service', () => {
  const asked: URL[] = [];
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '', 'http://service');
    asked.push(url);
    const offset = Number(url.searchParams.get('offset') ?? 0);
    // A leg without the fields that filters decide by.
    const data = offset === 0 ? [{ id: 'l1', timestamp: 1_735_689_600_000 }] : [];
    response.end(JSON.stringify({ data, meta: { total: 1, limit: 50, offset } }));
  });
  let env: NodeJS.ProcessEnv = {};
  let directory = '';
  beforeAll(async () => {
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    directory = await mkdtemp(join(tmpdir(), 'filters-'));
    env = {
      CRYPTODATA_BASE_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
      CRYPTODATA_ACCESS_TOKEN: 'token',
      CRYPTODATA_CONFIG_DIR: directory,
    };
  });
  afterAll(async () => {
    server.close();
    await rm(directory, { recursive: true });
  });

  /** The values of one parameter in every request that a command line sends. */
  async function sent(name: string, ...args: readonly string[]): Promise<Set<string | null>> {
    asked.length = 0;
    const { error } = await endHere(['ledgers', ...args], env);
    // The one leg that is served says too little for negative to verify its result.
    if (args[0] !== 'negative') expect(error).toBeUndefined();
    // negative also reads the neighbours of what it found, which no filter selects.
    const requests = asked.filter(
      (url) =>
        url.pathname === '/v1/ledgers' &&
        !isCheck(url) &&
        (args[0] !== 'negative' || url.searchParams.get('ltAfterBalance') === '0'),
    );
    expect(requests.length).toBeGreaterThan(0);
    return new Set(requests.map(({ searchParams }) => searchParams.get(name)));
  }

  test.each(declared)('$name from ledgers list', async ({ name, value, flag }) => {
    expect(await sent(name, 'list', flag)).toEqual(new Set([value]));
    expect(await sent(name, 'list', '--all', flag)).toEqual(new Set([value]));
    expect(await sent(name, 'list', '--sum-by', 'month', flag)).toEqual(new Set([value]));
  });

  test.each(ofNegative)('$name from ledgers negative', async ({ name, value, flag }) => {
    expect(await sent(name, 'negative', flag)).toEqual(new Set([value]));
  });

  test.each(declared)('$name from ledgers export and ledgers verify', async ({ name, value, flag }) => {
    const file = join(directory, `${name}.csv`);
    expect(await sent(name, 'export', '--out', file, flag)).toEqual(new Set([value]));
    expect(await sent(name, 'verify', file)).toEqual(new Set([value]));
  });
});
