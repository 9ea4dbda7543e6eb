import { MockAgent } from 'undici';
import { describe, expect, test } from 'vitest';
import type { ServiceClient } from '../../src/client/client.ts';
import { connectClient } from '../../src/client/create.ts';
import type { PagesOptions } from '../../src/client/listing.ts';
import { walkPages } from '../../src/client/paging.ts';
import type { JsonRecord } from '../../src/core/json.ts';
import { readLedgerList, withSpan } from '../../src/read/ledgers.ts';
import { newSummary, whyUnverified } from '../../src/read/pages.ts';

const BASE = 'https://api.example.test';

interface Row {
  readonly id: string;
  readonly timestamp: number;
}

const rows = (count: number): Row[] =>
  Array.from({ length: count }, (_, at) => ({ id: `l${at}`, timestamp: at }));

/** Reads from a service. `drift` changes the rows of the service after each response. */
async function read(start: Row[], drift: (rows: Row[], request: number) => Row[] = (same) => same) {
  const agent = new MockAgent();
  agent.disableNetConnect();
  let held = start;
  let request = 0;
  const pool = agent.get(BASE).intercept({ path: (path) => path.startsWith('/v1/ledgers?'), method: 'GET' });
  pool
    .reply(200, ({ path }) => {
      const query = new URL(path, BASE).searchParams;
      const offset = Number(query.get('offset') ?? 0);
      const limit = Number(query.get('limit') ?? 50);
      const data = held.slice(offset, offset + limit);
      const answer = { data, meta: { total: held.length, limit, offset } };
      request += 1;
      held = drift(held, request);
      return answer;
    })
    .persist();
  const client = connectClient({ baseUrl: BASE, accessToken: 'token', dispatcher: agent, retries: 0 });
  const reading = newSummary();
  const given: JsonRecord[] = [];
  for await (const row of readLedgerList({ client, filters: {} }, reading)) given.push(row);
  await agent.close();
  return { given: given.map(({ id }) => id), reading };
}

describe('reading ledgers', () => {
  test.each([0, 1, 200, 201, 450])(
    'reads %i unchanged rows once each and in order, and verifies them',
    async (count) => {
      const { given, reading } = await read(rows(count));
      expect(given).toEqual(rows(count).map(({ id }) => id));
      expect(whyUnverified(reading)).toBeUndefined();
    },
  );

  test('a read is verified if legs with the same time are in another order in each response', async () => {
    const tied = rows(450).map(({ id }, at) => ({ id, timestamp: 1000 + Math.floor(at / 3) }));
    // Each response rotates the three legs of each time by one.
    const rotate = (held: Row[]) => held.map((_, at) => held[3 * Math.floor(at / 3) + ((at + 1) % 3)] as Row);
    const { given, reading } = await read(tied, rotate);
    expect(new Set(given).size).toBe(450);
    expect(whyUnverified(reading)).toBeUndefined();
  });

  test('a read is unverified if deletions make the service skip rows', async () => {
    const { given, reading } = await read(rows(450), (held, request) =>
      request === 1 ? held.slice(3) : held,
    );
    expect(given).not.toContain('l200');
    expect(whyUnverified(reading)).toBe("the service's total changed from 450 to 447 during the read");
  });

  test('detects a deletion and an addition that together leave the total unchanged', async () => {
    const { reading } = await read(rows(450), (held, request) =>
      request === 1 ? [...held.slice(1), { id: 'new', timestamp: 1000 }] : held,
    );
    expect(reading.rows).toBe(451);
    expect(whyUnverified(reading)).toContain('450 legs, but 451 were read');
    const twice = await read(rows(450), (held, request) =>
      request === 1 ? [...held.slice(3), ...['a', 'b', 'c'].map((id) => ({ id, timestamp: 1000 }))] : held,
    );
    expect(twice.given).not.toContain('l200');
    expect(whyUnverified(twice.reading)).toBe('the service reports a total of 450 legs, but 452 were read');
    expect(twice.reading.reordered).toBe(true);
  });

  test('if a row is added during the read, each row is returned once, but the read is unverified', async () => {
    const late = (held: Row[], request: number) =>
      request === 1 ? [{ id: 'new', timestamp: -1 }, ...held] : held;
    const { given, reading } = await read(rows(450), late);
    expect(new Set(given).size).toBe(given.length);
    expect(reading.duplicates).toBeGreaterThan(0);
    expect(whyUnverified(reading)).toContain('from 450 to 451');
  });

  test('detects that rows were reordered while the total stays correct', async () => {
    // The last row moves to the front and shifts all other rows, so the second page repeats rows of the first page.
    const swap = (held: Row[], request: number) =>
      request === 1 ? [...held.slice(-1), ...held.slice(0, -1)] : held;
    const { reading } = await read(rows(450), swap);
    expect(whyUnverified(reading)).toBe('the service reports a total of 450 legs, but 449 were read');
  });
});

describe('paging through ledgers', () => {
  /** Reads a list with at most `size` rows per page. Each page reports `total`. */
  async function requestsOf(
    count: number,
    { size = 200, total = count as number | null, repeats = false } = {},
  ) {
    const asked: string[] = [];
    const list = (query: Record<string, unknown>) => ({
      asServed: () => ({
        pages: (options: PagesOptions) =>
          walkPages({
            fetch: async ({ offset = 0, limit = 50 }) => {
              asked.push(`${offset}`);
              expect(query).toMatchObject({ sortBy: 'timestamp', sortOrder: 'asc', types: ['fee'] });
              const from = repeats ? 0 : offset;
              const page = rows(count).slice(from, from + Math.min(size, limit));
              const fee = page.map((row) => ({ ...row, type: 'fee' }));
              return { rows: fee, ...(total === null ? {} : { total }), extras: {} };
            },
            ...{ ...options, style: 'offset', start: { limit: 200 } },
          }),
      }),
    });
    const summary = newSummary();
    const client = { ledgers: { list } } as unknown as ServiceClient;
    const progress: number[] = [];
    const onProgress = (now: { rows: number }) => progress.push(now.rows);
    for await (const _ of readLedgerList({ client, filters: { types: ['fee'] }, onProgress }, summary));
    return { asked, summary, progress };
  }

  test.each([
    [0, ['0']],
    [1, ['0', '1']],
    [199, ['0', '197']],
    [200, ['0', '198']],
    [201, ['0', '198', '200']],
    [450, ['0', '198', '396', '448']],
  ])(
    'requests for %i rows overlap by two rows, and end with a page without new rows',
    async (count, asked) => {
      const found = await requestsOf(count);
      expect(found.asked).toEqual(asked);
      expect(found.summary).toEqual({ ...newSummary(), rows: count, firstTotal: count });
      expect(found.progress.at(-1)).toBe(count);
    },
  );

  test('paging continues if a total is too small or missing', async () => {
    const capped = await requestsOf(120, { size: 50, total: 10 });
    expect(capped.summary).toMatchObject({ rows: 120, reordered: false });
    expect(capped.asked).toEqual(['0', '48', '96', '118']);
    const none = await requestsOf(120, { size: 50, total: null });
    expect(none.summary).toMatchObject({ rows: 120, firstTotal: undefined });
    expect(none.asked.at(-1)).toBe('118');
  });

  test('paging fails after two requests if the service repeats its rows before the total is reached', async () => {
    const read = requestsOf(200, { total: 10_000, repeats: true });
    await expect(read).rejects.toMatchObject({ code: 'BAD_PAGING' });
  });

  test('a list is verified if the service ignores the offset but returns all rows', async () => {
    const { asked, summary } = await requestsOf(150, { repeats: true });
    expect(whyUnverified(summary)).toBeUndefined();
    expect(asked).toEqual(['0', '148']);
  });

  test('a read is unverified if the service does not sort the legs by time', async () => {
    const { reading } = await read(rows(450).reverse());
    expect(whyUnverified(reading)).toBe('the service did not sort the legs by time');
  });

  test('pages of one row are read with one request for each row, and the order is not verified', async () => {
    const { asked, summary } = await requestsOf(5, { size: 1 });
    expect(summary).toMatchObject({ rows: 5, reordered: false, unjoined: true });
    expect(asked).toEqual(['0', '1', '2', '3', '4', '5']);
  });
});

test('fails if the service returns a row that does not match the filters', async () => {
  const fetch = async () => ({ rows: [{ id: 'a', type: 'fee' }], total: 1, extras: {} });
  const pages = () => walkPages({ fetch });
  const client = { ledgers: { list: () => ({ asServed: () => ({ pages }) }) } } as unknown as ServiceClient;
  const reading = readLedgerList({ client, filters: { types: ['incoming'] } }, newSummary());
  await expect(reading.next()).rejects.toMatchObject({ code: 'FILTER_IGNORED' });
});

test('withSpan extends a span by one millisecond at each end, and takes a missing bound from `startTime` or `endTime`', () => {
  const bounds = { startTime: 5, endTime: 500 };
  expect(withSpan({ types: ['fee'] }, { from: 100, to: 200 }, bounds)).toEqual({
    types: ['fee'],
    startTime: 99,
    endTime: 201,
  });
  expect(withSpan({}, { from: 100 }, bounds)).toEqual({ startTime: 99, endTime: 500 });
  expect(withSpan({}, { to: 200 }, bounds)).toEqual({ startTime: 5, endTime: 201 });
  expect(withSpan({}, {}, {})).toEqual({ startTime: undefined, endTime: undefined });
});
