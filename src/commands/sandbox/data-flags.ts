import type { Flag, Values } from '../../cli/define.ts';
import { list, text } from '../../cli/flags.ts';
import { messageOf, systemCode, usageError } from '../../core/errors.ts';
import type { SandboxData, SandboxOptions } from '../../sandbox/index.ts';

const lockedUntil: Flag<number | null | undefined> = {
  written: '--locked-until <date>',
  describe:
    'what is before this is in a locked accounting period: a day (2024-01-01, in UTC), a moment with Z or +02:00, or none (by default, 2020 is locked)',
  parse: (given) => {
    if (given === 'none') return null;
    const whole = /^\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d))?$/.test(given);
    const moment = whole ? Date.parse(given) : Number.NaN;
    // A day that a month does not have would be one of the next.
    const day = given.slice(0, 10);
    const real = whole && new Date(`${day}T00:00:00Z`).toJSON()?.slice(0, 10) === day;
    if (real && !Number.isNaN(moment)) return moment;
    throw usageError('It is no date', 'As in 2024-01-01, 2024-01-01T12:00Z or none.');
  },
};

/** Which data there is, for `sandbox` and `sandbox exec` alike. */
export const dataFlags = {
  lockedUntil,
  data: text(
    '--data <dir>',
    'directory of files to serve in place of made-up data (see sandbox data), or example: example records for lists whose fields are not specified',
  ),
  labels: list(
    '--labels <names>',
    'labels that legacy post accepts (default: those of --data, else six of its own)',
  ),
};

export async function dataOptions(flags: Values<typeof dataFlags>): Promise<SandboxOptions> {
  const { lockedUntil, data, labels } = flags;
  return {
    ...(lockedUntil === undefined ? {} : { lockedUntil }),
    ...(data === undefined ? {} : { data: data === 'example' ? data : await readData(data) }),
    ...(labels === undefined ? {} : { labels }),
  };
}

/** @throws usage error that names file and line */
export async function readData(directory: string): Promise<SandboxData> {
  const { loadData } = await import('../../sandbox/index.ts');
  return checked(directory, () => loadData(directory));
}

/** What cannot be read, and what is not what it should be, is the user's to mend. */
export async function checked<T>(path: string, read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof RangeError) throw usageError(error.message, undefined, 'BAD_DATA');
    const code = systemCode(error);
    if (code === undefined) throw error;
    if (code === 'ENOENT') throw usageError(`There is no ${path}`, undefined, 'BAD_DATA');
    throw usageError(`${path} cannot be read: ${messageOf(error)}`, undefined, 'BAD_DATA');
  }
}
