import type { Column, Columns } from '../formats/columns.ts';
import type { Flag } from './define.ts';
import { list } from './flags.ts';

/** The same columns for tables and for CSV. */
export function sameColumns(...columns: readonly (string | Column)[]): Columns {
  const made = columns.map((column) => (typeof column === 'string' ? { key: column } : column));
  return { table: made, csv: made };
}

/** `--columns a,b,+c`, for every command that shows records. */
export const columnsFlag: Flag<readonly string[] | undefined> = list(
  '--columns <names>',
  'columns to show: a,b replaces the default columns, +c adds one; a name may be a path: asset.symbol',
);

/** `--overwrite`, for every command that writes a file. */
export const overwriteFlag: Flag<true | undefined> = {
  written: '--overwrite',
  describe: 'replace an existing file and its manifest',
};

/** `--yes`, for every command that asks for confirmation. */
export const yesFlag: Flag<true | undefined> = { written: '--yes', describe: 'skip the confirmation' };
