import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { walkPages } from '../../src/client/paging.ts';
import type { ResumeLog, Segment } from '../../src/export/resume-log.ts';
import { Windows, type WindowsOptions } from '../../src/export/windows.ts';
import type { LedgerSource, RowsOptions } from '../../src/read/ledger-source.ts';
import type { Row } from '../../src/read/rows.ts';
import { rowWith } from '../rows.ts';

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'cryptodata-windows-'));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

interface Span {
  readonly from: number;
  readonly to: number;
}
const RANGE = { from: 1000, to: 1999 };

interface Page {
  readonly rows: readonly Row[];
  readonly total: number;
}

interface Answers extends Partial<Pick<LedgerSource, 'count'>> {
  /** Returns a page of a window. */
  readonly page?: (span: Span, offset: number) => Page | Promise<Page>;
}

/** Creates `Windows` for a service that has one row every `step` milliseconds. */
function windowsOf(more: Partial<WindowsOptions> = {}, step = 1, { page, ...part }: Answers = {}) {
  const asked: string[] = [];
  const entered: string[] = [];
  const rowsIn = ({ from, to }: Span) =>
    Array.from({ length: to - from + 1 }, (_, at) => from + at).filter((time) => time % step === 0);
  const pageOf = (span: Span, offset: number): Page => {
    const times = rowsIn(span);
    const rows = times
      .slice(offset, offset + 200)
      .map((time) => rowWith({ id: `r${time}`, time, text: `${time}\n` }));
    return { rows, total: times.length };
  };
  const nameOf = (span: Span | undefined) => (span ? `${span.from}-${span.to}` : 'all');
  const source = {
    unchecked: ['labels'],
    noTotal: 'no total',
    count: async (span: Span, size: number) => {
      asked.push(`count ${nameOf(span)}`);
      const total = rowsIn(span).length;
      return { total, more: total > size };
    },
    rows: (span: Span | undefined, { take, toTheEnd }: RowsOptions) =>
      walkPages<Row>({
        fetch: async ({ offset = 0 }) => {
          asked.push(`rows ${nameOf(span)} ${offset}`);
          return { ...(await (page ?? pageOf)(span ?? RANGE, offset)), extras: {} };
        },
        ...{ start: { offset: 0, limit: 200 }, overlap: ({ time }) => time },
        ...{ identify: ({ id }) => id, take, toTheEnd },
      }),
    ...part,
  } as unknown as LedgerSource;
  const log = {
    add: async ({ span }: Segment) => {
      entered.push(nameOf(span));
    },
  } as unknown as ResumeLog;
  const onProgress = vi.fn();
  const onFailure = vi.fn();
  const windows = new Windows({
    ...{ directory, source, log, encoder: { encode: () => '' }, range: RANGE, filled: RANGE, wanted: {} },
    ...{ windows: [{ span: RANGE, count: rowsIn(RANGE).length }], size: 100, most: 3, width: () => 3 },
    ...{ signal: new AbortController().signal, backoff: 0, onProgress, onFailure },
    ...more,
  });
  const spans = () => windows.segments.map(({ span, rows, file }) => [nameOf(span), rows, file]);
  return { windows, asked, entered, onProgress, onFailure, spans };
}

describe('the windows of an export', () => {
  test('an export has one window if its range has few rows', async () => {
    const { windows, asked, entered, spans } = windowsOf({ size: 1000 });
    expect([windows.size, windows.rows, windows.segments]).toEqual([1, 0, []]);
    await windows.read();
    expect(asked.filter((name) => name.startsWith('count'))).toEqual([]);
    expect(spans()).toEqual([['1000-1999', 1000, '1.seg']]);
    expect(entered).toEqual(['1000-1999']);
    expect([windows.size, windows.rows, windows.rereads]).toEqual([1, 1000, 0]);
    expect(windows.segments[0]).toMatchObject({
      total: 1000,
      reads: 1,
      beyond: [],
      strays: [],
      unchecked: ['labels'],
    });
  });

  test('a large window is split into windows of at most the maximum size, in chronological order', async () => {
    const { windows, spans, entered } = windowsOf();
    await windows.read();
    expect(windows.size).toBe(10);
    expect(spans().map(([name, rows]) => [name, rows])).toEqual(
      Array.from({ length: 10 }, (_, at) => [`${1000 + 100 * at}-${1099 + 100 * at}`, 100]),
    );
    expect(windows.rows).toBe(1000);
    expect(entered.sort()).toEqual(spans().map(([name]) => name));
    expect(new Set(spans().map(([, , file]) => file)).size).toBe(10);
    // Each segment has a row file and an id file. There are no other files.
    expect(readdirSync(directory)).toHaveLength(20);
  });

  test('a window that has no rows is recorded, and no request is sent for it', async () => {
    const { windows, asked, spans } = windowsOf({ windows: [{ span: RANGE, count: 0 }] });
    await windows.read();
    expect(asked).toEqual([]);
    expect(spans()).toEqual([['1000-1999', 0, null]]);
    expect(windows.segments[0]).toEqual({
      ...{ span: RANGE, rows: 0, written: 0, total: 0, beyond: [], reads: 1, leftOut: {} },
      ...{ file: null, bytes: 0, sha256: null },
    });
  });

  test('windows from an earlier run are kept, and new files get new names', async () => {
    const kept: Segment = {
      ...{ span: { from: 1000, to: 1499 }, rows: 7, total: 7, beyond: [], reads: 1 },
      ...{ written: 7, file: '12.seg', bytes: 1, sha256: '', leftOut: {} },
    };
    const rest = { from: 1500, to: 1599 };
    const { windows, asked, spans } = windowsOf({
      windows: [
        { span: kept.span, count: 7, segment: kept },
        { span: rest, count: 100 },
      ],
    });
    expect(windows.rows).toBe(7);
    await windows.read();
    expect(asked.every((name) => name.startsWith('rows 1500-1599'))).toBe(true);
    expect(spans()).toEqual([
      ['1000-1499', 7, '12.seg'],
      ['1500-1599', 100, '13.seg'],
    ]);
  });

  test('without a range, all rows are read in one window', async () => {
    const { windows, spans } = windowsOf({ range: undefined, windows: [{ span: undefined, count: 1000 }] });
    await windows.read();
    expect(spans()).toEqual([['all', 1000, '1.seg']]);
    expect(windows.segments[0]?.strays).toBeUndefined();
  });

  test('a second read of a window ends at a page without new rows, and ignores the row count of the first read', async () => {
    const { windows, asked, spans } = windowsOf();
    await windows.read();
    const [first, second] = windows.segments;
    asked.length = 0;
    expect(await windows.again(new Set([second as Segment]))).toBe(true);
    expect(asked).toEqual(['rows 1100-1199 0', 'rows 1100-1199 98']);
    expect(windows.segments[0]).toBe(first);
    expect(windows.segments[1]).not.toBe(second);
    expect(spans()[1]).toEqual(['1100-1199', 100, '11.seg']);
    expect([windows.size, windows.rereads, windows.rows]).toEqual([10, 1, 1000]);
  });

  test('windows are streamed once, in chronological order, and cannot be reread afterwards', async () => {
    const streamed: string[] = [];
    const onFront = async ({ span }: Segment) => {
      streamed.push(`${span?.from}`);
    };
    const { windows } = windowsOf({ onFront });
    await windows.read();
    expect(streamed).toEqual(Array.from({ length: 10 }, (_, at) => `${1000 + 100 * at}`));
    const [first] = windows.segments;
    expect(await windows.again(new Set([first as Segment]))).toBe(false);
    expect(windows.segments[0]).toBe(first);
    expect([windows.rereads, streamed.length]).toEqual([0, 10]);
    expect(await windows.again(new Set())).toBe(true);
  });

  test.each([
    [1, 1],
    [2, 2],
    [9, 3],
  ])('if `width` returns %i, windows are read by %i workers', async (width, expected) => {
    let active = 0;
    let most = 0;
    let open = () => {};
    const gate = new Promise<void>((resolve) => {
      open = resolve;
    });
    const page = async ({ from }: Span) => {
      active += 1;
      most = Math.max(most, active);
      // Hold the first requests until the expected number is in flight.
      if (active === expected) setImmediate(open);
      await gate;
      active -= 1;
      return { rows: [rowWith({ id: `r${from}`, time: from, text: '' })], total: 1 };
    };
    const list = Array.from({ length: 12 }, (_, at) => ({
      span: { from: 1000 + at, to: 1000 + at },
      count: 1,
    }));
    await windowsOf({ windows: list, width: () => width }, 1, { page }).windows.read();
    expect(most).toBe(expected);
  });

  test('after the first failure, no further windows are read, and the failure is reported once', async () => {
    let failures = 0;
    const page = async () => {
      failures += 1;
      throw new Error(`broken ${failures}`);
    };
    const { windows, onFailure } = windowsOf({}, 1, { page });
    // Which of the parallel windows fails first depends on the disk.
    await expect(windows.read()).rejects.toThrow(/^broken [123]$/);
    expect(onFailure).toHaveBeenCalledOnce();
    expect(failures).toBeLessThanOrEqual(3);
    expect(readdirSync(directory)).toEqual([]);
  });

  test('the number of splits is limited if the service always reports a higher count', async () => {
    let counts = 0;
    const count = async () => {
      counts += 1;
      return { total: 1_000_000, more: true };
    };
    const { windows } = windowsOf({ windows: [{ span: RANGE, count: undefined }] }, 1, { count });
    await windows.read();
    expect(windows.rows).toBe(1000);
    expect(counts).toBeLessThan(16 * 16 * 2);
  });

  test('`beyond` lists all rows outside the exported range; `strays` lists only rows in the requested period', async () => {
    const page = async () => ({
      rows: [999, 1000, 2000].map((time) => rowWith({ id: `r${time}`, time, text: '' })),
      total: 3,
    });
    const single = { ...RANGE };
    const { windows } = windowsOf({ windows: [{ span: single, count: 3 }], wanted: { from: 1000 } }, 1, {
      page,
    });
    await windows.read();
    expect(windows.segments[0]).toMatchObject({
      rows: 1,
      total: 3,
      beyond: ['r999', 'r2000'],
      strays: ['r2000'],
    });
  });

  test('only the part of the range with rows is split, and the first and last window extend to the ends of the range', async () => {
    const range = { from: Number.NEGATIVE_INFINITY, to: 5000 };
    const { windows, spans, asked } = windowsOf({ range, windows: [{ span: range, count: 1000 }] }, 1, {
      page: ({ from, to }) => {
        const first = Math.max(from, 1000);
        const rows = Array.from({ length: Math.min(to, 1999) - first + 1 }, (_, at) =>
          rowWith({ id: `r${first + at}`, time: first + at, text: '' }),
        );
        return { rows, total: rows.length };
      },
    });
    await windows.read();
    expect(spans().map(([name, rows]) => [name, rows])).toEqual([
      ['-Infinity-1099', 100],
      ...Array.from({ length: 8 }, (_, at) => [`${1100 + 100 * at}-${1199 + 100 * at}`, 100]),
      ['1900-5000', 100],
    ]);
    expect(asked.filter((name) => name.includes('count') && name.includes('Infinity'))).toEqual([]);
  });
});
