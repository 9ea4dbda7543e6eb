import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, afterEach, describe, expect, test, vi } from 'vitest';
import { isBadPaging, walkPages } from '../../src/client/paging.ts';
import { SegmentWriter } from '../../src/export/segment.ts';
import { NotByTimeError, readWindow, type WindowOptions } from '../../src/export/window.ts';
import type { LedgerSource, RowsOptions } from '../../src/read/ledger-source.ts';
import type { Row } from '../../src/read/rows.ts';
import { rowWith, textOf } from '../rows.ts';
import { runs } from '../runs.ts';
import { skipSleeps } from '../sleeps.ts';
import { seeded } from './ledger-server.ts';

const directory = mkdtempSync(join(tmpdir(), 'cryptodata-window-'));
afterAll(() => rmSync(directory, { recursive: true, force: true }));
afterEach(() => {
  vi.restoreAllMocks();
});

interface Page {
  readonly rows: readonly Row[];
  readonly total?: number | undefined;
}

const row = (id: string, time: number | undefined = 1000, isRecord = true): Row =>
  rowWith({ id, time, isRecord, text: `${id}\n` });
const rowsOf = (count: number) =>
  Array.from({ length: count }, (_, at) => row(`r${String(at).padStart(5, '0')}`));

/** Returns a function that serves `rows` in pages of `size` rows. */
const list =
  (rows: readonly Row[], total: number | undefined = rows.length, size = 200) =>
  (offset: number): Page => ({ rows: rows.slice(offset, offset + size), total });

/** Reads a window from a service whose responses come from `page`. */
async function readOf(page: (offset: number, request: number) => Page, more: Partial<WindowOptions> = {}) {
  const offsets: number[] = [];
  const waits: number[] = [];
  skipSleeps((milliseconds) => waits.push(milliseconds));
  const source = {
    noTotal: 'no total',
    rows: (_: unknown, { take, toTheEnd }: RowsOptions) =>
      walkPages<Row>({
        fetch: async ({ offset = 0 }) => {
          offsets.push(offset);
          const { rows, total } = page(offset, offsets.length);
          return { rows, ...(total === undefined ? {} : { total }), extras: {} };
        },
        ...{ start: { offset: 0, limit: 200 }, overlap: ({ time }) => time },
        ...{ identify: ({ id }) => id, take, toTheEnd },
      }),
  } as unknown as LedgerSource;
  const writer = new SegmentWriter(directory);
  await writer.begin('1');
  const onRows = vi.fn();
  const span = { from: 1000, to: 1000 };
  const { outside, ...read } = await readWindow(source, writer, {
    ...{ encoder: { encode: () => '' }, span, wanted: span, backoff: 7, onRows },
    ...{ signal: new AbortController().signal, ...more },
  });
  vi.restoreAllMocks();
  // `onRows` is called at most once per request, because a page without new rows may take several requests.
  expect(onRows.mock.calls.length).toBeGreaterThan(0);
  expect(onRows.mock.calls.length).toBeLessThanOrEqual(offsets.length);
  const { rows } = writer;
  const { file } = await writer.finish();
  const text = file === null ? '' : readFileSync(join(directory, file), 'utf8');
  return { ...read, outside: [...outside], offsets, waits, rows, text };
}

const calm = { outside: [], waits: [] };

describe('a window', () => {
  test.each([
    [0, [0]],
    [1, [0]],
    [199, [0]],
    // After a full page, one more page is requested, even if the number of rows has reached the total.
    // All rows have the same time, so each page repeats a quarter of the previous page.
    [200, [0, 150]],
    [201, [0, 150]],
    [399, [0, 150, 300]],
    [450, [0, 150, 300]],
  ])('a single read verifies a window of %i rows, because its pages overlap', async (count, offsets) => {
    const found = await readOf(list(rowsOf(count)));
    expect(found).toEqual({
      ...{ ...calm, total: count, reads: 1, offsets, rows: count },
      text: rowsOf(count).map(textOf).join(''),
    });
  });

  test('with `toTheEnd`, a window is read until the service returns an empty page', async () => {
    const found = await readOf(list(rowsOf(450)), { toTheEnd: true });
    expect(found).toMatchObject({ ...calm, total: 450, reads: 1, rows: 450 });
    // The last page has only rows that it shares with the previous page.
    expect(found.offsets).toEqual([0, 150, 300, 412]);
    expect((await readOf(list([]), { toTheEnd: true })).offsets).toEqual([0]);
  });

  test('without a total, a window is read until a page has no new row', async () => {
    const found = await readOf((offset) => ({ rows: rowsOf(450).slice(offset, offset + 200) }));
    expect(found).toMatchObject({ ...calm, total: undefined, doubt: 'no total', reads: 1, rows: 450 });
    expect(found.offsets).toEqual([0, 150, 300, 412]);
  });

  test('a window can be read with pages of one row', async () => {
    const found = await readOf(list(rowsOf(3), 3, 1));
    // Pages of one row cannot overlap, so a second read must return the same rows.
    expect(found).toMatchObject({ ...calm, total: 3, reads: 2, rows: 3 });
    expect(found.offsets).toEqual([0, 1, 2, 0, 1, 2, 3]);
  });

  test('rows just outside the window are counted for the comparison with the total', async () => {
    const rows = [row('before', 999), row('a'), row('after', 1001.5)];
    expect(await readOf(list(rows))).toMatchObject({
      ...{
        total: 3,
        rows: 1,
        reads: 1,
        text: 'a\n',
        outside: [
          ['before', 999],
          ['after', 1001.5],
        ],
      },
    });
  });

  test('a row that is not a record is not counted for the comparison with the total', async () => {
    const odd = await readOf(list([row('a'), row('odd', 1000, false)]));
    expect(odd).toMatchObject({ rows: 1, outside: [] });
    expect(odd.doubt).toBe('the service reports a total of 2 rows, but 1 were read');
  });

  test.each([998, 1002, undefined])('throws NotByTimeError if the time of a row is %s', async (time) => {
    await expect(readOf(list([row('a'), { ...row('odd'), time }]))).rejects.toThrow(NotByTimeError);
    const whole = await readOf(list([row('a'), { ...row('odd'), time }]), { span: undefined, wanted: {} });
    expect(whole).toMatchObject({ total: 2, rows: 2 });
  });

  test('a window is unverified if two reads return the same rows, but the row count differs from the total', async () => {
    const doubt = 'the service reports a total of 1,000 rows, but 450 were read';
    const found = await readOf(list(rowsOf(450), 1000));
    expect(found).toMatchObject({ total: 1000, reads: 2, rows: 450, doubt, contradicted: true, waits: [7] });
    expect(found.offsets).toEqual([0, 150, 300, 412, 0, 150, 300, 412]);
    const fewer = await readOf(list(rowsOf(3), 2));
    expect(fewer).toMatchObject({ reads: 2, rows: 3, contradicted: true });
    expect(fewer.doubt).toBe('the service reports a total of 2 rows, but 3 were read');
  });

  test('a window is verified if a second read matches the total', async () => {
    const found = await readOf((offset, request) => list(rowsOf(3), request === 1 ? 4 : 3)(offset));
    expect(found).toMatchObject({ total: 3, rows: 3, waits: [7] });
    expect(found.doubt).toBeUndefined();
  });

  test('if the total of a window changes, the window is read at most four times, with a longer wait each time', async () => {
    const found = await readOf((offset, request) => list(rowsOf(250), 2000 + request)(offset));
    expect(found).toMatchObject({ reads: 4, waits: [7, 14, 28], rows: 250 });
    expect(found.doubt).toMatch(/^the service's total changed from 2,\d{3} to 2,\d{3} during the read$/);
  });

  test('a window is read again from the start as soon as a later page reports a different total', async () => {
    const found = await readOf((offset, request) => list(rowsOf(450), request === 2 ? 451 : 450)(offset));
    // The first read ends at the page with the changed total.
    expect(found.offsets).toEqual([0, 150, 0, 150, 300, 412]);
    expect(found).toMatchObject({ total: 450, rows: 450, reads: 2, waits: [7] });
    expect(found.doubt).toBeUndefined();
  });

  test('writes rows to disk while it reads the next pages', async () => {
    const rows = rowsOf(600).map(({ id }, at) => rowWith({ id, time: 1000 + at, text: 'x'.repeat(1000) }));
    const files: string[][] = [];
    const page = (offset: number) => {
      files.push(readdirSync(directory).filter((name) => name.endsWith('.tmp')));
      return list(rows)(offset);
    };
    const span = { from: 1000, to: 2000 };
    expect(await readOf(page, { span, wanted: span })).toMatchObject({ rows: 600, reads: 1 });
    expect(files).toEqual([[], ['1.tmp'], ['1.tmp'], ['1.tmp']]);
  });

  test('a verified window has every row that existed unchanged during the whole read', async () => {
    const span = { from: 1000, to: 1030 };
    const verified: boolean[] = [];
    await fc.assert(
      fc.asyncProperty(
        ...([fc.nat(), fc.integer({ min: 1, max: 30 }), fc.integer({ min: 41, max: 120 })] as const),
        ...([fc.constantFrom(0, 0.3, 0.9, 1), fc.boolean(), fc.boolean()] as const),
        async (seed, times, count, drift, isStable, toTheEnd) => {
          const random = seeded(seed);
          const below = (end: number) => Math.floor(random() * end);
          let made = 0;
          // A row that was edited or moved is a new row, as in a list without ids.
          const made1 = (at: number) => row(`r${made++}`, at);
          let rows = Array.from({ length: count }, () => made1(1000 + below(times)));
          const start = rows;
          const change = () => {
            const at = below(rows.length);
            const time = 1000 + below(times);
            rows = rows.toSpliced(at, 1, ...(random() < 0.5 ? [made1(time)] : []));
            if (random() < 0.5) rows = [...rows, made1(time)];
          };
          const page = (offset: number) => {
            // Edits, moves, or pairs of a deletion and an addition leave the total unchanged.
            for (let changes = below(4); changes > 0 && made < count + 40 && random() < drift; changes--)
              change();
            const order = isStable ? ({ id }: Row) => Number(id.slice(1)) : () => random();
            const sorted = rows
              .map((one) => [one.time ?? 0, order(one), one] as const)
              .sort(([left, a], [right, b]) => left - right || a - b)
              .map(([, , one]) => one);
            return list(sorted, sorted.length, 40)(offset);
          };
          // If rows change before each request, a page can repeat the page before it in every attempt.
          const found = await readOf(page, { span, wanted: span, toTheEnd }).catch((error) => {
            if (!isBadPaging(error)) throw error;
          });
          verified.push(found !== undefined && found.doubt === undefined);
          if (!found || found.doubt !== undefined) return;
          const held = new Set(found.text.split('\n'));
          const lost = start.filter((one) => rows.includes(one) && !held.has(one.id));
          expect(lost.map(({ id }) => id)).toEqual([]);
        },
      ),
      { numRuns: runs(20_000) },
    );
    // If no window were verified, the property would prove nothing.
    expect(verified.filter(Boolean).length).toBeGreaterThan(verified.length / 3);
  });

  describe('with an unstable row order', () => {
    const [a, b, c] = rowsOf(3) as [Row, Row, Row];

    test('a single read verifies a window if few rows have the same time', async () => {
      const random = seeded(1);
      const span = { from: 1000, to: 1200 };
      const rows = Array.from({ length: 600 }, (_, at) => row(`r${at}`, 1000 + Math.floor(at / 3)));
      const page = (offset: number) => {
        const lots = new Map(rows.map((one) => [one, random()]));
        const order = (one: Row) => (one.time ?? 0) + (lots.get(one) ?? 0);
        return list([...rows].sort((left, right) => order(left) - order(right)))(offset);
      };
      expect(await readOf(page, { span, wanted: span })).toMatchObject({ reads: 1, rows: 600, total: 600 });
    });

    test('a window is verified if a second read adds no rows to the rows of the first read', async () => {
      // The second page does not begin with the last row of the first page.
      let request = 0;
      const found = await readOf((offset) => {
        request += 1;
        if (offset === 0) return { rows: [a, b], total: 3 };
        return { rows: request % 2 === 0 ? [a, c] : [], total: 3 };
      });
      expect(found).toMatchObject({ total: 3, rows: 3, reads: 2, waits: [] });
      expect(found.doubt).toBeUndefined();
    });

    test('a window is read twice if a page does not begin with the last row of the previous page', async () => {
      const pages = [[a, b], [row('x'), c], [], [a, b], [row('x'), c], []];
      let at = 0;
      const found = await readOf(() => ({ rows: pages[at++] ?? [], total: 4 }));
      expect(found).toMatchObject({ rows: 4, reads: 2, waits: [] });
      expect(found.doubt).toBeUndefined();
    });

    test('a window is read again if one page repeats two rows of the previous page instead of one', async () => {
      const out = row('out', 1001);
      const pages = [[a, out, b], [b, a, c], []];
      let at = 0;
      const found = await readOf(() => ({ rows: pages[at++ % 3] ?? [], total: 4 }));
      expect(found).toMatchObject({ rows: 3, outside: [['out', 1001]] });
      expect(found.reads).toBeGreaterThan(1);
    });

    test('a window is read a third time if the first two reads report different totals', async () => {
      let request = 0;
      // The first read returns three different rows, and each later read returns four.
      const found = await readOf((offset) => {
        request += 1;
        const more = request > 2 ? [row('d')] : [];
        if (offset === 0) return { rows: [a, b], total: 3 + more.length };
        return { rows: offset > 3 ? [] : [a, c, ...more], total: 3 + more.length };
      });
      expect(found).toMatchObject({ total: 4, rows: 4, reads: 3 });
      expect(found.doubt).toBeUndefined();
    });

    test('a window is unverified if rows just outside change and the rows inside stay the same', async () => {
      let read = 0;
      const found = await readOf((offset) => {
        if (offset === 0) {
          read += 1;
          return { rows: [a, b], total: 3 };
        }
        return { rows: offset > 2 ? [] : [a, row(`new${read}`, 1001)], total: 3 };
      });
      expect(found).toMatchObject({ rows: 2, reads: 4, doubt: 'the rows kept changing' });
    });

    test('a window is unverified if every read returns a new row', async () => {
      let read = 0;
      const found = await readOf((offset) => {
        if (offset === 0) {
          read += 1;
          return { rows: [a, b], total: 3 };
        }
        return { rows: offset > 2 ? [] : [a, row(`new${read}`)], total: 3 };
      });
      expect(found).toMatchObject({
        total: 3,
        rows: 3,
        reads: 4,
        doubt: 'the rows kept changing',
        waits: [],
      });
    });

    test('each attempt to read a window ends after four consecutive reads without a new row', async () => {
      // Each read misses one row and returns another row twice.
      const found = await readOf((offset) => ({ rows: [a, b, a].slice(offset, offset + 2), total: 3 }));
      expect(found).toMatchObject({
        ...{
          doubt: 'the service reports a total of 3 rows, but 2 were read',
          rows: 2,
          reads: 2 * 5,
          contradicted: true,
        },
        waits: [...[7, 7, 7, 7], ...[7, 7, 7]],
      });
    });

    test('with rows just outside, an attempt to read a window ends after four consecutive reads without a new row', async () => {
      const out = row('out', 1001);
      const found = await readOf((offset) => ({ rows: [a, out, a].slice(offset, offset + 2), total: 3 }));
      expect(found).toMatchObject({ rows: 1, outside: [['out', 1001]], reads: 2 * 5 });
      expect(found.doubt).toBe('the service reports a total of 3 rows, but 2 were read');
    });

    test('a window is read again until a read returns the missing row', async () => {
      let read = 0;
      const found = await readOf((offset) => {
        if (offset === 0) read += 1;
        // Every third read returns row c instead of row b.
        return { rows: [a, read % 3 === 0 ? c : b, a].slice(offset, offset + 2), total: 3 };
      });
      expect(found).toMatchObject({ rows: 3, reads: 6, waits: [7, 7] });
      expect(found.doubt).toBeUndefined();
    });
  });

  test('a window is read again if rows that are added during the read shift its pages', async () => {
    let list = rowsOf(2);
    const added = row('added');
    let requests = 0;
    const found = await readOf(
      (offset) => {
        requests += 1;
        // One row is added before the second request, and a second row before the third request.
        if (requests === 2) list = [added, ...list];
        if (requests === 3) list = [row('last'), ...list];
        return { rows: list.slice(offset), total: list.length };
      },
      { toTheEnd: true },
    );
    expect(found).toMatchObject({ rows: 4, reads: 2, total: 4 });
    expect(found.doubt).toBeUndefined();
  });

  test('reading a window fails after a few requests if the service always returns the same page', async () => {
    const page = rowsOf(200);
    let requests = 0;
    const read = readOf(() => {
      requests += 1;
      return { rows: page, total: 1_000_000 };
    });
    await expect(read).rejects.toMatchObject({ code: 'BAD_PAGING' });
    expect(requests).toBeLessThanOrEqual(12);
  });

  test('a window is verified if the service ignores the offset but returns all rows on one page', async () => {
    const page = rowsOf(40);
    for (const toTheEnd of [false, true]) {
      expect(await readOf(() => ({ rows: page, total: 40 }), { toTheEnd })).toMatchObject({
        ...{ ...calm, total: 40, reads: 1, rows: 40 },
      });
    }
  });
});

test('the reason for doubt contains an id that several rows of a window share', async () => {
  const { doubt } = await readOf(list([row('a'), row('b'), row('a')]));
  expect(doubt).toBe(
    'the service reports a total of 3 rows, but 2 were read, because several rows have the same id: a',
  );
});
