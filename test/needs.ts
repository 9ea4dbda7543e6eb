import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

/**
 * Whether all of these programs are on the PATH: `describe.skipIf(!needs('jq'))`. Outside CI, a missing program
 * skips the test with a message; in CI it fails, so that no test is silently skipped there.
 */
export function needs(...programs: string[]): boolean {
  const missing = programs.filter((program) => !onPath(program));
  if (missing.length === 0) return true;
  const message = `not installed: ${missing.join(', ')}`;
  if (process.env['CI']) throw new Error(`CI must have every part that a test needs; ${message}`);
  process.stderr.write(`skipped: ${message}\n`);
  return false;
}

function onPath(program: string): boolean {
  return (process.env['PATH'] ?? '').split(delimiter).some((directory) => {
    try {
      accessSync(join(directory, program), constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}
