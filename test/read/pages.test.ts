import { describe, expect, test } from 'vitest';
import type { ServiceClient } from '../../src/client/client.ts';
import type { PagesOptions } from '../../src/client/listing.ts';
import { type WalkedPage, walkPages } from '../../src/client/paging.ts';
import { identityOf } from '../../src/core/identity.ts';
import { LosslessNumber } from '../../src/core/json.ts';
import { transactionsManifest } from '../../src/export/list-export.ts';
import { addTotal, newSummary, type ReadSummary, readPages, whyUnverified } from '../../src/read/pages.ts';
import { RecordRow, rowOf } from '../../src/read/rows.ts';
import { readTransactions, verdictOn } from '../../src/read/transactions.ts';
import { textOf } from '../rows.ts';

/** Walks through these pages. The total of the first page is 5, and the total of all later pages is 6. */
function pagesOf(...pages: (readonly unknown[])[]): AsyncGenerator<WalkedPage> {
  let at = 0;
  const fetch = async () => ({ rows: pages[at] ?? [], total: 5 + Math.min(at++, 1), extras: {} });
  return walkPages({ fetch, toTheEnd: true });
}

const summaryOf = (more: Partial<ReadSummary> = {}): ReadSummary => ({ ...newSummary(), ...more });

describe('readPages', () => {
  const pages = () =>
    pagesOf([{ id: 'a' }, 7, { id: 'b' }, { id: 'a' }], [{ id: 'b' }, {}, {}, { id: 1 }, { id: 1 }]);
  const read = async (options?: Parameters<typeof readPages>[2]) => {
    const summary = newSummary();
    const rows: unknown[] = [];
    for await (const row of readPages(pages(), summary, options)) rows.push(row);
    return { rows, summary };
  };

  test('skips a row whose id repeats, and a row without an id whose content repeats', async () => {
    expect(await read()).toEqual({
      rows: [{ id: 'a' }, { id: 'b' }, {}, { id: 1 }],
      summary: { ...newSummary(), rows: 4, duplicates: 4, firstTotal: 5, changedTotal: 6 },
    });
  });

  test('if a list ends early, returns the rows before the end, and stores the error in the summary', async () => {
    const summary = newSummary();
    const rows: unknown[] = [];
    const walked = walkPages({
      fetch: async ({ offset = 0 }) => ({ rows: [{ id: 'a' }].slice(offset), hasMore: true, extras: {} }),
    });
    for await (const row of readPages(walked, summary)) rows.push(row);
    expect(rows).toEqual([{ id: 'a' }]);
    expect(summary.early).toMatchObject({ code: 'LIST_ENDED_EARLY' });
    expect(whyUnverified(summary)).toBe(summary.early?.message);
  });

  test('returns every record if the option `unique` is false', async () => {
    const { rows, summary } = await read({ unique: false });
    expect(rows).toHaveLength(8);
    expect(summary).toMatchObject({ rows: 8, duplicates: 0 });
  });

  test('reports progress after each page', async () => {
    const rows: number[] = [];
    await read({ onProgress: (summary) => rows.push(summary.rows) });
    expect(rows).toEqual([2, 4, 4]);
  });
});

test('addTotal stores the first total, and the first later total with a different value', () => {
  const summary = newSummary();
  for (const total of [undefined, 5, 5, 6, 7]) addTotal(summary, total);
  expect(summary).toMatchObject({ firstTotal: 5, changedTotal: 6 });
});

test.each([
  [{ rows: 5, firstTotal: 5 }, undefined],
  [{ rows: 0, firstTotal: 0 }, undefined],
  [{ rows: 5 }, 'the service reports no total to compare the rows with'],
  [
    { rows: 5, firstTotal: 5000, changedTotal: 5001 },
    "the service's total changed from 5,000 to 5,001 during the read",
  ],
  [{ rows: 5, firstTotal: 5, reordered: true }, 'rows changed position during the read'],
  [{ rows: 5, firstTotal: 5, differs: 'returned other rows' }, 'the second read returned other rows'],
  [{ rows: 4, firstTotal: 5, reordered: true }, 'the service reports a total of 5 rows, but 4 were read'],
])('for %j, whyUnverified returns %j', (summary, why) => {
  expect(whyUnverified(summaryOf(summary), 'rows')).toBe(why);
});

describe('transactions', () => {
  const doubt = 'some may be missing';
  const noTotal = 'the service reports no total to compare the rows with';
  const evidence = { by: 'two reads', t0: 'T-0', t1: 'T-1' } as const;
  interface Verdict {
    readonly verified: boolean;
    readonly why?: string;
    readonly changed: boolean;
  }
  test.each<[Partial<ReadSummary>, string | undefined, Verdict]>([
    [{ rows: 5, firstTotal: 5 }, undefined, { verified: true, changed: false }],
    [{ rows: 5, firstTotal: 5 }, doubt, { verified: false, why: doubt, changed: false }],
    [{ rows: 5 }, doubt, { verified: false, why: doubt, changed: false }],
    [
      { rows: 4, firstTotal: 5 },
      doubt,
      {
        verified: false,
        why: 'the service reports a total of 5 transactions, but 4 were read',
        changed: true,
      },
    ],
    [{ rows: 5 }, undefined, { verified: false, why: noTotal, changed: false }],
    [
      { rows: 5, duplicates: 1 },
      undefined,
      { verified: false, why: 'the list changed during the read (1 duplicate row)', changed: true },
    ],
    [
      { rows: 5, duplicates: 2000, differs: 'returned other values of fee' },
      undefined,
      {
        ...{ verified: false, changed: true },
        why: 'the list changed during the read (2,000 duplicate rows; the second read returned other values of fee)',
      },
    ],
  ])(
    'for the summary %j and the reason for doubt %j, verdictOn returns %j',
    (summary, undecided, verdict) => {
      const { claim, changed } = verdictOn(summaryOf(summary), evidence, undecided);
      expect({ verified: claim.verified, why: claim.why, changed }).toEqual({ why: undefined, ...verdict });
    },
  );

  /** Runs readTransactions, which reads the list twice. The second read returns `second`. */
  async function readTwice(first: readonly unknown[][], second = first, totals = [3, 3]) {
    const lists = [first, second];
    const filtersAsked: unknown[] = [];
    let reads = 0;
    const list = (filters: unknown) => {
      filtersAsked.push(filters);
      return {
        asServed: () => ({
          pages(options: PagesOptions) {
            expect(options).toEqual({ toTheEnd: true });
            const at = reads++;
            let page = 0;
            const total = totals[at] ?? 0;
            return walkPages({
              ...options,
              fetch: async () => ({ rows: lists[at]?.[page++] ?? [], total, extras: {} }),
            });
          },
        }),
      };
    };
    const summary = newSummary();
    const rows: unknown[] = [];
    const client = { transactions: { list } } as unknown as ServiceClient;
    for await (const { id } of readTransactions({ client, filters: { types: ['x'] } as never }, summary))
      rows.push(id);
    expect(filtersAsked).toEqual([{ types: ['x'] }]);
    return { rows, reads, summary };
  }
  const PAGES = [[{ id: 'a' }, { id: 'b' }], [{ id: 'c' }], []];

  test('transactions are read twice, but each is returned only once', async () => {
    const found = await readTwice(PAGES);
    expect(found).toMatchObject({ rows: ['a', 'b', 'c'], reads: 2 });
    expect(found.summary).toEqual({ ...newSummary(), rows: 3, firstTotal: 3 });
    // Neither the page size nor the order of the second read matters if the records are the same.
    expect((await readTwice(PAGES, [PAGES.flat()])).summary.differs).toBeUndefined();
    expect((await readTwice(PAGES, [PAGES.flat().reverse()])).summary.differs).toBeUndefined();
  });

  test.each([
    [[[{ id: 'a' }, { id: 'b' }]], 'returned other rows'],
    [[[{ id: 'a' }, { id: 'b' }, { id: 'd' }]], 'returned other rows'],
    [[[{ id: 'a', fee: 1 }, { id: 'b' }, { id: 'c' }]], 'returned other values of fee'],
    [[[{ id: 'a', fee: 1, note: null }, { id: 'b' }, { id: 'c' }]], 'returned other values of fee, note'],
    [[], 'returned other rows'],
  ])('if the second read returns %j, the difference is: %s', async (second, differs) => {
    expect((await readTwice(PAGES, second)).summary.differs).toBe(differs);
  });

  test('a changed total in the second read is reported', async () => {
    expect((await readTwice(PAGES, PAGES, [3, 4])).summary).toMatchObject({ firstTotal: 3, changedTotal: 4 });
  });

  const manifestOf = (summary: Partial<ReadSummary>, kept: number, undecided?: string) =>
    transactionsManifest({
      ...{ summary: summaryOf(summary), selected: { kept, doubt: undecided } },
      written: { path: '/x/a.json', bytes: 9, sha256: 'f' },
      ...{ request: {}, unchecked: [], columns: null, began: 'T-0', ended: 'T-1' },
    });

  test('the manifest of transactions contains the checks and their results', () => {
    expect(manifestOf({ rows: 5, firstTotal: 5 }, 5)).toEqual({
      ...{ what: 'transactions', verified: true, rows: 5, request: {}, filtersNotChecked: [], columns: null },
      statement:
        "verified against the service's totals at T0 (T-0) and T1 (T-1): two reads returned the same records",
      file: { name: 'a.json', bytes: 9, sha256: 'f' },
      ...{ t0: { at: 'T-0', total: 5 }, t1: { at: 'T-1' }, fieldsLeftOut: {} },
      checks: {
        total: 'the same before and after, and equal to the number of rows',
        idsOnce: 'no duplicates',
        readAgain: 'the same records',
      },
    });
  });

  test('the manifest of transactions lists each contradiction', () => {
    const found = manifestOf({ rows: 5, firstTotal: 6, duplicates: 1, differs: 'returned other rows' }, 3);
    expect(found).toMatchObject({ verified: false, rows: 3, rowsRead: 5 });
    expect(found.statement).toBe(
      'not verified: the service reports a total of 6 transactions, but 5 were read',
    );
    expect(found['checks']).toEqual({
      total: '6, but 5 rows were read',
      idsOnce: '1 duplicate rows were skipped',
      readAgain: 'the second read returned other rows',
    });
    expect(manifestOf({ rows: 5 }, 5)).toMatchObject({
      t0: { total: null },
      checks: { total: 'not possible: the service reports no total' },
    });
    expect(manifestOf({ rows: 5, firstTotal: 5, changedTotal: 6 }, 5)).toMatchObject({
      checks: { total: 'it changed from 5 to 6' },
    });
  });
});

test('rows are identified by their id, or else by their whole text', () => {
  expect(identityOf({ id: 'a', x: 1 })).toBe('a');
  expect(identityOf({ id: 7 })).toBe('#7');
  expect(identityOf({ id: new LosslessNumber('12345678901234567890') })).toBe('#12345678901234567890');
  const rows = [1, '1', '#1', '"#1', 'json:1', '"', 'a'].map((id) => ({ id }));
  expect(new Set([...rows, 1, '#1'].map(identityOf)).size).toBe(rows.length + 2);
  expect(identityOf({ id: null })).toBe('json:{"id":null}');
  expect(identityOf([1])).toBe('json:[1]');
  expect(identityOf(undefined)).toBe('json:null');
});

test('a row that is not a record is not encoded, and its text is empty', () => {
  const encoder = { encode: () => 'text', extraFields: () => ['more'] };
  const row = rowOf({ id: 'a', timestamp: 5 }, encoder);
  expect(row).toMatchObject({ id: 'a', time: 5, isRecord: true, extraFields: ['more'] });
  expect(textOf(row)).toBe('text');
  expect(rowOf(row, encoder)).toBe(row);
  const odd = new RecordRow(7, encoder);
  expect([odd.isRecord, textOf(odd), odd.extraFields, odd.time]).toEqual([false, '', [], undefined]);
  expect(new RecordRow({}, { encode: () => '' }).extraFields).toEqual([]);
});
