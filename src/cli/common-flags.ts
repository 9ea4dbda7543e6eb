import type { Column, Columns, ColumnsFrom } from '../formats/columns.ts';
import type { Flag } from './define.ts';
import { list } from './flags.ts';

/** Columns that are the same in tables and CSV. */
export function sameColumns(...columns: readonly (string | Column)[]): Columns {
  const made = columns.map((column) => (typeof column === 'string' ? { key: column } : column));
  return { table: made, csv: made };
}

/** `--columns a,b,+c`, for every command that shows records. */
export const columnsFlag: Flag<readonly string[] | undefined> = list(
  '--columns <names>',
  'columns to show: a,b replaces the default columns, +c adds a column; asset.symbol is a nested field',
);

/** `--columns` with completions for the given columns. */
export function columnsFlagOf(declared: () => Columns | ColumnsFrom): typeof columnsFlag {
  const suggests = () => {
    const columns = declared();
    const { csv, table } = typeof columns === 'function' ? columns([]) : columns;
    return [...new Set([...csv, ...table].map(({ key }) => key))];
  };
  return { ...columnsFlag, suggests };
}

/** `--overwrite`, for every command that writes a file. */
export const overwriteFlag: Flag<true | undefined> = {
  written: '--overwrite',
  describe: 'replace an existing file and its manifest',
};

/** `--yes`, for every command that asks for confirmation. */
export const yesFlag: Flag<true | undefined> = { written: '--yes', describe: 'skip the confirmation' };
