import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync, watch } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { checkTarget } from '../../src/export/target.ts';
import { bundle } from '../bundle.ts';
import { runs } from '../runs.ts';
import { exportRows } from './export-rows.ts';
import { seeded } from './ledger-server.ts';
import { pairAt } from './pair-at.ts';

/** For more kills: `EXPORT_KILLS=200 npx vitest run test/export/pair-kill.test.ts` */
const KILLS = Number(process.env['EXPORT_KILLS'] ?? runs(24));
const random = seeded(5);
const folder = mkdtempSync(join(tmpdir(), 'cryptodata-pair-kill-'));
let script: string;
beforeAll(async () => {
  script = await bundle('./pair.script.ts', import.meta.url);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/**
 * Runs an export, and kills it at change number `count` in the folder of its file. The last changes put the new files in place.
 */
async function killedAt(path: string, text: string, format: string, count: number): Promise<boolean> {
  const child = spawn(process.execPath, [script, path, text, format], { stdio: 'inherit' });
  let events = 0;
  const watcher = watch(folder, () => {
    events += 1;
    if (events === count) child.kill('SIGKILL');
  });
  const [, signal] = await once(child, 'exit');
  watcher.close();
  return signal === 'SIGKILL';
}

test.each(['jsonl', 'parquet'] as const)(
  `after a killed export, the manifest matches the data beside it, and the next export can replace both: %s (${KILLS} kills)`,
  async (format) => {
    const path = join(folder, `${format}.out`);
    const isFolder = format === 'parquet';
    const run = isFolder ? exportRows(format, { partitionBy: ['walletId'] }) : exportRows(format);
    for (let kill = 0; kill < KILLS; kill += 1) {
      await run(path, `old ${kill}`, true);
      const old = pairAt(path);
      await killedAt(path, `new ${kill}`, format, 1 + Math.floor(random() * 8));
      pairAt(path);
      // Do what an export with --overwrite does first: check the target.
      await checkTarget(path, { folder: isFolder, overwrite: true });
      const after = pairAt(path);
      expect(after).not.toBe('data without manifest');
      const done = `new ${kill}`;
      if (after !== old) expect(JSON.stringify(after)).not.toBe(JSON.stringify(old));
      await run(path, done, true);
      expect(pairAt(path)).not.toBe(old);
      expect(readdirSync(folder).filter((name) => name.startsWith(format))).toEqual([
        `${format}.out`,
        `${format}.out.manifest.json`,
      ]);
    }
  },
);
