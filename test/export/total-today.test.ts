import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { Agent } from 'undici';
import { afterAll, describe, expect, test } from 'vitest';
import type { OpenSpan } from '../../src/core/span.ts';
import { exportToFile } from '../../src/export/ledger-export.ts';
import { readManifest } from '../../src/export/manifest.ts';
import { compareWithToday, totalToday } from '../../src/export/verify.ts';
import { runs } from '../runs.ts';
import { CALM, makeRows, type Row, seeded, startLedgerServer } from './ledger-server.ts';
import { exportRequest } from './request.ts';

const directory = mkdtempSync(join(tmpdir(), 'cryptodata-today-'));
const dispatcher = new Agent();
afterAll(async () => {
  await dispatcher.close();
  rmSync(directory, { recursive: true, force: true });
});

const { signal } = new AbortController();

/** Calls `work` with the URL of a service that has these rows. */
async function over<T>(
  rows: readonly Row[],
  inclusive: boolean,
  work: (url: string) => Promise<T>,
): Promise<T> {
  const server = await startLedgerServer(rows, { ...CALM, inclusive }, seeded(1));
  try {
    return await work(server.url);
  } finally {
    await server.close();
  }
}

test('reports an added or deleted row, and reports no change if the ledgers are unchanged', async () => {
  let files = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.record({
        seed: fc.nat(),
        count: fc.integer({ min: 1, max: 60 }),
        ties: fc.constantFrom(0, 0.5, 0.9),
        inclusive: fc.boolean(),
        // The period begins and ends near the times of rows, so that some rows lie just outside the period.
        cut: fc.tuple(fc.nat(59), fc.nat(59)),
        shift: fc.integer({ min: -2, max: 2 }),
        picked: fc.nat(),
      }),
      async ({ seed, count, ties, inclusive, cut, shift, picked }) => {
        const rows = makeRows(count, ties, seeded(seed));
        const [left, right] = cut.map((at) => rows[at % count]?.timestamp ?? 0);
        const [first = 0, last = 0] = [left ?? 0, right ?? 0].sort((a, b) => a - b);
        const span = { from: first + Math.min(0, shift), to: last + Math.max(0, shift) };
        files += 1;
        const path = join(directory, `${files}.jsonl`);
        await over(rows, inclusive, (url) =>
          exportToFile(exportRequest(url, dispatcher, { span }), path, 'refuse'),
        );
        const manifest = await readManifest(path);
        const then = compareWithToday(manifest)?.total;
        const ask = async (now: readonly Row[]) => {
          const { total, outside } = await over(now, inclusive, (url) =>
            totalToday(exportRequest(url, dispatcher, { span }).client, manifest, signal),
          );
          return { total, outside };
        };
        expect(await ask(rows)).toEqual({ total: then, outside: 0 });

        const inside = rows.filter(({ timestamp }) => timestamp >= span.from && timestamp <= span.to);
        const one = inside[picked % inside.length];
        if (!one) throw new Error('the period has a row at each end');
        expect((await ask(rows.filter((row) => row !== one))).total).toBe((then ?? 0) - 1);
        const more = await ask([...rows, { ...one, id: 'new' }]);
        expect(more.total).toBe((then ?? 0) + 1);
      },
    ),
    { numRuns: runs(40) },
  );
});

describe('totalToday', () => {
  const rows = makeRows(5, 0, seeded(7));
  const times = rows.map(({ timestamp }) => timestamp);
  const [start, end] = [Math.min(...times), Math.max(...times)];

  /** Exports a period, and returns the totals after a row with this time was added. */
  async function after(span: OpenSpan, timestamp: number, now?: number) {
    const path = join(directory, `${JSON.stringify(span)}-${timestamp}.jsonl`);
    const added = rows.slice(0, 1).map((row) => ({ ...row, id: 'added', timestamp }));
    const found: unknown[] = [];
    for (const inclusive of [true, false]) {
      await over(rows, inclusive, (url) =>
        exportToFile(
          { ...exportRequest(url, dispatcher, { span }), ...(now === undefined ? {} : { now: () => now }) },
          path,
          'refuse',
        ),
      );
      const manifest = await readManifest(path);
      const { total, outside } = await over([...rows, ...added], inclusive, (url) =>
        totalToday(exportRequest(url, dispatcher, { span }).client, manifest, signal),
      );
      found.push({ total, outside });
      rmSync(path);
      rmSync(`${path}.manifest.json`);
    }
    expect(found[0]).toEqual(found[1]);
    return found[0];
  }

  test('counts a row that was added anywhere in the requested period', async () => {
    const span = { from: 5, to: end + 100 };
    for (const time of [5, 6, start - 2, start, end, end + 2, end + 50, end + 100]) {
      expect(await after(span, time), `at ${time}`).toEqual({ total: 6, outside: 0 });
    }
    for (const time of [3, end + 102]) expect(await after(span, time)).toEqual({ total: 5, outside: 0 });
  });

  test('without a period, counts only rows that were added before the last exported row', async () => {
    for (const time of [1, start - 2, start, end]) {
      expect(await after({}, time)).toEqual({ total: 6, outside: undefined });
    }
    expect(await after({}, end + 2)).toEqual({ total: 5, outside: undefined });
  });

  test('for a period that had not ended at the export, counts the rows after the exported rows separately', async () => {
    const span = { from: 5, to: end + 100 };
    expect(await after(span, end + 50, end + 10)).toEqual({ total: 5, outside: 1 });
    expect(await after(span, 6, end + 10)).toEqual({ total: 6, outside: 0 });
  });
});
