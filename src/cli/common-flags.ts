import type { Column, Columns, ColumnsFrom } from '../formats/columns.ts';
import type { Flag } from './define.ts';
import { listFlag } from './flags.ts';

/** Returns the same columns for tables and for CSV. */
export function sameColumns(...columns: readonly (string | Column)[]): Columns {
  const made = columns.map((column) => (typeof column === 'string' ? { key: column } : column));
  return { table: made, csv: made };
}

/** The flag `--columns a,b,+c` of every command that shows records. */
export const columnsFlag: Flag<readonly string[] | undefined> = listFlag(
  '--columns <names>',
  'columns to show: a,b replaces the default columns, +c adds a column; asset.symbol is a nested field',
);

/** The flag `--columns`, with the names of the given columns as completions. */
export function columnsFlagOf(declared: () => Columns | ColumnsFrom): typeof columnsFlag {
  const suggests = () => {
    const columns = declared();
    const { csv, table } = typeof columns === 'function' ? columns([]) : columns;
    return [...new Set([...csv, ...table].map(({ key }) => key))];
  };
  return { ...columnsFlag, suggests };
}

export const overwriteFlag: Flag<true | undefined> = {
  written: '--overwrite',
  describe: 'replace an existing file and its manifest',
};

export const yesFlag: Flag<true | undefined> = { written: '--yes', describe: 'skip the confirmation' };
