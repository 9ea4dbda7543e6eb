import { accessSync, constants, readdirSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { accountOfUser } from '../src/core/home.ts';

/**
 * Checks that all of these programs are installed. Usage: `describe.skipIf(!needs('jq'))`. If a program is missing, prints a
 * message and returns false. In CI, throws an error instead, because CI must not skip tests.
 */
export function needs(...programs: string[]): boolean {
  const missing = programs.filter((program) => programPath(program) === undefined);
  if (missing.length > 0) return unavailable(`not installed: ${missing.join(', ')}`);
  return !programs.some((program) => NEED_ACCOUNT.test(program)) || hasAccount();
}

/** Programs that fail if the user has no entry in the user database. */
const NEED_ACCOUNT = /^(dbus-|initdb$)/;

/** Reports a missing part of this machine, and returns false. In CI, throws an error instead. */
export function unavailable(message: string): false {
  if (process.env['CI']) throw new Error(`CI must have every part that a test needs; ${message}`);
  process.stderr.write(`skipped: ${message}\n`);
  return false;
}

/** Checks that this user has an entry in the user database. In a container, the user may have no entry. */
export function hasAccount(): boolean {
  return accountOfUser() !== undefined || unavailable('this user has no entry in the user database');
}

/** The path of a program, or undefined if it is not installed. */
export function programPath(program: string): string | undefined {
  return [...(process.env['PATH'] ?? '').split(delimiter), ...serverFolders()]
    .map((directory) => join(directory, program))
    .find((path) => {
      try {
        accessSync(path, constants.X_OK);
        return true;
      } catch {
        return false;
      }
    });
}

/** On Debian, the server programs of each PostgreSQL version are in a folder that is not on the PATH. */
function serverFolders(): string[] {
  const root = '/usr/lib/postgresql';
  try {
    return readdirSync(root).map((version) => join(root, version, 'bin'));
  } catch {
    return [];
  }
}
