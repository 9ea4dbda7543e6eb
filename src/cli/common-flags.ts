import type { Column, Columns } from '../formats/columns.ts';
import type { Flag } from './define.ts';
import { list } from './flags.ts';

/** The same columns for people and for files. */
export function sameColumns(...columns: readonly (string | Column)[]): Columns {
  const made = columns.map((column) => (typeof column === 'string' ? { key: column } : column));
  return { table: made, csv: made };
}

/** `--columns a,b,+c`, as every command that shows records takes it. */
export const columnsFlag: Flag<readonly string[] | undefined> = list(
  '--columns <names>',
  'take these columns, or add some: a,b,+c; a name may be a path, as in asset.symbol',
);

/** `--overwrite`, as every command that writes a file takes it. */
export const overwriteFlag: Flag<true | undefined> = {
  written: '--overwrite',
  describe: 'replace an existing file, and its manifest',
};

/** `--yes`, as every command that asks first takes it. */
export const yesFlag: Flag<true | undefined> = { written: '--yes', describe: 'do not ask' };
