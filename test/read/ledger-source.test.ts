import { afterEach, describe, expect, test, vi } from 'vitest';
import type { ServiceClient } from '../../src/client/client.ts';
import type { PagePosition } from '../../src/client/paging-styles.ts';
import type { ListPage } from '../../src/client/response.ts';
import {
  NetworkError,
  RateLimitError,
  RejectedError,
  UpstreamError,
  UsageError,
} from '../../src/core/errors.ts';
import { type LedgerSelection, LedgerSource } from '../../src/read/ledger-source.ts';
import { Pace } from '../../src/read/pace.ts';
import { skipSleeps } from '../sleeps.ts';

afterEach(() => {
  vi.restoreAllMocks();
});

type Answer = Partial<ListPage> | Error;

/** Creates a ledger source. Its service returns these responses in order, and then repeats the last response. */
function sourceOf(answers: readonly Answer[], selection: Partial<LedgerSelection> = {}, patience = 0) {
  const queries: Record<string, unknown>[] = [];
  const waits: number[] = [];
  let clock = 0;
  vi.spyOn(performance, 'now').mockImplementation(() => clock);
  skipSleeps((milliseconds) => {
    waits.push(milliseconds);
    clock += milliseconds;
  });
  let requests = 0;
  let query: Record<string, unknown> = {};
  const page = async (position: PagePosition) => {
    const asked = Object.entries({ ...query, ...position }).filter(([, value]) => value !== undefined);
    queries.push(Object.fromEntries(asked));
    const answer = answers[Math.min(requests, answers.length - 1)];
    requests += 1;
    if (answer instanceof Error) throw answer;
    return { rows: [], extras: {}, ...answer };
  };
  const list = (filters: Record<string, unknown>) => {
    query = filters;
    return { asServed: () => ({ page }), readBy: () => ({ page }) };
  };
  const { signal } = new AbortController();
  const source = new LedgerSource({
    client: { ledgers: { list } } as unknown as ServiceClient,
    selection: { filters: {}, span: {}, sent: {}, ...selection },
    pace: new Pace({ most: 4, signal }),
    ...{ signal, patience, backoff: 100 },
  });
  return { source, queries, waits, requests: () => requests };
}

const upwards = { sortBy: 'timestamp', sortOrder: 'asc' };

describe('a request for ledgers', () => {
  test('a request extends its span by one millisecond at both ends', async () => {
    const { source, queries } = sourceOf([{ total: 7 }]);
    await source.page({ from: 100, to: 200 }, 5);
    await source.page(undefined, 0, 1);
    expect(await source.total({ from: 100, to: 200 })).toBe(7);
    expect(queries).toEqual([
      { startTime: 99, endTime: 201, ...upwards, offset: 5, limit: 200 },
      { ...upwards, offset: 0, limit: 1 },
      { startTime: 99, endTime: 201, ...upwards, offset: 0, limit: 1 },
    ]);
  });

  test('a request extends its span by at most one millisecond at each end, and stays within the bounds in `sent`', async () => {
    const span = sourceOf([{}], { span: { from: 150, to: 180 } });
    await span.source.page({ from: 100, to: 200 }, 0);
    await span.source.page({ from: 160, to: 170 }, 0);
    await span.source.page(undefined, 0);
    const times = (queries: readonly Record<string, unknown>[]) =>
      queries.map(({ startTime, endTime }) => [startTime, endTime]);
    expect(times(span.queries)).toEqual([
      [149, 181],
      [159, 171],
      [149, 181],
    ]);
    const sent = sourceOf([{}], { sent: { startTime: 150, endTime: 180 } });
    await sent.source.page({ from: 100, to: 200 }, 0);
    await sent.source.page({ from: Number.NEGATIVE_INFINITY, to: 100 }, 0);
    expect(times(sent.queries)).toEqual([
      [150, 180],
      [150, 101],
    ]);
    const open = sourceOf([{}]);
    await open.source.page({ from: Number.NEGATIVE_INFINITY, to: 100 }, 0);
    expect(times(open.queries)).toEqual([[undefined, 101]]);
  });

  test('if the service rejects an offset after the end, the page has no rows, and has the total of the first page', async () => {
    const rejected = new RejectedError('VALIDATION_ERROR', 'offset is too large');
    const first = { total: 5, rows: [{ id: 'first' }] };
    const { source, queries } = sourceOf([rejected, first]);
    expect(await source.page({ from: 100, to: 200 }, 5, 1)).toMatchObject({ total: 5, rows: [] });
    expect(queries.map(({ offset }) => offset)).toEqual([5, 0]);
    await expect(sourceOf([rejected]).source.page(undefined, 0, 1)).rejects.toBe(rejected);
  });

  test('sorts by timestamp to find the last rows, and by createdAt to find the newest rows', async () => {
    const { source, queries } = sourceOf([{}], { filters: { types: ['fee'] } });
    await source.latest();
    await source.lastOf({ from: 1, to: 2 });
    await source.lastOf({ from: 1, to: 2 }, 200);
    for await (const _ of source.newest({ from: 1, to: 2 }));
    const types = ['fee'];
    const last = { types, startTime: 0, endTime: 3, sortBy: 'timestamp', sortOrder: 'desc' };
    expect(queries).toEqual([
      { types, sortBy: 'timestamp', sortOrder: 'desc', limit: 1 },
      { ...last, limit: 1 },
      { ...last, limit: 200 },
      { ...last, sortBy: 'createdAt', offset: 0, limit: 200 },
    ]);
  });

  test.each([
    [
      { total: 500, rows: [{}] },
      { total: 500, more: true },
    ],
    [
      { total: 500, rows: [{}], offset: 100 },
      { total: 500, more: true },
    ],
    // The service ignored the offset, so the response does not show whether the span has more rows.
    [
      { total: 500, rows: [{}], offset: 0 },
      { total: 500, more: false },
    ],
    [
      { total: 500, rows: [] },
      { total: 500, more: false },
    ],
    // If an offset is after the end, a service may still return a row.
    [
      { total: 50, rows: [{}] },
      { total: 50, more: false },
    ],
    [
      { total: 0, rows: [{}] },
      { total: undefined, more: false },
    ],
    [{ rows: [{}] }, { total: undefined, more: false }],
  ])(
    'for the response %j, `count` returns the total of the span, and `more` is true if the span has more rows',
    async (answer, expected) => {
      const { source, queries } = sourceOf([answer]);
      expect(await source.count({ from: 1, to: 2 }, 100)).toEqual(expected);
      expect(queries).toMatchObject([{ offset: 100, limit: 1 }]);
    },
  );
});

test('ignores a total that is not a whole number, and stores a reason that contains this total', async () => {
  const { source } = sourceOf([{ total: 1 }, { total: 2, oddTotal: '"2"' }, { total: 3, oddTotal: '3.5' }]);
  expect(await source.total(undefined)).toBe(1);
  expect(source.noTotal).toBe('the service reports no total to compare the rows with');
  expect(await source.total(undefined)).toBeUndefined();
  expect(await source.total(undefined)).toBeUndefined();
  expect(source.noTotal).toBe('the service reports "2" as its total, which is not a whole number');
});

describe('a failed request', () => {
  const KINDS = {
    network: NetworkError,
    service: UpstreamError,
    rateLimited: RateLimitError,
    usage: UsageError,
  };
  const failure = (kind: keyof typeof KINDS, code = 'X') => new KINDS[kind](code, 'broken');

  test.each(['network', 'service', 'rateLimited'] as const)(
    'after a %s failure, the wait doubles with each retry, and the retries stop 1,500 ms after the last response',
    async (kind) => {
      const { source, waits, requests } = sourceOf([{}, failure(kind)], {}, 1500);
      await source.page(undefined, 0);
      await expect(source.page(undefined, 0)).rejects.toThrow('broken');
      expect(waits).toEqual([100, 200, 400, 800]);
      expect(requests()).toBe(6);
    },
  );

  test('retries a failed request until a response arrives, and waits at most 10 seconds before each retry', async () => {
    const broken = Array.from({ length: 9 }, () => failure('network'));
    const { source, waits } = sourceOf(
      [{}, ...broken, { total: 3 }, failure('network'), { total: 4 }],
      {},
      1e6,
    );
    await source.page(undefined, 0);
    expect(await source.total(undefined)).toBe(3);
    expect(waits).toEqual([100, 200, 400, 800, 1600, 3200, 6400, 10_000, 10_000]);
    expect(await source.total(undefined)).toBe(4);
    expect(waits.at(-1)).toBe(100);
  });

  test.each([
    ['before the first successful response', [failure('network')], 1e6],
    ['if the patience is 0', [{}, failure('network')], 0],
    ['after a usage error', [{}, failure('usage')], 1e6],
    ['after a response that is nested too deeply', [{}, failure('service', 'NESTED_TOO_DEEPLY')], 1e6],
    ['after an internal error of the tool', [{}, new TypeError('broken')], 1e6],
  ])('a failed request is not retried %s', async (_, answers, patience) => {
    const { source, waits, requests } = sourceOf(answers, {}, patience);
    for (let at = 1; at < answers.length; at++) await source.page(undefined, 0);
    await expect(source.page(undefined, 0)).rejects.toThrow('broken');
    expect(waits).toEqual([]);
    expect(requests()).toBe(answers.length);
  });
});

test('fails if the service returns rows that a filter excludes', async () => {
  const { source } = sourceOf([{ rows: [{ id: 'a', type: 'fee' }, 7, { id: 'b', type: 'incoming' }] }], {
    filters: { types: ['fee'] },
  });
  await expect(source.latest()).rejects.toMatchObject({
    code: 'FILTER_IGNORED',
    message: 'The service ignored types=fee: it returned leg b, which this filter excludes',
  });
});

test('lists the filters that cannot be checked against rows', async () => {
  const filters = { types: ['fee'], providers: ['kraken'], extra: { labels: 'x' } } as const;
  const { source } = sourceOf([{ rows: [{ id: 'a', type: 'fee' }] }, { rows: [{ id: 'a' }] }], { filters });
  await source.latest();
  expect(source.unchecked).toEqual(['labels', 'providers']);
  await source.latest();
  expect(source.unchecked).toEqual(['labels', 'providers', 'types']);
});
