import { rmSync } from 'node:fs';
import fc from 'fast-check';
import { Agent } from 'undici';
import { afterAll, expect, test } from 'vitest';
import { identityOf } from '../../src/core/identity.ts';
import { stringifyJson } from '../../src/core/json.ts';
import { touchedLegs } from '../../src/mirror/changes.ts';
import { hasEveryLeg } from '../../src/mirror/claims.ts';
import { openMirror } from '../../src/mirror/open.ts';
import {
  CALM,
  type Conduct,
  makeRow,
  makeRows,
  type Row,
  seeded,
  startLedgerServer,
} from '../export/ledger-server.ts';
import { runs } from '../runs.ts';
import { mirrored } from './request.ts';
import { historyIn, legsIn, newFolder, truth } from './support.ts';

const dispatcher = new Agent();
afterAll(() => dispatcher.close());

const CHANGES = ['add', 'backdate', 'delete', 'edit', 'move', 'swap'] as const;
type Change = (typeof CHANGES)[number];

interface Round {
  readonly changes: readonly Change[];
  readonly full: boolean;
}

const DAY = 86_400_000;

function changed(rows: readonly Row[], change: Change, made: number, random: () => number): Row[] {
  const times = rows.map(({ timestamp }) => timestamp);
  const [first, last] = [Math.min(...times, 1.7e12), Math.max(...times, 1.7e12)];
  const at = Math.floor(random() * rows.length);
  const [row] = rows.slice(at);
  if (change === 'add') return [...rows, makeRow(last + Math.floor(random() * 3), made, random)];
  if (change === 'backdate') {
    // The new leg may be older than the first leg.
    return [...rows, makeRow(first - 20 + Math.floor(random() * (last - first + 20)), made, random)];
  }
  if (!row) return [...rows];
  if (change === 'delete') return rows.toSpliced(at, 1);
  if (change === 'edit') return rows.with(at, { ...row, note: `edited ${made}` });
  if (change === 'move')
    return rows.with(at, { ...row, timestamp: first + Math.floor(random() * (last - first + 1)) });
  return rows.with(at, makeRow(row.timestamp, made, random));
}

const idsIn = (lines: readonly string[]) => lines.map((line) => identityOf(JSON.parse(line))).sort();
const within = (rows: readonly Row[], from: number, to: number) =>
  rows.filter(({ timestamp }) => timestamp >= from && timestamp <= to);

/** Undoes the recorded changes of a run, and returns the state before the run. */
function undone(lines: readonly string[], entries: Awaited<ReturnType<typeof historyIn>>): string[] {
  const legs = new Map(lines.map((line): [string, string] => [identityOf(JSON.parse(line)), line]));
  for (const { key, before } of entries) {
    if (before === null) legs.delete(key);
    else legs.set(key, stringifyJson(before));
  }
  return [...legs.values()].sort();
}

/** For each period, checks that undoing the period's changes restores the state before the period. */
async function checkSpans(folder: string, states: readonly (readonly string[])[]): Promise<void> {
  const mirror = await openMirror(folder);
  for (let from = 1; from < states.length; from++) {
    for (let to = from; to < states.length; to++) {
      const legs = await touchedLegs(mirror, { from: from * DAY, to: to * DAY });
      const found = new Map(
        (states[to] ?? []).map((line): [string, string] => [identityOf(JSON.parse(line)), line]),
      );
      for await (const { key, text } of legs.after()) {
        expect(found.get(key)).toBe(text);
        found.delete(key);
      }
      for await (const { key, text } of legs.before()) found.set(key, text);
      expect([...found.values()].sort()).toEqual([...(states[from - 1] ?? [])].sort());
    }
  }
}

async function play(seed: number, count: number, rounds: readonly Round[], conduct: Conduct) {
  const random = seeded(seed);
  // If the seed is odd, the order of creation differs from the order of time.
  const start = makeRows(count, 0.3, random).map((row, at) =>
    seed % 2 === 0 ? row : { ...row, made: row.made + 3 - 2 * (at % 4) },
  );
  const server = await startLedgerServer(start, conduct, random);
  const isCalm = conduct.drift === 0;
  const edge = conduct.inclusive ? 1 : 0;
  const folder = newFolder();
  const truths: Row[][] = [];
  const states: string[][] = [];
  let verified = false;
  let known = 0;
  let made = 1000;
  try {
    for (const [number, { changes, full }] of rounds.entries()) {
      let rows: Row[] = [...server.rows];
      for (const change of changes) {
        made += 1;
        rows = changed(rows, change, made, random);
      }
      server.replace(rows);
      truths.push(rows);
      const time = number * DAY;
      const { url } = server;
      const result = await mirrored(folder, { url, dispatcher, full, windowRows: 20, now: () => time });
      verified = result.unverified === undefined;
      const { manifest } = await openMirror(folder);
      const lines = await legsIn(folder);
      const entries = (await historyIn(folder)).filter(({ seenAt }) => seenAt === time);
      expect(lines.length).toBe(manifest.ledgers.rows);
      if (number > 0) expect(undone(lines, entries)).toEqual([...(states[number - 1] ?? [])].sort());
      states.push(lines);
      if (!isCalm) continue;
      expect(verified).toBe(true);
      // After each run, the number of legs is correct. After a run with --full, every field is correct.
      expect(lines.length).toBe(rows.length);
      if (hasEveryLeg(manifest.ledgers)) {
        expect(idsIn(lines)).toEqual(rows.map(({ id }) => id).sort());
        if (result.legs.windowsRead < manifest.ledgers.windows.length) known += 1;
      }
      const sameSince = rounds
        .slice(1, number + 1)
        .every((round) => !round.changes.some((c) => c !== 'add' && c !== 'backdate' && c !== 'delete'));
      if (full || number === 0) expect(lines).toEqual(truth(rows));
      for (const window of manifest.ledgers.windows) {
        const { countsVerifiedAt, contentsVerifiedAt, total } = window;
        // Books without legs have one window without bounds.
        const [from, to] = [window.from ?? 0, window.to ?? Number.MAX_SAFE_INTEGER];
        if (countsVerifiedAt === null || contentsVerifiedAt === null) throw new Error('a claim is missing');
        expect(Date.parse(countsVerifiedAt)).toBe(time);
        expect(total).toBe(within(rows, from - edge, to + edge).length);
        // A window contains the rows that the service had when the contents of the window were verified.
        const then = truths[Date.parse(contentsVerifiedAt) / DAY] ?? [];
        const held = lines.filter((line) => {
          const { timestamp } = JSON.parse(line);
          return timestamp >= from && timestamp <= to;
        });
        expect(held.length).toBe(window.rows);
        expect(held).toEqual(truth(within(then, from, to)));
      }
      if (sameSince && !changes.includes('delete')) expect(lines).toEqual(truth(rows));
    }
    await checkSpans(folder, states);
    // When the service no longer changes, a run with --full makes the mirror match the service.
    if (!isCalm) {
      const { rows, url } = server;
      const calm = await startLedgerServer(rows, CALM, random);
      const time = rounds.length * DAY;
      try {
        const options = {
          url: calm.url,
          address: url,
          dispatcher,
          full: true,
          windowRows: 20,
          now: () => time,
        };
        const { unverified } = await mirrored(folder, options);
        expect(unverified).toBeUndefined();
        expect(await legsIn(folder)).toEqual(truth(rows));
      } finally {
        await calm.close();
      }
    }
    return known;
  } finally {
    await server.close();
    rmSync(folder, { recursive: true, force: true });
    played += 1;
    if (played % 100 === 0) console.log(`${played} of ${2 * RUNS} runs`);
  }
}

const RUNS = Number(process.env['MIRROR_RUNS'] || runs(12));
/** Many runs stop at the first failure, with its seed, because finding a smaller example would take long. */
const PARAMETERS = { numRuns: RUNS, endOnFailure: RUNS >= 100 };
let played = 0;
/** In milliseconds. */
const TIMEOUT = Math.max(600_000, RUNS * 6000);
const round = fc.record({
  changes: fc.oneof(
    fc.array(fc.constantFrom(...CHANGES), { maxLength: 12 }),
    // Few changes, so that most windows are not read again.
    fc.array(fc.constantFrom(...CHANGES), { maxLength: 3 }),
    fc.constantFrom<Change[]>(
      ['swap'],
      ['swap', 'move'],
      ['delete', 'add'],
      ['delete', 'backdate'],
      ['move', 'delete'],
    ),
  ),
  full: fc.nat({ max: 3 }).map((lot) => lot === 0),
});
const rounds = fc.array(round, { minLength: 2, maxLength: 5 });

const ORDERS = ['correct', 'ignored', 'reversed', 'ties'] as const;

// The tests run at the same time, because they mostly wait for the disk.
test.concurrent(
  'each window matches the service at its verification time, claims are true, and the history restores earlier states',
  async () => {
    const known = { correct: 0, ignored: 0, reversed: 0, ties: 0 };
    const run = fc.asyncProperty(
      fc.nat(),
      fc.integer({ min: 0, max: 130 }),
      rounds,
      fc.boolean(),
      fc.constantFrom(...ORDERS),
      fc.constantFrom(5, 10, 40, 200),
      fc.boolean(),
      async (seed, count, given, inclusive, creationOrder, pageSize, unstableTies) => {
        const service = { inclusive, creationOrder, pageSize: unstableTies ? 200 : pageSize, unstableTies };
        known[creationOrder] += await play(seed, count, given, { ...CALM, ...service });
      },
    );
    await fc.assert(run, PARAMETERS);
    if (RUNS >= 100) expect(known['correct']).toBeGreaterThan(RUNS / 20);
  },
  TIMEOUT,
);

test.concurrent(
  'the history restores each earlier state when legs change during a run',
  async () => {
    const run = fc.asyncProperty(
      fc.nat(),
      fc.integer({ min: 20, max: 130 }),
      rounds,
      async (seed, count, given) => {
        await play(seed, count, given, {
          ...{ ...CALM, drift: 0.05, mostChanges: 8, changes: ['head', 'middle', 'delete', 'edit'] },
          ...{ unstableTies: seed % 2 === 0, faults: 0.05, mostFaults: 5 },
        });
      },
    );
    await fc.assert(run, PARAMETERS);
  },
  TIMEOUT,
);
