import type { CellEvidence, CsvFinding, LineWord } from '../finding.ts';

/** Evidence about the cells of one kind in a column. */
export interface CellKind {
  /**
   * @param isDoubtful whether the row may be totals, so that the cell is checked, but decides nothing about other cells
   * @returns whether the cell is of this kind
   */
  add(text: string, row: number, line: number, isDoubtful?: boolean): boolean;
  /** The findings, if the column is of this kind. */
  findings(facts: ColumnFacts): CsvFinding[];
}

/** Facts about a column that the findings of a kind depend on. */
export interface ColumnFacts extends TableFacts {
  readonly name: string;
  /** Cells that are not of the kind of the column. For ids, cells that a spreadsheet has shortened. */
  readonly others: CellEvidence;
  readonly blanks: CellEvidence;
  /** Cells such as `n/a` or `-`. */
  readonly missing: CellEvidence;
}

/** Facts about the table of a column. */
export interface TableFacts {
  readonly word: LineWord;
  /** Whether the column is the first of its kind. */
  readonly isFirst: boolean;
  /** The readings that other columns of the same kind settle, as bits. */
  readonly settled: number;
  /** Whether a single point is a decimal sign if nothing else in the file says so. */
  readonly pointLikely: boolean;
}
