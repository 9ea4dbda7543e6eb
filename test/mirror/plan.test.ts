import { Agent } from 'undici';
import { afterAll, expect, test } from 'vitest';
import { type Stretch, splitSpan } from '../../src/export/plan.ts';
import type { LegWindow } from '../../src/mirror/manifest.ts';
import { mirrorWindowRows, planWindows } from '../../src/mirror/plan.ts';
import { CALM, makeRows, seeded, startLedgerServer } from '../export/ledger-server.ts';
import { mirrored } from './request.ts';
import { newFolder } from './support.ts';

const LEGS = 1_000_000;
const DAY = 86_400_000;

const dispatcher = new Agent();
afterAll(() => dispatcher.close());

/**
 * Returns the number of runs until a mirror of a million legs no longer changes, and the number of totals that the next run
 * requests.
 */
async function windowsOf(time: (at: number, random: number) => number) {
  const random = seeded(7);
  const times = Float64Array.from({ length: LEGS }, (_, at) => Math.floor(time(at, random()))).sort();
  const before = (time: number) => {
    let [low, high] = [0, LEGS];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((times[middle] ?? 0) < time) low = middle + 1;
      else high = middle;
    }
    return low;
  };
  const range = { from: times[0] ?? 0, to: times[LEGS - 1] ?? 0 };
  const total = ({ from, to } = range) => before(to + 2) - before(from - 1);
  const windowRows = mirrorWindowRows(LEGS);
  let spans: Stretch[] = [{ span: range, count: LEGS }];
  for (let at = 0; at < spans.length; ) {
    const [next] = spans.slice(at);
    if (!next) break;
    const { parts } = await splitSpan(next, windowRows, async (span) => ({
      ...{ total: total(span), more: total(span) > windowRows },
    }));
    if (parts.length > 1) spans = spans.toSpliced(at, 1, ...parts);
    else at += 1;
  }
  const at = new Date(0).toISOString();
  const frozen = { range, filled: range, total: LEGS, at, newest: [] };
  for (let runs = 1; runs < 10; runs++) {
    const windows = spans.map(
      ({ span }): LegWindow => ({
        ...{ ...span, part: null, rows: before(span.to + 1) - before(span.from), total: total(span) },
        ...{
          legsSha256: null,
          walletIds: [],
          countsVerifiedAt: at,
          idsVerifiedAt: at,
          contentsVerifiedAt: at,
        },
      }),
    );
    let requests = 0;
    const page = async (span = range) => {
      requests += 1;
      return { rows: [], total: total(span), extras: {} };
    };
    const plan = await planWindows({
      ...{ source: { page }, frozen, windowRows, now: () => 0 },
      table: {
        ...{ rows: LEGS, verified: true, why: null, readAt: at, verifiedAt: at, windowRows, windows },
        ...{ syncs: null, newest: null, files: [] },
      },
      idsOf: async () => [],
      isStale: () => false,
    });
    if (plan.kept.size === windows.length) return { runs, requests };
    spans = plan.windows.flatMap(({ span }) => (span ? { span, count: total(span) } : []));
  }
  throw new Error('each run reads windows again');
}

test.each([
  ['evenly distributed', 1, (_: number, random: number) => random * 2000 * DAY],
  ['more frequent each year', 1, (_: number, random: number) => random ** 0.25 * 2000 * DAY],
  ['in 50 bursts', 2, (at: number, random: number) => (45 * Math.floor(at / 20_000) + random) * DAY],
  ['at 300 moments', 1, (_: number, random: number) => 7 * DAY * Math.floor(random * 300)],
] as const)(
  'a million unchanged legs (%s): later run %i rereads no window, and sends at most 220 requests',
  async (_, from, time) => {
    const server = await startLedgerServer(makeRows(3000, 0.3, seeded(1)), CALM, seeded(1));
    server.controls.lists = { '/v1/integrations': [] };
    const options = { url: server.url, dispatcher, windowRows: 2000 };
    const folder = newFolder();
    await mirrored(folder, options);
    const { requests, manifest } = await mirrored(folder, options);
    await server.close();
    const planned = await windowsOf(time);
    const others = requests - manifest.ledgers.windows.length;
    expect(planned.runs).toBe(from);
    expect(planned.requests + others).toBeLessThanOrEqual(220);
  },
);
