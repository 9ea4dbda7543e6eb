import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { Agent } from 'undici';
import { afterAll, describe, expect, test } from 'vitest';
import type { LedgerFilters } from '../../src/client/nouns.ts';
import { CryptodataError } from '../../src/core/errors.ts';
import { identityOf } from '../../src/core/identity.ts';
import { parseJson } from '../../src/core/json.ts';
import { exportToFile } from '../../src/export/ledger-export.ts';
import { cases, runs, THOROUGH } from '../runs.ts';
import {
  CALM,
  type Conduct,
  type LedgerServer,
  makeRows,
  passes,
  type Row,
  seeded,
  startLedgerServer,
  TOTALS,
  type TotalKind,
  textOf,
} from './ledger-server.ts';
import { type Asked, exportRequest } from './request.ts';

const directory = mkdtempSync(join(tmpdir(), 'cryptodata-proof-'));
const dispatcher = new Agent();
afterAll(async () => {
  await dispatcher.close();
  rmSync(directory, { recursive: true, force: true });
});

let files = 0;

async function exported(server: LedgerServer, asked: Asked) {
  files += 1;
  const path = join(directory, `${files}.jsonl`);
  try {
    const result = await exportToFile(exportRequest(server.url, dispatcher, asked), path, 'refuse');
    const manifest = JSON.parse(readFileSync(result.manifest, 'utf8'));
    return { lines: readFileSync(path, 'utf8').split('\n').slice(0, -1), manifest, result };
  } finally {
    rmSync(path, { force: true });
  }
}

type Given = Readonly<Record<string, string>>;

function passesAll(row: Row, given: Given): boolean {
  return Object.entries(given).every(([name, value]) => passes(row, name, value));
}

/**
 * Returns the lines that the file should contain, in order. These are the rows that were in the frozen range when the total of
 * the range was last requested.
 */
function expectedLines(
  { counted }: LedgerServer,
  range: { readonly from: number | null; readonly to: number } | null,
  noIds: boolean,
  given: Given = {},
): string[][] {
  const key = range === null ? 'null,null' : `${range.from && range.from - 1},${range.to + 1}`;
  return (counted.get(key) ?? []).slice(-1).map((rows) =>
    rows
      .filter(({ timestamp }) => range === null || (timestamp >= (range.from ?? 0) && timestamp <= range.to))
      .filter((row) => passesAll(row, given))
      .map((row) => ({ ...row, text: lineOf(row, noIds) }))
      .map((row) => ({ ...row, key: noIds ? identityOf(parseJson(row.text)) : row.id }))
      .sort((a, b) => a.timestamp - b.timestamp || (a.key < b.key ? -1 : 1))
      .map(({ text }) => text),
  );
}

function lineOf(row: Row, noIds: boolean): string {
  return textOf(row, noIds).replaceAll('\u001b', '\\u001b');
}

/** Returns the lines of an export file that contains `rows`. */
function linesOf(rows: readonly Row[]): string[] {
  return [...rows]
    .sort((a, b) => a.timestamp - b.timestamp || (a.id < b.id ? -1 : 1))
    .map((row) => lineOf(row, false));
}

function idsIn(lines: readonly string[]): string[] {
  return lines.map((line) => JSON.parse(line).id).sort();
}

/** Checks a verified file: no row occurs twice, and the file contains the rows that match the filters, but no other rows. */
function checkVerified(lines: readonly string[], start: readonly Row[], server: LedgerServer, given: Given) {
  const held = new Set(lines);
  expect(held.size).toBe(lines.length);
  // Ignore rows that were moved or edited: a changed row is a new object, so the old object is not in `now`.
  const now = new Set(server.rows);
  const lost = start.filter(
    (row) => now.has(row) && passesAll(row, given) && !held.has(lineOf(row, server.noIds)),
  );
  expect(lost).toEqual([]);
  const foreign = lines.filter((line) => {
    const { price, ...row } = JSON.parse(line);
    return !passesAll({ ...row, price: price?.price ?? null }, given);
  });
  expect(foreign).toEqual([]);
}

async function run(
  seed: number,
  count: number,
  ties: number,
  conduct: Conduct,
  asked: Asked,
  given: Given = {},
) {
  const random = seeded(seed);
  const start = makeRows(count, ties, random);
  const server = await startLedgerServer(start, conduct, random);
  const filters = Object.fromEntries(
    Object.entries(given).map(([name, value]) => [name, filterValue(value)]),
  );
  try {
    const { lines, manifest, result } = await exported(server, { ...asked, filters });
    expect(manifest.verified).toBe(result.claim.verified);
    expect(manifest.rows).toBe(lines.length);
    if (result.claim.verified) {
      checkVerified(lines, start, server, given);
      const wanted = expectedLines(server, manifest.frozenRange, conduct.noIds, given);
      const [last = []] = wanted.slice(-1);
      const { changes } = conduct;
      // If the time of a leg changed after the leg was read, the file has the old version. Each leg still occurs only once.
      if (!changes.includes('edit') && !(changes.includes('move') && changes.includes('delete'))) {
        if (changes.includes('move')) expect(wanted.map(idsIn)).toContainEqual(idsIn(lines));
        else expect(lines).toEqual(last);
      }
    } else {
      expect(manifest.statement).toMatch(/^not verified: ./);
      expect(new Set(lines).size).toBe(lines.length);
    }
    return {
      verified: result.claim.verified,
      why: result.claim.why,
      rows: lines.length,
      requests: server.requests.length,
      server,
    };
  } catch (error) {
    // If rows are added before each request, a short list can repeat its page in every read. The export then fails with
    // BAD_PAGING.
    const isExpected =
      error instanceof CryptodataError &&
      (error.code === 'FILTER_IGNORED' || (error.code === 'BAD_PAGING' && conduct.drift > 0));
    if (!isExpected) throw error;
    return { verified: false, why: error.message, rows: 0, requests: server.requests.length, server };
  } finally {
    await server.close();
  }
}

function filterValue(text: string): unknown {
  if (text === 'true' || text === 'false') return text === 'true';
  return /^-?\d+$/.test(text) ? text : text.split(',');
}

/** A value for each filter that can be checked against the fields of a row. */
const GIVEN: Given = {
  types: 'fee,incoming',
  assetIds: 'asset_1,asset_2',
  transactionIds: 'tx_1,tx_2,tx_3',
  hasMissingPrice: 'true',
  hasMissingAsset: 'false',
  ltAfterBalance: '0',
  gtAfterBalance: '-2',
};

const often = <T>(usual: T, ...others: T[]) =>
  fc.oneof(
    { weight: 8, arbitrary: fc.constant(usual) },
    { weight: 2, arbitrary: fc.constantFrom(...others) },
  );

const kinds = Object.keys(TOTALS) as TotalKind[];

const conducts = fc.record({
  inclusive: fc.boolean(),
  unstableTies: fc.boolean(),
  madeTogether: fc.boolean(),
  faults: fc.constantFrom(0, 0, 0.05, 0.2),
  mostFaults: fc.constant(20),
  drift: fc.constantFrom(0, 0, 0.1, 0.5, 1),
  mostChanges: fc.constantFrom(1, 2, 5, 20),
  changes: fc.oneof(
    fc.subarray(['head', 'middle', 'delete'] as const, { minLength: 1 }),
    fc.subarray(['head', 'middle', 'delete', 'move', 'edit'] as const, { minLength: 1 }),
  ),
  badPages: fc.constantFrom(0, 0, 0.1, 0.3),
  mostBadPages: fc.constantFrom(1, 5),
  ignoresTime: fc.constantFrom(false, false, false, false, true),
  ignoresOrder: fc.constantFrom(false, false, false, false, true),
  cap: fc.constantFrom(Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY, 100),
  noIds: fc.constantFrom(false, false, false, true),
  totals: often<TotalKind>('true', ...kinds),
  pageSize: often(200, 100, 50, 7),
  hidesPageSize: fc.boolean(),
  ignoredFilters: fc.oneof(
    { weight: 3, arbitrary: fc.constant<string[]>([]) },
    { weight: 1, arbitrary: fc.subarray<string>(Object.keys(GIVEN)) },
  ),
});

const filtersGiven = fc.oneof(
  fc.constant([]),
  fc.subarray(Object.keys(GIVEN), { minLength: 1, maxLength: 2 }),
);

const RUNS = Number(process.env['PROOF_RUNS'] ?? (THOROUGH ? 200 : 20));

describe('export verification', () => {
  test(
    `accepts only correct files in ${RUNS} seeded runs with a misbehaving service`,
    async () => {
      const tally = { verified: 0, not: 0 };
      await fc.assert(
        fc.asyncProperty(
          fc.nat(),
          fc.constantFrom(0, 1, 3, 40, 199, 200, 201, 450, 900),
          fc.constantFrom(0, 0.3, 0.9, 1),
          conducts,
          fc.constantFrom(1, 50, 300, undefined),
          filtersGiven,
          async (seed, count, ties, made, rows, names) => {
            // Only lists that can be split by time have a cap, because the tool cannot detect a cap on other lists.
            const cutless = made.ignoresTime || made.ignoresOrder || ties > 0.5;
            const cap = cutless ? Number.POSITIVE_INFINITY : made.cap;
            // If the order of rows is unstable, the export reads them many times, so use larger pages.
            const pageSize = made.unstableTies ? Math.max(100, made.pageSize) : made.pageSize;
            const conduct = { ...made, cap, pageSize };
            // Each window causes requests, so use larger windows if there are many rows.
            const windowRows = rows === 1 && count > 40 ? 60 : rows;
            const given = Object.fromEntries(names.map((name) => [name, GIVEN[name] ?? '']));
            const { verified, why } = await run(seed, count, ties, conduct, { windowRows }, given);
            tally[verified ? 'verified' : 'not'] += 1;
            if (['text', 'digits', 'negative', 'fraction', 'wild', 'huge'].includes(conduct.totals)) {
              expect(verified).toBe(false);
            }
            // If no row changes and the totals are correct, other faults must not prevent the verification of the file.
            const still =
              conduct.drift === 0 &&
              count <= conduct.cap &&
              (!conduct.unstableTies || count <= pageSize) &&
              // If pages are small and the order of rows changes, old rows look like new rows.
              (!conduct.madeTogether || pageSize === 200);
            const honest =
              conduct.totals === 'true' && !names.some((name) => made.ignoredFilters.includes(name));
            if (still && honest) expect({ verified, why }).toEqual({ verified: true, why: undefined });
          },
        ),
        { numRuns: RUNS, ...(process.env['PROOF_SEED'] ? { seed: Number(process.env['PROOF_SEED']) } : {}) },
      );
      // If no run were verified, the test would prove nothing.
      console.info(`${tally.verified} of ${RUNS} runs verified`);
      expect(tally.verified).toBeGreaterThan(RUNS / 3);
    },
    300_000 + RUNS * 2000,
  );

  test.each([
    // A row was deleted in the range, and a row was added just outside. The service's total also counted the added row.
    [
      1917185784,
      40,
      { inclusive: true, madeTogether: true, changes: ['head', 'middle', 'delete'], drift: 0.5 },
      300,
    ],
    // The list was empty at the start, so the final check of the newest rows had no earlier rows to compare them with.
    [
      6,
      0,
      { inclusive: true, unstableTies: true, faults: 0.05, changes: ['head', 'middle', 'delete'], drift: 1 },
      1,
    ],
    // The service capped the list, so the last row was missing. The check did not notice the gap, because a row was added
    // one millisecond after the end of the range.
    [0, 200, { cap: 100, changes: ['head'], drift: 1, mostChanges: 2, ties: 0.3 }, undefined],
    // Without a frozen range, all rows were read as one list, and the export did not check for the last row.
    [2147483631, 201, { cap: 100, changes: ['head', 'delete', 'move'], drift: 0.1, mostChanges: 5 }, 60],
    // The service always returned the newest row first, so rows that were one millisecond older were missed.
    [173685768, 40, { unstableTies: true, ignoresOrder: true, ties: 0.9 }, 1],
    // The service ignored the time range and the sort order of each request. The row that seemed to be the last one was in fact
    // the first of three rows in the same millisecond.
    [1325520069, 3, { inclusive: false, ignoresTime: true, ties: 0.3 }, 1],
  ] as const)(
    'never marks an incorrect file as verified, as an earlier version did with the seed %i',
    async (seed, count, part, windowRows) => {
      const { ties, ...drawn } = { ties: 0, ...part };
      const conduct = { ...CALM, mostFaults: 20, mostChanges: 20, mostBadPages: 1, ...drawn };
      await run(seed, count, ties, conduct, { windowRows });
    },
  );

  test('if each response reports a different total, the file is unverified and the reason mentions the total', async () => {
    const conduct = { ...CALM, totals: 'wild' as const };
    const { verified, why } = await run(7, 450, 0.3, conduct, {});
    expect(verified).toBe(false);
    expect(why).toMatch(/total changed from|the service reports a total of/);
  });

  test('verifies the file if the order of rows in one millisecond differs between responses', async () => {
    for (const seed of cases([1, 2, 3], 1)) {
      const conduct = { ...CALM, unstableTies: true };
      const { verified, why, rows } = await run(seed, 250, 1, conduct, {});
      expect({ verified, why, rows }).toEqual({ verified: true, why: undefined, rows: 250 });
    }
  });

  test('does not verify the file if rows are continually added to the range', async () => {
    const conduct = {
      ...CALM,
      drift: 1,
      mostChanges: Number.POSITIVE_INFINITY,
      changes: ['middle'] as const,
    };
    const { verified, why, server } = await run(8, 450, 0.3, conduct, {});
    expect(verified).toBe(false);
    expect(why).toMatch(/total changed from|the service reports a total of/);
    expect(server.rows.length).toBeGreaterThan(450);
  });

  test('verifies the file while rows are added after the end of the range', async () => {
    const conduct = { ...CALM, drift: 1, mostChanges: Number.POSITIVE_INFINITY, changes: ['head'] as const };
    expect((await run(9, 450, 0, conduct, { windowRows: 100 })).verified).toBe(true);
  });

  test('verifies the correct file after a deletion and an addition that leave the total unchanged', async () => {
    for (let seed = 0; seed < runs(20); seed++) {
      const random = seeded(seed);
      const rows = makeRows(600, 0.5, random);
      const server = await startLedgerServer(rows, CALM, random);
      // During the read, the first row is deleted and a new row with the same time is added.
      server.controls.onRequest = (count) => count === 6 && server.exchange();
      const { lines, manifest } = await exported(server, {});
      await server.close();
      expect(manifest.verified).toBe(true);
      expect(server.rows[0]?.id).not.toBe(rows[0]?.id);
      expect(lines).toEqual(linesOf(server.rows));
    }
  });

  test('after the newest rows are received, requests the total of each window again', async () => {
    // A row may be added, and deleted before the newest rows are requested. Only the totals that are requested afterwards
    // reveal this.
    const random = seeded(4);
    const server = await startLedgerServer(makeRows(600, 0, random), CALM, random);
    server.controls.delay = 2;
    await exported(server, { windowRows: 100 });
    await server.close();
    const newest = server.requests.findLast((query) => query.get('sortBy') === 'createdAt');
    const known = (newest && server.answered.get(newest)) ?? 0;
    expect(known).toBeGreaterThan(0);
    const spans = (requests: readonly URLSearchParams[]) =>
      requests
        .filter((query) => query.get('limit') === '1' && query.get('sortOrder') === 'asc')
        .map((query) => `${query.get('startTime')},${query.get('endTime')}`);
    const windows = new Set(
      server.requests
        .filter((query) => query.get('limit') === '200' && query.get('sortBy') === 'timestamp')
        .map((query) => `${query.get('startTime')},${query.get('endTime')}`),
    );
    expect(windows.size).toBeGreaterThan(5);
    expect(spans(server.requests.slice(known)).sort()).toEqual([...windows].sort());
  });
});

describe('an export with filters', () => {
  test.each(Object.entries(GIVEN))(
    'an export is not verified if the service ignores the filter %s=%s',
    async (name, value) => {
      const conduct = { ...CALM, ignoredFilters: [name] };
      expect(await run(11, 450, 0.3, conduct, {}, { [name]: value })).toMatchObject({
        verified: false,
        why: expect.stringContaining(`The service ignored ${name}=${value}: it returned leg led_`),
      });
      expect(await run(11, 450, 0.3, CALM, {}, { [name]: value })).toMatchObject({ verified: true });
    },
  );

  test('an export fails if the service ignores the request parameter endTime', async () => {
    const random = seeded(12);
    const rows = makeRows(300, 0, random);
    const server = await startLedgerServer(rows, { ...CALM, ignoresTime: true }, random);
    const request = exportRequest(server.url, dispatcher, {});
    const sent = { endTime: rows[100]?.timestamp };
    const selection = { ...request.selection, sent };
    const path = join(directory, 'bounds.jsonl');
    await expect(exportToFile({ ...request, selection }, path, 'refuse')).rejects.toMatchObject({
      kind: 'unverified',
      code: 'FILTER_IGNORED',
      message: expect.stringContaining(`endTime=${sent.endTime}`),
    });
    await server.close();
    expect(existsSync(path)).toBe(false);
    expect(existsSync(`${path}.part`)).toBe(false);
  });

  test('the manifest lists the filters that cannot be checked', async () => {
    const random = seeded(13);
    const server = await startLedgerServer(makeRows(5, 0, random), CALM, random);
    const filters: LedgerFilters = {
      providers: ['kraken'],
      types: ['incoming', 'outgoing', 'fee'],
      extra: { labels: 'x' },
    };
    const { manifest } = await exported(server, { filters });
    await server.close();
    expect(manifest).toMatchObject({ verified: true, filtersNotChecked: ['labels', 'providers'] });
    expect(manifest).toMatchObject({
      requests: server.requests.length,
      retries: 0,
      readsRepeated: 0,
      windows: 1,
    });
  });
});

describe('an export with wrong totals', () => {
  const oneMillisecond = (count: number, conduct: Partial<Conduct>) =>
    run(14, count, 1, { ...CALM, ...conduct }, {});

  test.each(['capped', 'zero', 'huge', 'timesMillion', 'page'] as const)(
    'writes every row, but does not verify the file: %s',
    async (totals) => {
      for (const pageSize of cases([50, 200], 1)) {
        const { verified, why, rows, requests } = await oneMillisecond(900, {
          ...{ totals, pageSize, hidesPageSize: true },
        });
        expect({ verified, rows }).toEqual({ verified: false, rows: 900 });
        expect(why).toMatch(/the service (reports a total of|gives)|total changed from/);
        // All rows have the same time, so each page repeats a quarter of the previous page.
        expect(requests).toBeLessThan((900 / pageSize) * 30);
      }
    },
  );

  test.each(['text', 'digits', 'negative', 'fraction'] as const)(
    'reports a total that is not a whole number: %s',
    async (totals) => {
      const { verified, why, rows } = await oneMillisecond(450, { totals });
      expect({ verified, rows }).toEqual({ verified: false, rows: 450 });
      expect(why).toMatch(/^the service reports \S+ as its total, which is not a whole number$/);
    },
  );

  test('an export without rows is not verified if the service reports a different total in each response', async () => {
    const { verified, why } = await oneMillisecond(0, { totals: 'wild' });
    expect(verified).toBe(false);
    expect(why).toMatch(/total/);
  });

  test('an export of a long period with totals that are far too high needs few additional requests', async () => {
    for (const totals of ['huge', 'timesMillion'] as const) {
      const random = seeded(15);
      const rows = makeRows(3000, 0, random).map((row, at) => ({
        ...row,
        timestamp: row.timestamp + at * 10_000_000,
      }));
      const server = await startLedgerServer(rows, { ...CALM, totals }, random);
      const { lines, result } = await exported(server, {});
      await server.close();
      expect({ verified: result.claim.verified, rows: lines.length }).toEqual({
        verified: false,
        rows: 3000,
      });
      expect(server.requests.length).toBeLessThan(300);
    }
  });
});

describe('the export range', () => {
  test('verifies an export with a range of one millisecond, and an export without rows', async () => {
    const random = seeded(1);
    const server = await startLedgerServer(makeRows(50, 0.5, random), CALM, random);
    const times = server.rows.map(({ timestamp }) => timestamp);
    const [first = 0] = times;
    const alone = times.find((time) => times.filter((other) => other === time).length === 1) ?? 0;
    const many = times.find((time) => times.filter((other) => other === time).length > 1) ?? 0;
    for (const [span, rows] of [
      [{ from: alone, to: alone }, 1],
      [{ from: many, to: many }, times.filter((time) => time === many).length],
      [{ from: first - 100, to: first - 1 }, 0],
      [{ from: first - 100, to: first - 50 }, 0],
      [{ to: first }, times.filter((time) => time === first).length],
      [{ from: (times.at(-1) ?? 0) + 1 }, 0],
    ] as const) {
      const { lines, result } = await exported(server, { span });
      expect({ rows: lines.length, verified: result.claim.verified }).toEqual({ rows, verified: true });
      const { from, to } = { from: Number.NEGATIVE_INFINITY, to: Number.POSITIVE_INFINITY, ...span };
      expect(lines).toEqual(linesOf(server.rows.filter(({ timestamp: at }) => from <= at && at <= to)));
    }
    await server.close();
  });

  // A function call cannot have 150,000 arguments, so the rows must not be spread into one call.
  test.runIf(THOROUGH)(
    'a range with 150,000 rows in the same millisecond is read as one window',
    async () => {
      const random = seeded(2);
      const server = await startLedgerServer(makeRows(150_000, 1, random), CALM, random);
      const { lines, result } = await exported(server, {});
      await server.close();
      expect({ rows: lines.length, different: new Set(lines).size }).toEqual({
        rows: 150_000,
        different: 150_000,
      });
      expect(result).toMatchObject({ claim: { verified: true }, segments: { length: 1 } });
    },
  );

  test('splitting the export range into windows needs few additional requests', async () => {
    const random = seeded(3);
    const server = await startLedgerServer(makeRows(20_000, 0.7, random), CALM, random);
    const { result } = await exported(server, { windowRows: 2000 });
    await server.close();
    expect(result.segments.length).toBeGreaterThanOrEqual(10);
    expect(server.requests.length).toBeLessThan(100 * 1.5);
  });
});

describe('an export', () => {
  test('an export continues after a short network failure', async () => {
    const random = seeded(4);
    const server = await startLedgerServer(makeRows(2000, 0.3, random), CALM, random);
    server.controls.onRequest = (count) => {
      if (count === 8) server.controls.broken = 60;
    };
    const { manifest, lines } = await exported(server, { patience: 60_000 });
    await server.close();
    expect(manifest.verified).toBe(true);
    expect(lines).toEqual(linesOf(server.rows));
    expect(manifest.retries).toBeGreaterThan(50);
  });

  test('an export that fails because the network does not recover can be resumed', async () => {
    const random = seeded(4);
    const server = await startLedgerServer(makeRows(2000, 0.3, random), CALM, random);
    server.controls.onRequest = (count) => {
      if (count === 24) server.controls.broken = Number.POSITIVE_INFINITY;
    };
    const path = join(directory, 'gone.jsonl');
    const asked = { windowRows: 300 };
    await expect(
      exportToFile(exportRequest(server.url, dispatcher, asked), path, 'refuse'),
    ).rejects.toMatchObject({
      kind: 'network',
      hint: expect.stringMatching(/rows are kept in .*gone\.jsonl\.part\. Use `unfinished: 'resume'`/),
    });
    server.controls.broken = 0;
    const { claim } = await exportToFile(exportRequest(server.url, dispatcher, asked), path, 'resume');
    await server.close();
    expect(claim.verified).toBe(true);
    expect(readFileSync(path, 'utf8')).toBe(`${linesOf(server.rows).join('\n')}\n`);
  });

  test('an export refreshes an expired token once and continues', async () => {
    const random = seeded(5);
    const server = await startLedgerServer(makeRows(2000, 0.3, random), CALM, random);
    server.controls.token = 'first';
    server.controls.onRequest = (count) => {
      if (count === 8) server.controls.token = 'second';
    };
    let token = 'first';
    let refreshes = 0;
    const credentials = {
      headers: async () => ({ authorization: `Bearer ${token}` }),
      query: () => ({}),
      refresh: async () => {
        refreshes += 1;
        token = 'second';
        return true;
      },
    };
    const { result, lines } = await exported(server, { credentials });
    await server.close();
    expect({ verified: result.claim.verified, refreshes }).toEqual({ verified: true, refreshes: 1 });
    expect(lines).toEqual(linesOf(server.rows));
  });

  test('if the service ignores the time bounds and the order, an export reads all rows without splitting them by time', async () => {
    const random = seeded(6);
    const server = await startLedgerServer(
      makeRows(500, 0.3, random),
      { ...CALM, ignoresTime: true },
      random,
    );
    const { manifest, lines } = await exported(server, {});
    await server.close();
    expect(manifest.frozenRange).toBeNull();
    expect(manifest.verified).toBe(true);
    expect(lines).toEqual(linesOf(server.rows));
  });
});
