import type { CellEvidence, CsvFindings } from '../finding.ts';

/** Facts about a column that determine its findings. */
export interface ColumnFacts extends TableFacts {
  readonly found: CsvFindings;
  /**
   * Cells whose kind differs from the kind of the column. In a column of ids, these are the cells that a spreadsheet has
   * shortened.
   */
  readonly others: CellEvidence;
  readonly blanks: CellEvidence;
  /** Cells such as `n/a` or `-`. */
  readonly missing: CellEvidence;
}

/** Facts about the table of a column. */
export interface TableFacts {
  /** Whether the column is the first of its kind. */
  readonly isFirst: boolean;
  /** The readings that fit all other columns of the same kind, as bits; all bits if there are no such columns. */
  readonly settled: number;
  /** Whether a single point is a decimal sign if nothing else in the file says so. */
  readonly pointLikely: boolean;
}
