import type { JsonRecord } from '../core/json.ts';
import type { Column } from './columns.ts';
import { type KindOf, ledgerKind } from './kinds.ts';
import type { RecordFile } from './record-file.ts';

/** Takes records, and gives others that were made of all of them. */
export interface Gathering {
  add(record: JsonRecord): void;
  rows(): Iterable<JsonRecord>;
  /** How many rows there are so far. */
  readonly size: number;
}

/** What stands in a file in the place of the records. */
export interface SumsOf {
  /** The keys, as the user named them. */
  readonly by: readonly string[];
  /** What the sums lack, a sentence each; asked once they are written. */
  gaps(): readonly string[];
  begin(): Gathering;
}

/** Takes the records of an export, and writes to `file` what is made of them. */
export function summedFile(file: RecordFile, gathering: Gathering): RecordFile {
  return {
    add: (record) => gathering.add(record),
    async finish(about) {
      for (const row of gathering.rows()) {
        const written = file.add(row);
        if (written) await written;
      }
      await file.finish(about);
    },
  };
}

const FIGURE = /^(incoming|outgoing|fee|net|costbasis|proceeds|profit)$/;
const VALUE = /^(incoming|outgoing|fee)Value$/;
const COUNT = /^legs$|Unknown$/;

/**
 * What the columns of sums hold in a typed file. Sums of values are text: what is added are JSON numbers, which have more
 * decimals than a decimal of Parquet, and a number of theirs would round the sum.
 */
export const sumKind: KindOf = (column) => {
  if (FIGURE.test(column.key)) return 'decimal';
  if (column.key === 'day') return 'day';
  return COUNT.test(column.key) ? 'count' : ledgerKind(column);
};

/** Whether a column of sums holds amounts, rather than keys and counts. */
export function isSummedAmount({ key }: Pick<Column, 'key'>): boolean {
  return FIGURE.test(key) || VALUE.test(key);
}

/** As {@link sumKind} for XLSX, where the exact text of each sum is beside its number. */
export const xlsxSumKind: KindOf = (column) => (VALUE.test(column.key) ? 'decimal' : sumKind(column));
