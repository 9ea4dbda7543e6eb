import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import * as exportPlan from '../../src/export/plan.ts';
import * as mirrorPlan from '../../src/mirror/plan.ts';
import { runs } from '../runs.ts';
import { skipSleeps } from '../sleeps.ts';
import { COVERED, play, type Verdict } from './play.ts';

const RUNS = Number(process.env['EVIDENCE_RUNS'] ?? runs(300, 75));
const SEED = process.env['EVIDENCE_SEED'];

let parent: string;
let windowRows = 2000;
beforeAll(() => {
  parent = mkdtempSync(join(tmpdir(), 'cryptodata-evidence-'));
  skipSleeps(() => {});
  // The tool splits only large books into windows. Make windows small, so that even small books, which are faster to read, have
  // several windows.
  vi.spyOn(exportPlan, 'windowSize').mockImplementation(() => windowRows);
  vi.spyOn(mirrorPlan, 'mirrorWindowRows').mockImplementation(() => windowRows);
});
afterAll(() => {
  vi.restoreAllMocks();
  rmSync(parent, { recursive: true, force: true });
});

async function verdictOn(seed: number): Promise<Verdict> {
  const folder = join(parent, `run-${seed}`);
  mkdirSync(folder);
  return play(seed, folder, (rows) => {
    windowRows = rows;
  });
}

/** Returns one line for each kind of refutation, with the seeds of the runs that were refuted. */
function summaryOf(verdicts: readonly Verdict[]): string[] {
  const kinds = new Map<string, { readonly seeds: Set<number>; readonly says: string }>();
  for (const { seed, operation, refutations } of verdicts) {
    for (const { kind, says } of refutations) {
      const key = `${operation}: ${kind}`;
      const known = kinds.get(key) ?? { seeds: new Set<number>(), says };
      known.seeds.add(seed);
      kinds.set(key, known);
    }
  }
  return [...kinds].map(
    ([key, { seeds, says }]) =>
      `${key} in ${seeds.size} runs, EVIDENCE_SEED=${[...seeds].slice(0, 6).join(', ')}: ${says}`,
  );
}

function show({ seed, operation, script, commands, hit, refutations }: Verdict): void {
  const { legs, ...rest } = script;
  console.log(`Seed ${seed}: ${operation}, ${legs.size} legs`, rest, 'phases:', [...hit]);
  for (const { args, exit, stdout, stderr, requests, served, states } of commands) {
    console.log(
      `$ cryptodata ${args.join(' ')}\nexit ${exit}, ${requests} requests, ${states.length} states`,
    );
    console.log(`${stdout.slice(0, 3000)}\n${stderr}`);
    for (const { number, path, query, rows, total, hasMore } of served.slice(0, 400)) {
      console.log(`${number} ${path}?${query} → ${rows.length} rows, total ${total}, hasMore ${hasMore}`);
    }
    for (const [at, state] of states.entries()) {
      const earlier = states[at - 1]?.legs;
      if (!earlier) continue;
      const ids = [...new Set([...earlier.keys(), ...state.legs.keys()])];
      const other = ids.filter((id) => earlier.get(id) !== state.legs.get(id));
      console.log(
        `before request ${state.from + 0}:`,
        other.map((id) => ({ from: earlier.get(id), to: state.legs.get(id) })),
      );
    }
  }
  console.log('refutations:', refutations);
}

describe.runIf(SEED === undefined)('a service that misbehaves', () => {
  const verdicts: Verdict[] = [];
  beforeAll(async () => {
    for (let seed = 1; seed <= RUNS; seed++) {
      const { commands, ...verdict } = await verdictOn(seed);
      // Keep the verdicts, but not the rows of each response.
      verdicts.push({ ...verdict, commands: [] });
      void commands;
    }
  }, 6_000_000);

  test('every claim of a command follows from the responses, and each command ends after few requests', () => {
    expect(summaryOf(verdicts)).toEqual([]);
  });

  test('the random runs cover every operation and every phase, and many commands succeed', () => {
    const operations = new Set(verdicts.map(({ operation }) => operation));
    const phases = new Set(verdicts.flatMap(({ hit }) => [...hit]));
    expect([...operations].sort()).toEqual([...COVERED.operations].sort());
    expect([...phases].sort()).toEqual([...COVERED.phases].sort());
    expect(verdicts.filter(({ claimed }) => claimed).length).toBeGreaterThan(RUNS / 3);
  });
});

test.runIf(SEED !== undefined)('a run with the seed from EVIDENCE_SEED makes no wrong claim', async () => {
  const verdict = await verdictOn(Number(SEED));
  show(verdict);
  expect(verdict.refutations).toEqual([]);
});
