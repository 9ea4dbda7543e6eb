import { mapOf, text, type ValueOf } from '../../api/records.ts';
import { type Exact, exact, ZERO } from '../../core/decimal.ts';
import { count } from '../../core/text.ts';
import { exactOf } from '../leg-rows.ts';
import { recordOf, wholeNumber } from '../manifest.ts';
import { quoted } from '../sql/names.ts';
import type { ResultRow } from './database.ts';
import type { Cell, TableColumn } from './values.ts';

const columnSums = mapOf(
  recordOf({
    values: wholeNumber,
    sum: text,
    /** Number of values that NUMERIC cannot store, and that a text column contains instead. */
    unheld: wholeNumber,
  }),
);

export interface FileSums {
  readonly rows: number;
  /** The exact sum of each amount column. */
  readonly sums: ValueOf<typeof columnSums>;
}

const amounts = (columns: readonly TableColumn[]) => columns.filter(({ type }) => type === 'numeric');

/** Counts the rows of a file in the mirror, and adds up their amounts. */
export class FileCounter {
  readonly #sums: { name: string; at: number; exactAt: number; values: number; unheld: number; sum: Exact }[];
  #rows = 0;

  constructor(columns: readonly TableColumn[]) {
    const at = new Map(columns.map(({ name }, place) => [name, place]));
    this.#sums = amounts(columns).map(({ name }) => ({
      ...{ name, at: at.get(name) ?? -1, exactAt: at.get(exactOf(name)) ?? -1 },
      ...{ values: 0, unheld: 0, sum: ZERO },
    }));
  }

  add(cells: readonly Cell[]): void {
    this.#rows += 1;
    for (const amount of this.#sums) {
      const value = exact(cells[amount.at]);
      if (value !== null) {
        amount.values += 1;
        amount.sum = amount.sum.plus(value);
      } else if (amount.exactAt >= 0 && cells[amount.exactAt] !== null) amount.unheld += 1;
    }
  }

  result(): FileSums {
    const sums = this.#sums.map(({ name, values, sum, unheld }) => [
      name,
      { values, sum: sum.toFixed(), unheld },
    ]);
    return { rows: this.#rows, sums: Object.fromEntries(sums) };
  }
}

/** Returns a query that selects the row count and the sums for each file that was loaded into a table. */
export function sumsQuery(table: string, columns: readonly TableColumn[]): string {
  const selected = amounts(columns).flatMap(({ name }, at) => [
    `count(${quoted(name)}) AS values_${at}`,
    `sum(${quoted(name)})::text AS sum_${at}`,
  ]);
  return `SELECT mirror_file, ${['count(*) AS rows', ...selected].join(', ')} FROM ${table} GROUP BY mirror_file`;
}

/** Describes how the rows of a file differ between the database and the mirror. */
export function sumDifferences(
  columns: readonly TableColumn[],
  expected: FileSums,
  found: ResultRow | undefined,
): string[] {
  const rows = Number(found?.['rows'] ?? 0);
  if (rows !== expected.rows) return [`${count(rows)} rows instead of ${count(expected.rows)}`];
  return amounts(columns).flatMap(({ name }, at) => {
    const wanted = expected.sums[name] ?? { values: 0, sum: '0' };
    const values = Number(found?.[`values_${at}`] ?? 0);
    if (values !== wanted.values) {
      return [`${count(values)} values of ${name} instead of ${count(wanted.values)}`];
    }
    const sum = found?.[`sum_${at}`] ?? '0';
    if (exact(sum)?.eq(wanted.sum)) return [];
    return [`the sum of ${name} is ${String(sum)} instead of ${wanted.sum}`];
  });
}

export function storedSums(rows: unknown, sums: unknown): FileSums {
  return { rows: Number(rows), sums: columnSums.is(sums) ? sums : {} };
}
