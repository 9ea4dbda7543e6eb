import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { beforeAll, describe, expect, test } from 'vitest';
import { bundle } from '../bundle.ts';
import { seeded } from '../export/ledger-server.ts';
import { canStartPostgres, PASSWORD, type Postgres, startPostgres } from '../postgres.ts';
import { runs } from '../runs.ts';
import { writtenMirror } from './support.ts';

/** For more kills: `MIRROR_KILLS=50 npx vitest run test/mirror/load-kill.test.ts` */
const KILLS = Number(process.env['MIRROR_KILLS'] ?? runs(12, 3));
const LEGS = runs(6000, 2000);
const random = seeded(Number(process.env['MIRROR_SEED'] ?? 7));

let server: Postgres;
let script: string;

/** Loads a folder in another process, and kills the process `killAfter` milliseconds after its first output. */
async function load(folder: string, to: string, killAfter = Number.POSITIVE_INFINITY) {
  const started = Date.now();
  const child = spawn(process.execPath, [script, folder, to], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, PGPASSWORD: PASSWORD },
  });
  let last = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    last = text.trimEnd().split('\n').at(-1) ?? '';
    // Start the timer at the first output, because the start-up time of a process varies too much.
    if (Number.isFinite(killAfter) && timer === undefined)
      timer = setTimeout(() => child.kill('SIGKILL'), killAfter);
  });
  let timer: NodeJS.Timeout | undefined;
  const [code, signal] = await once(child, 'close');
  clearTimeout(timer);
  return { code, isKilled: signal === 'SIGKILL', milliseconds: Date.now() - started, last };
}

describe.skipIf(!canStartPostgres())('a killed load', () => {
  beforeAll(async () => {
    server = await startPostgres();
    script = await bundle('./load.script.ts', import.meta.url);
  });

  test(`a killed load leaves the old or the new state, and the next load succeeds (${KILLS} kills)`, async () => {
    const to = await server.create();
    const state = async () => {
      const [row] = await server.sql(
        'books_1',
        'SELECT count(*) AS legs, min(label) AS first, max(label) AS last, sum(quantity) AS total, (SELECT sum(rows) FROM mirror_files) AS files FROM ledgers',
      );
      return row;
    };
    const folderOf = (version: number) =>
      writtenMirror(
        Array.from({ length: LEGS + version }, (_, at) => ({
          ...{
            id: `led_${at}`,
            timestamp: at % 20,
            quantity: `${version}.000000000000000001`,
            label: `v${version}`,
          },
        })),
      );
    const stateOf = (version: number) => ({
      ...{ legs: String(LEGS + version), first: `v${version}`, last: `v${version}` },
      // The quantity of each leg is `version` + 10^-18.
      total: `${version * (LEGS + version)}.${String(LEGS + version).padStart(18, '0')}`,
      files: String(LEGS + version),
    });
    const { code, milliseconds } = await load(await folderOf(1), to);
    expect(code).toBe(0);
    expect(await state()).toEqual(stateOf(1));
    const seen = { old: 0, new: 0 };
    const moments = new Set<string>();
    for (let version = 2, kills = 0; kills < KILLS; version++) {
      const folder = await folderOf(version);
      const { isKilled, last } = await load(folder, to, random() * milliseconds);
      if (isKilled) kills += 1;
      moments.add(last.replace(/ \d+$/, ''));
      const found = await state();
      const isNew = found?.['first'] === `v${version}`;
      expect(found).toEqual(stateOf(isNew ? version : version - 1));
      seen[isNew ? 'new' : 'old'] += 1;
      expect((await load(folder, to)).code).toBe(0);
      expect(await state()).toEqual(stateOf(version));
    }
    if (process.env['MIRROR_KILLS'])
      process.stderr.write(`${JSON.stringify({ ...seen, moments: [...moments] })}\n`);
    expect(seen.old).toBeGreaterThan(0);
  });
});
