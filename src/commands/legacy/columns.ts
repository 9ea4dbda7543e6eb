import { keys } from '../../api/columns.ts';
import { int, nullable, text } from '../../api/records.ts';
import { made } from '../../cli/output.ts';
import type { Columns } from '../../formats/columns.ts';

export const POSTED_COLUMNS: Columns = {
  table: [
    { key: 'timestamp', header: 'time', moment: true },
    { key: 'transactionType', header: 'type' },
    { key: 'transactionId', header: 'transaction' },
    { key: 'source.name', header: 'wallet' },
    { key: 'source.walletId', header: 'wallet id' },
  ],
  csv: keys('timestamp', 'transactionType', 'transactionId', 'source.walletId', 'source.name'),
};

export const PROBLEM = made({
  ...{ row: nullable(int), line: nullable(int), field: text, problem: text, hint: nullable(text) },
});

export const PROBLEM_COLUMNS: Columns = {
  table: [
    { key: 'row', figure: true },
    { key: 'line', figure: true },
    { key: 'field', whole: true },
    { key: 'problem', sentence: true },
    { key: 'hint', sentence: true },
  ],
  csv: keys('row', 'line', 'field', 'problem', 'hint'),
};

/** Columns of a table that shows only the first problem of each kind. */
export const PROBLEM_KIND_COLUMNS: Columns = {
  table: [
    { key: 'problems', figure: true },
    { key: 'row', header: 'first row', figure: true },
    ...PROBLEM_COLUMNS.table.filter(({ key }) => key !== 'row'),
  ],
  csv: PROBLEM_COLUMNS.csv,
};
