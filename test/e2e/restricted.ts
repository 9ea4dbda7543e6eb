// Runs the program as a user whom file permissions restrict.

import { spawnSync } from 'node:child_process';
import { needs, unavailable } from '../needs.ts';
import { ENTRY, launch, type Running, type RunOptions } from './harness.ts';

/** Permissions do not restrict root, so root drops the two capabilities that override them. */
const [program = '', ...words] = [
  ...(process.getuid?.() === 0 ? ['setpriv', '--bounding-set=-dac_override,-dac_read_search'] : []),
  process.execPath,
  ENTRY,
];

/** Whether {@link startRestricted} works here. If root does not own the checkout, root may need the capabilities to read it. */
export function canRestrict(): boolean {
  if (program === process.execPath) return true;
  if (!needs(program)) return false;
  return (
    spawnSync(program, [...words, '--version']).status === 0 ||
    unavailable('root can drop no capabilities, or cannot read this folder without them')
  );
}

export function startRestricted(args: readonly string[], options: RunOptions): Running {
  return launch(program, [...words, ...args], options);
}
