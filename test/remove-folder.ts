import { chmodSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { systemCode } from '../src/core/errors.ts';

/**
 * Deletes a folder, even if it contains read-only folders. A shell that has just ended may still write its history file there.
 * `rmSync` then fails with ENOTEMPTY, so the whole deletion is retried.
 */
export async function removeFolder(folder: string): Promise<void> {
  for (;;) {
    try {
      return rmSync(folder, { recursive: true, force: true });
    } catch (error) {
      if (systemCode(error) === 'EACCES') makeWritable(folder);
      else if (systemCode(error) === 'ENOTEMPTY') await wait(50);
      else throw error;
    }
  }
}

function makeWritable(folder: string): void {
  chmodSync(folder, 0o700);
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    if (entry.isDirectory()) makeWritable(join(folder, entry.name));
  }
}
