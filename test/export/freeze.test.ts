import { describe, expect, test } from 'vitest';
import { freeze } from '../../src/export/freeze.ts';
import type { LedgerSelection, LedgerSource } from '../../src/read/ledger-source.ts';

const leg = (timestamp: unknown, id = `at${timestamp}`) => ({ id, timestamp });
const NOW = Date.parse('2025-07-01T00:00:00.000Z');

interface Answers {
  readonly latest?: readonly unknown[];
  readonly total?: number;
  readonly oldest?: readonly unknown[];
  /** The total in the response that contains the oldest row. A list has one total per attempt. */
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
    newest: async (span: { from: number; to: number } | undefined, offset: number) => {
      asked.push(`newest ${nameOf(span)} ${offset}`);
      return page([leg(1, 'new'), leg(2, 'newer')], 9);
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

describe('the frozen range', () => {
  test('`freeze` returns the range from the first row to the last row, and the total of this range', async () => {
    expect(await frozenOf({ counted: 10 })).toEqual({
      ...{ range: { from: 100, to: 200 }, total: 10, at, newest },
      asked: ['latest', 'page -Infinity-200 0 1', 'newest -Infinity-200 0', 'total 100-200'],
    });
  });

  test('the bounds of the frozen range are whole milliseconds, even if the times of rows have fractions', async () => {
    const found = await frozenOf({ latest: [leg(200.9)], oldest: [leg(100.9)] });
    expect(found.range).toEqual({ from: 100, to: 200 });
  });

  test('the frozen range lies within the requested span', async () => {
    const found = await frozenOf({}, { span: { from: 150, to: 180 } });
    expect(found.range).toEqual({ from: 150, to: 180 });
    expect(found.asked[1]).toBe('page 150-180 0 1');
    const wider = await frozenOf({}, { span: { from: 50, to: 500 } });
    expect(wider.range).toEqual({ from: 100, to: 200 });
    const sent = await frozenOf({}, { sent: { startTime: 70 } });
    expect(sent.asked[1]).toBe('page 70-200 0 1');
    expect((await frozenOf({}, { span: { from: 200 }, sent: {} })).range).toEqual({ from: 200, to: 200 });
  });

  test('an export has no frozen range if it has no rows or if the service reports no total', async () => {
    const list = { range: undefined, at, newest: [], asked: ['latest'] };
    expect(await frozenOf({ total: 0, latest: [] })).toEqual({ ...list, total: 0 });
    expect(await frozenOf({ total: -1 })).toEqual({ ...list, total: undefined });
  });

  test('an export with rows has a frozen range even if the service reports a total of 0', async () => {
    const found = await frozenOf({ total: 0, oldestTotal: 0, counted: 0 });
    expect(found).toMatchObject({ range: { from: 100, to: 200 }, total: 0 });
  });

  test('an export has no frozen range if its last row has no time or lies before the requested span', async () => {
    const list = { range: undefined, total: 9, at, newest, asked: ['latest', 'newest all 0'] };
    expect(await frozenOf({ latest: [leg('x', 'odd')] })).toEqual(list);
    expect(await frozenOf({ latest: [] })).toEqual(list);
    expect(await frozenOf({}, { span: { from: 201 } })).toEqual(list);
  });

  test('an export has no frozen range if its first row has no time or is later than its last row', async () => {
    for (const oldest of [[leg(null)], [leg(201)], []]) {
      const found = await frozenOf({ oldest, oldestTotal: 12 });
      expect(found).toMatchObject({ range: undefined, total: 12, newest });
      expect(found.asked).toHaveLength(3);
    }
    expect((await frozenOf({ oldest: [leg(200)] })).range).toEqual({ from: 200, to: 200 });
  });

  test('`freeze` makes up to three attempts if rows are deleted between its requests', async () => {
    expect(await frozenOf({ oldestTotal: [8, 9] })).toMatchObject({
      range: { from: 100, to: 200 },
      total: 9,
    });
    expect(await frozenOf({ oldestTotal: [8, 8, 9] })).toMatchObject({ range: { from: 100, to: 200 } });
    const found = await frozenOf({ oldestTotal: [8, 8, 8, 9] });
    expect(found).toMatchObject({ range: undefined, total: 9 });
    expect(found.asked.filter((name) => name === 'latest')).toHaveLength(3);
  });

  test('an export has no frozen range if the response with the oldest row does not include a total', async () => {
    expect((await frozenOf({ total: 1, oldestTotal: [], counted: 1 })).range).toBeUndefined();
  });

  test('an export has no frozen range if the service does not return the oldest row first', async () => {
    expect((await frozenOf({ oldestTotal: 9, counted: 8 })).range).toBeUndefined();
    expect((await frozenOf({ oldestTotal: 10, counted: 10 })).range).toBeDefined();
  });
});
