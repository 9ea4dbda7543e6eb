import { readFile } from 'node:fs/promises';
import type { Flag, Values } from '../../cli/define.ts';
import { listFlag, textFlag } from '../../cli/flags.ts';
import { defined } from '../../core/defined.ts';
import { messageOf, systemCode, usageError } from '../../core/errors.ts';
import { instantOf } from '../../core/instant.ts';
import type { SandboxData, SandboxOptions } from '../../sandbox/index.ts';

const lockedUntil: Flag<number | null | undefined> = {
  written: '--locked-until <date>',
  describe:
    'end of the locked accounting period: a day in UTC (2024-01-01), a time with an offset (2024-01-01T12:00Z), or none (default: 2021-01-01)',
  parse: (given) => {
    if (given === 'none') return null;
    const moment = instantOf(given.includes('T') ? given : `${given}T00:00Z`);
    if (moment !== undefined) return moment;
    throw usageError(
      'Not a date',
      'Use a date such as 2024-01-01, a time such as 2024-01-01T12:00Z, or "none".',
    );
  },
};

export const dataFlags = {
  lockedUntil,
  data: textFlag(
    '--data <dir>',
    'directory with files to serve instead of generated data (see "sandbox data --help"). "example" serves sample records where the specification does not define the fields',
  ),
  labels: listFlag(
    '--labels <names>',
    'labels that the sandbox accepts in posted transactions (default: the labels in --data, or six built-in labels)',
  ),
  syncStates: listFlag(
    '--sync-states <names>',
    'up to five names of sync states that the specification does not show; the last name is the state of a finished sync',
  ),
};

export const snapshotFlags = {
  snapshot: textFlag(
    '--snapshot <file>',
    'initial state, from sandbox snapshot save; replaces --rows, --seed, --data, --labels and --locked-until',
  ),
};

export async function dataOptions(flags: Values<typeof dataFlags>): Promise<SandboxOptions> {
  const { lockedUntil, data: given, labels, syncStates } = flags;
  const data = given === undefined || given === 'example' ? given : await readData(given);
  return defined({ lockedUntil, data, labels, syncStates } as const);
}

/** @throws usage error `BAD_SNAPSHOT` if the file is not a valid snapshot */
export async function snapshotIn(snapshot: string | undefined): Promise<SandboxOptions['snapshot']> {
  if (snapshot === undefined) return undefined;
  const { parseSnapshot } = await import('../../sandbox/index.ts');
  const document = await checked(snapshot, () => readFile(snapshot, 'utf8'));
  try {
    return parseSnapshot(document);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw usageError(`Cannot load ${snapshot}: ${error.message}`, undefined, 'BAD_SNAPSHOT');
  }
}

/** @throws usage error `BAD_DATA` if a file cannot be read, or is invalid */
export async function readData(directory: string): Promise<SandboxData> {
  const { loadData } = await import('../../sandbox/index.ts');
  return checked(directory, () => loadData(directory));
}

/** @throws usage error `BAD_DATA` if `read` cannot read a file, or finds invalid data */
export async function checked<T>(path: string, read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof RangeError) throw usageError(error.message, undefined, 'BAD_DATA');
    const code = systemCode(error);
    if (code === undefined) throw error;
    if (code === 'ENOENT') throw usageError(`${path} does not exist`, undefined, 'BAD_DATA');
    throw usageError(`Cannot read ${path}: ${messageOf(error)}`, undefined, 'BAD_DATA');
  }
}
