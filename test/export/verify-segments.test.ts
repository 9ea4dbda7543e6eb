import { afterEach, describe, expect, test, vi } from 'vitest';
import type { Frozen } from '../../src/export/plan.ts';
import type { Segment } from '../../src/export/resume-log.ts';
import { countRowsHeld, verifySegments } from '../../src/export/verify-segments.ts';
import { NotByTimeError } from '../../src/export/window.ts';
import type { Windows } from '../../src/export/windows.ts';
import type { LedgerSource } from '../../src/read/ledger-source.ts';
import { skipSleeps } from '../sleeps.ts';

afterEach(() => {
  vi.restoreAllMocks();
});

const leg = (id: string, timestamp: number) => ({ id, timestamp });
const RANGE = { from: 1000, to: 2999 };

function segmentOf(from: number, ids: readonly string[], more: Partial<Segment> = {}): Segment {
  return {
    ...{ span: { from, to: from + 999 }, rows: ids.length, total: ids.length, beyond: [], reads: 1 },
    ...{ written: ids.length, file: null, bytes: 0, sha256: null, leftOut: {}, ids: async () => ids },
    ...more,
  };
}

interface Service {
  /** The totals of the range, one per round. The last total also applies to any further rounds. */
  readonly totals?: readonly (number | undefined)[];
  /** The rows with the latest timestamps, latest first. */
  readonly last?: readonly ReturnType<typeof leg>[];
  /** The most recently created rows, newest first. */
  readonly newest?: readonly ReturnType<typeof leg>[];
  /** Returns the response to a request for the rows after the last known row of a window. */
  readonly after?: (from: number | undefined, round: number) => { rows?: readonly unknown[]; total?: number };
  readonly latest?: readonly unknown[];
}

const BASE = [leg('a1', 1000), leg('b1', 2000)];

/** Calls `verifySegments` for the given windows, by default two windows with two rows each. */
async function proofOf(
  service: Service = {},
  segments: readonly Segment[] = [segmentOf(1000, ['a1', 'a2']), segmentOf(2000, ['b1', 'b2'])],
  more: Partial<Frozen> & { again?: boolean } = {},
) {
  const { newest = ['a1', 'b1'], again = true } = more;
  const range = 'range' in more ? more.range : RANGE;
  const rows = segments.reduce((sum, segment) => sum + segment.rows, 0);
  const { totals = [rows], last = [leg('b2', 2500)], after, latest = [] } = service;
  const made = service.newest ?? BASE;
  const reread: (number | undefined)[][] = [];
  const waits: number[] = [];
  const asked: string[] = [];
  let round = 0;
  skipSleeps((milliseconds) => waits.push(milliseconds));
  const source = {
    noTotal: 'no total',
    page: async (span: { from: number } | undefined, offset: number) => {
      if (offset === 0 && span === range) {
        round += 1;
        const total = totals[Math.min(round, totals.length) - 1];
        return total === undefined ? { rows: [] } : { rows: [], total };
      }
      asked.push(`after ${span?.from} ${offset}`);
      const segment = segments.find((one) => one.span === span);
      return {
        rows: [],
        ...(segment?.total === undefined ? {} : { total: segment.total }),
        ...after?.(span?.from, round),
      };
    },
    newest: async function* () {
      for (let offset = 0; offset < made.length; offset += 200) {
        asked.push(`newest ${offset}`);
        yield { rows: made.slice(offset, offset + 200) };
      }
    },
    lastOf: async (_: unknown, limit = 1) => {
      asked.push(`last ${limit}`);
      return { rows: last.slice(0, limit) };
    },
    latest: async () => ({ rows: latest }),
  } as unknown as LedgerSource;
  const windows = {
    segments,
    again: async (changed: ReadonlySet<Segment>) => {
      reread.push([...changed].map(({ span }) => span?.from).sort());
      return again;
    },
  } as unknown as Windows;
  const { signal } = new AbortController();
  const frozen = { range, filled: range, total: rows, at: '', newest };
  const options = { source, windows, frozen, directory: '', now: () => 0, signal, backoff: 7 };
  const { claim, total } = await verifySegments(options);
  const { verified, why } = claim;
  return { verified, why, total, reread, waits, asked };
}

const verified = { verified: true, why: undefined, reread: [], waits: [] };
const added = 'rows were added, moved or deleted during the export';

describe('the verification of an export', () => {
  test('verifies an export that matches the total, the last row and the newest rows of the service', async () => {
    const found = await proofOf();
    expect(found).toMatchObject({ ...verified, total: 4 });
    expect(found.asked.sort()).toEqual(['after 1000 2', 'after 2000 2', 'last 1', 'newest 0']);
  });

  test('does not verify an export without a total, or with a window that contradicts its total', async () => {
    expect(await proofOf({ totals: [undefined] })).toMatchObject({
      verified: false,
      why: 'no total',
      total: undefined,
    });
    const segments = [segmentOf(1000, ['a1'], { contradicted: true, doubt: 'unsure' })];
    expect(await proofOf({}, segments)).toMatchObject({ verified: false, why: 'unsure', reread: [] });
  });

  test('counts a row outside the exported range once if two windows contain it', () => {
    const segments = [
      segmentOf(1000, ['a'], { beyond: ['x', 'y'] }),
      segmentOf(2000, ['b'], { beyond: ['x'] }),
    ];
    expect(countRowsHeld(segments)).toBe(4);
  });

  test('if the total differs, `verifySegments` repeats the checks up to three times and doubles each wait', async () => {
    const all = [1000, 2000];
    expect(await proofOf({ totals: [5] })).toMatchObject({
      ...{ verified: false, why: 'the service reports a total of 5 legs, but 4 were read', total: 5 },
      // If nothing shows which window is wrong, only windows of earlier runs are read again. Here, all windows are from this
      // run.
      ...{ reread: [[], [], []], waits: [7, 14, 28] },
    });
    expect(await proofOf({ totals: [5, 4] })).toMatchObject({ verified: true, waits: [7] });
    const kept = [
      segmentOf(1000, ['a1', 'a2'], { unchanged: true }),
      segmentOf(2000, ['b1', 'b2'], { unchanged: true }),
    ];
    expect((await proofOf({ totals: [5, 4] }, kept)).reread).toEqual([all]);
  });

  test('after a wrong total, `verifySegments` rereads the old windows beside new windows, or else all windows', async () => {
    const unchanged = { unchanged: true };
    const three = (middle: object) => [
      segmentOf(1000, ['a'], unchanged),
      segmentOf(2000, ['b'], middle),
      segmentOf(3000, ['c'], unchanged),
      segmentOf(4000, ['d'], unchanged),
    ];
    const found = (segments: Segment[]) =>
      proofOf({ totals: [9, 4], last: [leg('d', 4000)], newest: [leg('a', 1000)] }, segments, {
        range: { from: 1000, to: 4999 },
        newest: ['a'],
      });
    expect((await found(three({}))).reread).toEqual([[1000, 3000]]);
    expect((await found(three(unchanged))).reread).toEqual([[1000, 2000, 3000, 4000]]);
  });

  test('rereads a doubtful window up to three times, and then reports the reason for the doubt', async () => {
    const segments = [segmentOf(1000, ['a1', 'a2'], { doubt: 'unsure' }), segmentOf(2000, ['b1', 'b2'])];
    expect(await proofOf({}, segments)).toMatchObject({
      ...{ verified: false, why: 'unsure', reread: [[1000], [1000], [1000]] },
      // The check is repeated the first time without a wait.
      waits: [14, 28],
    });
  });

  test('does not verify an export if a doubtful window was already written to stdout', async () => {
    const segments = [segmentOf(1000, ['a1', 'a2'], { doubt: 'unsure' })];
    const found = await proofOf({ last: [leg('a2', 1500)] }, segments, { again: false });
    expect(found).toMatchObject({ verified: false, reread: [[1000]] });
    expect(found.why).toBe('unsure; rows that were already written to stdout cannot be replaced');
  });

  test('rereads a window that lacks the last row that the service returns', async () => {
    const missing = { verified: false, why: added, reread: [[2000], [2000], [2000]] };
    expect(await proofOf({ last: [leg('b3', 2999)] })).toMatchObject(missing);
    expect(await proofOf({ last: [leg('a3', 1999)] })).toMatchObject({ reread: [[1000], [1000], [1000]] });
  });

  test('finds the last row of the range if rows follow after the range', async () => {
    const beyond = leg('x', 3000);
    const found = await proofOf({ last: [beyond, leg('b2', 2999)] });
    expect(found).toMatchObject(verified);
    expect(found.asked).toContain('last 200');
    expect(await proofOf({ last: [beyond, leg('b3', 2999)] })).toMatchObject({
      reread: [[2000], [2000], [2000]],
    });
    expect(await proofOf({ last: [beyond] })).toMatchObject({ reread: [[2000], [2000], [2000]] });
    expect(await proofOf({ last: [] })).toMatchObject(verified);
  });

  test('rereads a window if the service now returns more rows or a different total for the window', async () => {
    const after = (from: number | undefined, round: number) =>
      from === 1000 && round < 3 ? { rows: [{}] } : {};
    expect(await proofOf({ after })).toMatchObject({ verified: true, reread: [[1000], [1000]], waits: [14] });
    const always = await proofOf({ after: (from) => (from === 1000 ? { rows: [{}] } : {}) });
    expect(always.why).toBe('the service returned more rows than the total that it reported');
    // If an offset is after the end, a service may return a row that is already known.
    const clamped = await proofOf({ after: (from) => (from === 1000 ? { rows: [leg('a2', 1500)] } : {}) });
    expect(clamped).toMatchObject(verified);
    const changed = await proofOf({ after: (from) => (from === 2000 ? { total: 9 } : {}) });
    expect(changed).toMatchObject({ why: added, reread: [[2000], [2000], [2000]] });
  });

  test('if the total matches, `verifySegments` looks for further rows only in new windows', async () => {
    const segments = [segmentOf(1000, ['a1', 'a2'], { unchanged: true }), segmentOf(2000, ['b1', 'b2'])];
    expect((await proofOf({}, segments)).asked).not.toContain('after 1000 2');
    expect((await proofOf({ totals: [5, 4] }, segments)).asked).toContain('after 1000 2');
  });

  test('a window with rows created since the start of the export is reread once', async () => {
    const inside = await proofOf({ newest: [leg('new', 1500), ...BASE] });
    expect(inside).toMatchObject({ verified: true, reread: [[1000]], waits: [] });
    const held = await proofOf({ newest: [leg('a2', 1500), leg('early', 999), leg('late', 3000), ...BASE] });
    expect(held).toMatchObject({ verified: true, reread: [[1000, 2000]] });
    const beyond = [segmentOf(1000, ['a1']), segmentOf(2000, ['b2'], { beyond: ['late'] })];
    expect(await proofOf({ totals: [3], newest: [leg('late', 3000), ...BASE] }, beyond)).toMatchObject({
      ...{ verified: true, reread: [[2000]] },
    });
  });

  test('does not reread windows if the export already contains more than 20 newly created rows', async () => {
    const held = (count: number) => {
      const ids = Array.from({ length: count }, (_, at) => `n${at}`);
      const segments = [segmentOf(1000, ids), segmentOf(2000, ['b2'])];
      return proofOf({ newest: [...ids.map((id) => leg(id, 1000)), ...BASE] }, segments);
    };
    expect(await held(20)).toMatchObject({ verified: true, reread: [[1000]] });
    expect(await held(21)).toMatchObject(verified);
  });

  test('searches at most 4,000 rows for the newest known row', async () => {
    const held = (count: number) => {
      const ids = Array.from({ length: count }, (_, at) => `n${at}`);
      const segments = [segmentOf(1000, ids), segmentOf(2000, ['b2'])];
      return proofOf({ newest: [...ids.map((id) => leg(id, 1000)), ...BASE] }, segments);
    };
    expect(await held(3999)).toMatchObject(verified);
    const found = await held(4000);
    expect(found).toMatchObject({
      verified: false,
      why: 'too many rows were added during the export',
      reread: [],
    });
    expect(found.asked.filter((name) => name.startsWith('newest'))).toHaveLength(20);
  });

  test('rereads two windows that contain the same row, and then reports the id of the row', async () => {
    const segments = [segmentOf(1000, ['a1', 'x']), segmentOf(2000, ['b2', 'x']), segmentOf(3000, ['c'])];
    const found = await proofOf({}, segments);
    expect(found).toMatchObject({
      verified: false,
      why: 'several rows with different times have the same id: x',
      reread: [
        [1000, 2000],
        [1000, 2000],
        [1000, 2000],
      ],
    });
    const kept = segments.map((segment) => ({ ...segment, unchanged: true }));
    expect(await proofOf({}, kept)).toMatchObject(verified);
  });

  test('throws NotByTimeError if a row outside the range existed before the export started', async () => {
    const strays = (ids: string[], newest: string[]) => [
      segmentOf(1000, ['a1'], { strays: ids }),
      segmentOf(2000, newest),
    ];
    await expect(proofOf({}, strays(['old'], ['b2']))).rejects.toThrow(NotByTimeError);
    await expect(proofOf({}, strays(['b1'], ['b2']))).rejects.toThrow(NotByTimeError);
    expect(await proofOf({}, strays([], ['b2']))).toMatchObject(verified);
    const found = await proofOf({ newest: [leg('new', 3000), ...BASE] }, strays(['new'], ['b2']));
    expect(found).toMatchObject({ verified: true, reread: [[2000]] });
  });

  test('uses the last row to verify a list that cannot be split by time', async () => {
    const whole = (latest: readonly unknown[], beyond: string[] = []) => {
      const segments = [{ ...segmentOf(0, ['a1', 'b2'], { beyond }), span: undefined }];
      return proofOf({ latest, totals: [2 + beyond.length] }, segments, { range: undefined });
    };
    expect(await whole([leg('b2', 5)])).toMatchObject({ verified: true });
    expect(await whole([])).toMatchObject({ verified: true });
    expect(await whole([leg('x', 5)], ['x'])).toMatchObject({ verified: true });
    expect(await whole([leg('x', 5)])).toMatchObject({
      verified: false,
      why: added,
      reread: [[undefined], [undefined], [undefined]],
    });
  });
});
