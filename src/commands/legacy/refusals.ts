import type { Outcome } from '../../cli/outcome.ts';
import { CryptodataError } from '../../core/errors.ts';
import type { JsonRecord } from '../../core/json.ts';
import type { Problem, Source } from '../../legacy/problems.ts';
import { PROBLEM_COLUMNS } from './columns.ts';

/** The wrong rows of a file, and an error that says how many they are. */
export function wrongFile(problems: readonly Problem[], source: Source, name: string): Outcome {
  const of = source.rows.length.toLocaleString('en');
  const count = rowsOf(problems);
  const rows = count === 1 ? `1 of ${of} rows is` : `${count.toLocaleString('en')} of ${of} rows are`;
  return refused(
    problems,
    'INVALID_TRANSACTIONS',
    count === 0 ? `${name} is wrong; nothing was sent` : `${rows} wrong in ${name}; nothing was sent`,
    'Correct the rows above. Nothing is sent until every row is right.',
  );
}

export function postedAlready(problems: readonly Problem[], source: Source, name: string): Outcome {
  const [count, all] = [rowsOf(problems), source.rows.length];
  const what = count === all ? `All ${many(all)}` : `${count.toLocaleString('en')} of ${many(all)}`;
  return refused(
    problems,
    'ALREADY_POSTED',
    `${what} of ${name} were posted before; nothing was sent`,
    'Remove these rows, or post them again with --force.',
  );
}

function refused(problems: readonly Problem[], code: string, message: string, hint: string): Outcome {
  const failed = () => new CryptodataError('usage', code, message, { hint });
  return { kind: 'rows', rows: problems.map(asRow), columns: PROBLEM_COLUMNS, failed };
}

function rowsOf(problems: readonly Problem[]): number {
  return new Set(problems.flatMap(({ row }) => (row === null ? [] : [row]))).size;
}

export function asRow({ row, line, field, problem, hint }: Problem): JsonRecord {
  return { row, line: line ?? null, field, problem, hint: hint ?? null };
}

export function many(count: number): string {
  return count === 1 ? '1 transaction' : `${count.toLocaleString('en')} transactions`;
}
