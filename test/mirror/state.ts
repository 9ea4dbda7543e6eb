import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { MirrorManifest } from '../../src/mirror/manifest.ts';

/** A state that a test may change. */
type Changeable<T> = T extends object ? { -readonly [Key in keyof T]: Changeable<T[Key]> } : T;
export type EditedState = Changeable<MirrorManifest>;

/** Returns the path and the lines of the last commit of the ledgers. The last line contains the state of the mirror. */
function lastCommit(folder: string): { path: string; lines: string[] } {
  const log = join(folder, 'ledgers', '_delta_log');
  const name = readdirSync(log)
    .filter((entry) => entry.endsWith('.json'))
    .sort()
    .at(-1);
  const path = join(log, name ?? '');
  return { path, lines: readFileSync(path, 'utf8').trimEnd().split('\n') };
}

/** The state that the last run of a mirror recorded. */
export function stateIn(folder: string): MirrorManifest {
  return JSON.parse(lastCommit(folder).lines.at(-1) ?? '').commitInfo.mirror;
}

/** Changes the recorded state of a mirror. Returns a function that restores it. */
export function editState(folder: string, change: (state: EditedState) => void): () => void {
  const { path, lines } = lastCommit(folder);
  const whole = readFileSync(path, 'utf8');
  const { commitInfo } = JSON.parse(lines.at(-1) ?? '');
  change(commitInfo.mirror);
  writeFileSync(path, `${[...lines.slice(0, -1), JSON.stringify({ commitInfo })].join('\n')}\n`);
  return () => writeFileSync(path, whole);
}
