import { describe, expect, test } from 'vitest';
import { freeze } from '../../src/export/plan.ts';
import type { LedgerSelection, LedgerSource } from '../../src/read/ledger-source.ts';

const leg = (timestamp: unknown, id = `at${timestamp}`) => ({ id, timestamp });
const NOW = Date.parse('2025-07-01T00:00:00.000Z');

interface Answers {
  readonly latest?: readonly unknown[];
  readonly total?: number;
  readonly oldest?: readonly unknown[];
  /** The total in the response that contains the oldest row. If this is an array, it has one total per attempt. */
  readonly oldestTotal?: number | readonly number[];
  readonly counted?: number;
}

/** Calls `freeze` with a source that returns these responses. */
async function frozenOf(
  { latest = [leg(200)], total = 9, oldest = [leg(100)], oldestTotal = 9, counted = 9 }: Answers,
  selection: Partial<LedgerSelection> = {},
) {
  const asked: string[] = [];
  let attempts = 0;
  const nameOf = (span?: { from: number; to: number }) => (span ? `${span.from}-${span.to}` : 'all');
  const page = (rows: readonly unknown[], total: number | undefined) =>
    total === undefined ? { rows, extras: {} } : { rows, total, extras: {} };
  const source = {
    latest: async () => {
      asked.push('latest');
      attempts += 1;
      return page(latest, total < 0 ? undefined : total);
    },
    page: async (span: { from: number; to: number }, offset: number, limit: number) => {
      asked.push(`page ${nameOf(span)} ${offset} ${limit}`);
      const totals = typeof oldestTotal === 'number' ? [oldestTotal] : oldestTotal;
      return page(oldest, totals[Math.min(attempts, totals.length) - 1]);
    },
    newest: async function* (span: { from: number; to: number } | undefined) {
      asked.push(`newest ${nameOf(span)}`);
      yield page([leg(1, 'new'), leg(2, 'newer')], 9);
    },
    total: async (span: { from: number; to: number }) => {
      asked.push(`total ${nameOf(span)}`);
      return counted;
    },
  } as unknown as LedgerSource;
  const frozen = await freeze(source, { filters: {}, span: {}, sent: {}, ...selection }, () => NOW);
  return { ...frozen, asked };
}

const at = '2025-07-01T00:00:00.000Z';
const newest = ['new', 'newer'];
const OPEN = Number.NEGATIVE_INFINITY;

describe('the frozen range', () => {
  test('without a requested period, the frozen range has no start and ends with the last row', async () => {
    expect(await frozenOf({ counted: 10 })).toEqual({
      ...{ range: { from: OPEN, to: 200 }, filled: { from: 100, to: 200 }, total: 9, at, newest },
      asked: ['latest', 'page -Infinity-200 0 1', 'newest -Infinity-200', 'total 100-200'],
    });
  });

  test('the frozen range is the requested period, also before the first row and after the last row', async () => {
    const found = await frozenOf({}, { span: { from: 50, to: 500 } });
    expect(found).toMatchObject({ range: { from: 50, to: 500 }, filled: { from: 100, to: 200 } });
    expect(found.asked).toEqual(['latest', 'page 50-500 0 1', 'newest 50-500', 'total 100-200']);
    const sent = await frozenOf({}, { sent: { startTime: 70, endTime: 300 } });
    expect(sent).toMatchObject({ range: { from: 70, to: 300 }, filled: { from: 100, to: 200 } });
  });

  test.each([
    ['is not over', NOW],
    ['ends in the future', NOW + 1000],
  ])('the range ends with the last row if the period %s', async (_, to) => {
    expect((await frozenOf({}, { span: { from: 50, to } })).range).toEqual({ from: 50, to: 200 });
  });

  test('the bounds of the frozen range are whole milliseconds for rows with fractional times', async () => {
    const found = await frozenOf({ latest: [leg(200.9)], oldest: [leg(100.9)] });
    expect(found).toMatchObject({ range: { from: OPEN, to: 200 }, filled: { from: 100, to: 200 } });
  });

  test('the frozen range lies within the requested span', async () => {
    const found = await frozenOf({}, { span: { from: 150, to: 180 } });
    expect(found).toMatchObject({ range: { from: 150, to: 180 }, filled: { from: 150, to: 180 } });
    expect(found.asked[1]).toBe('page 150-180 0 1');
    expect((await frozenOf({}, { span: { from: 200 }, sent: {} })).range).toEqual({ from: 200, to: 200 });
  });

  test('an export without rows, or without a total from the service, has no frozen range', async () => {
    const list = { range: undefined, filled: undefined, at, newest: [], asked: ['latest'] };
    expect(await frozenOf({ total: 0, latest: [] })).toEqual({ ...list, total: 0 });
    expect(await frozenOf({ total: -1 })).toEqual({ ...list, total: undefined });
  });

  test('an export with rows has a frozen range if the service reports a total of 0', async () => {
    const found = await frozenOf({ total: 0, oldestTotal: 0, counted: 0 });
    expect(found).toMatchObject({ range: { from: OPEN, to: 200 }, total: 0 });
  });

  test('an export whose last row has no time, or lies before the requested span, has no frozen range', async () => {
    const list = {
      range: undefined,
      filled: undefined,
      total: 9,
      at,
      newest,
      asked: ['latest', 'newest all'],
    };
    expect(await frozenOf({ latest: [leg('x', 'odd')] })).toEqual(list);
    expect(await frozenOf({ latest: [] })).toEqual(list);
    expect(await frozenOf({}, { span: { from: 201 } })).toEqual(list);
  });

  test('an export whose first row has no time, or is later than its last row, has no frozen range', async () => {
    for (const oldest of [[leg(null)], [leg(201)], []]) {
      const found = await frozenOf({ oldest, oldestTotal: 12 });
      expect(found).toMatchObject({ range: undefined, total: 12, newest });
      expect(found.asked).toHaveLength(3);
    }
    expect((await frozenOf({ oldest: [leg(200)] })).filled).toEqual({ from: 200, to: 200 });
  });

  test('`freeze` makes up to three attempts if rows are deleted between its requests', async () => {
    expect(await frozenOf({ oldestTotal: [8, 9] })).toMatchObject({
      range: { from: OPEN, to: 200 },
      total: 9,
    });
    expect(await frozenOf({ oldestTotal: [8, 8, 9] })).toMatchObject({ range: { from: OPEN, to: 200 } });
    const found = await frozenOf({ oldestTotal: [8, 8, 8, 9] });
    expect(found).toMatchObject({ range: undefined, filled: undefined, total: 8 });
    expect(found.asked.filter((name) => name === 'latest')).toHaveLength(3);
  });

  test('an export has no frozen range if the response with the oldest row lacks a total', async () => {
    expect((await frozenOf({ total: 1, oldestTotal: [], counted: 1 })).range).toBeUndefined();
  });

  test('an export has no frozen range if the service does not return the oldest row first', async () => {
    expect((await frozenOf({ oldestTotal: 9, counted: 8 })).range).toBeUndefined();
    expect((await frozenOf({ oldestTotal: 10, counted: 10 })).range).toBeDefined();
  });
});
