// Gives all tests the same surroundings on every machine. Vitest runs this file once, before it starts the workers. The workers
// inherit the variables and the umask.

import { chmodSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { removeFolder } from './remove-folder.ts';

/** The variables that tests inherit from the shell: the path of programs, the folder of Spark, and the number of repetitions. */
const INHERITED = /^(PATH|CI|THOROUGH|UPDATE_REFERENCE|SPARK_FOLDER|\w+_(RUNS|KILLS|SEED))$/;

export default function setup(): () => Promise<void> {
  // Do not use TMPDIR: other users may have no access to it, or its path may be too long for a socket.
  const folder = mkdtempSync(join(process.platform === 'win32' ? tmpdir() : '/tmp', 'cryptodata-'));
  // If the tests run as root, some of them start programs as a different user.
  chmodSync(folder, 0o755);
  for (const name of Object.keys(process.env)) if (!INHERITED.test(name)) delete process.env[name];
  Object.assign(process.env, { HOME: folder, TMPDIR: folder, LANG: 'C.UTF-8', TZ: 'UTC' });
  process.umask(0o022);
  return () => removeFolder(folder);
}
