import type { CellEvidence, CsvFindings } from '../finding.ts';

/** Facts about a column that the findings of a kind depend on. */
export interface ColumnFacts extends TableFacts {
  readonly found: CsvFindings;
  /** Cells that are not of the kind of the column. For ids, cells that a spreadsheet has shortened. */
  readonly others: CellEvidence;
  readonly blanks: CellEvidence;
  /** Cells such as `n/a` or `-`. */
  readonly missing: CellEvidence;
}

/** Facts about the table of a column. */
export interface TableFacts {
  /** Whether the column is the first of its kind. */
  readonly isFirst: boolean;
  /** The readings that fit all other columns of the same kind, as bits; all bits if there are none. */
  readonly settled: number;
  /** Whether a single point is a decimal sign if nothing else in the file says so. */
  readonly pointLikely: boolean;
}
