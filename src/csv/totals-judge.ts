import { isAmountCell } from './columns/amount.ts';
import type { JudgedColumn } from './columns/column.ts';
import { isDateCell } from './columns/date.ts';
import { isDataCell } from './columns/names.ts';
import { ColumnSums, type TotalsLabel, totalsLabel } from './totals.ts';

/** A row that looks like totals. */
interface Totals {
  /** Label of the row; empty if the row has no label. */
  readonly text: string;
  /** Whether the row cannot be a transaction. */
  readonly isCertain: boolean;
}

/** Decides which rows of a table look like totals. */
export class TotalsJudge {
  readonly #columns: readonly JudgedColumn[];
  readonly #sums: ColumnSums;
  #rows = 0;

  constructor(columns: readonly JudgedColumn[]) {
    this.#columns = columns;
    this.#sums = new ColumnSums(columns.length);
  }

  /**
   * Returns undefined if the row does not look like totals.
   *
   * @param rows number of rows above
   * @param isLast whether the row is the last of the table, or a blank line follows it; only such a row needs no label
   */
  take(cells: readonly string[], rows: number, isLast: boolean): Totals | undefined {
    this.#rows = rows;
    const label = totalsLabel(cells);
    const texts = label ? [...cells, ...label.words] : cells;
    const isTotals = label ? this.#isLabelled(cells, texts, label) : isLast && this.#isBare(cells);
    if (!isTotals) return undefined;
    this.#sums.startBelow(cells, texts);
    return { text: label?.text ?? '', isCertain: this.#isCertain(cells, label) };
  }

  /** Adds a row that was checked. */
  add(cells: readonly string[], isDoubtful: boolean): void {
    this.#sums.add(cells, isDoubtful);
  }

  /** Whether a row with a label is a row of totals. A coin may be called `TOTAL`, so the label alone does not decide. */
  #isLabelled(cells: readonly string[], texts: readonly string[], label: TotalsLabel): boolean {
    if (!cells.some((cell) => isAmountCell(cell.trim()))) return false;
    const { isExact, isFirst } = label;
    return (
      ((isExact || isFirst) && this.#lacksDate(cells, label)) ||
      (isExact && this.#lacksCells(cells)) ||
      this.#sums.hasSum(cells, texts)
    );
  }

  /**
   * Whether a row without a label looks like totals: all its cells are dates or amounts. In addition, many cells must be empty,
   * or some cells must be empty and every amount must be a sum of the rows above.
   */
  #isBare(cells: readonly string[]): boolean {
    if (cells.length !== this.#columns.length || this.#rows < 2) return false;
    const filled = cells.filter((cell) => cell.trim() !== '');
    if (filled.length === 0 || !filled.every(isDataCell)) return false;
    return this.#lacksCells(cells) || (this.#lackingIn(cells) > 0 && this.#sums.hasOnlySums(cells));
  }

  /**
   * A row of totals is certain only if the row cannot be a transaction. If the table has dates, the row must have no date. If
   * the table has no dates, about half of the row's cells or more must be empty. A row that may be a transaction is also
   * checked like a transaction. If its amount is a sum only by chance, its errors must be reported.
   */
  #isCertain(cells: readonly string[], label: TotalsLabel | undefined): boolean {
    return this.#hasDates ? this.#lacksDate(cells, label) : this.#lacksCells(cells);
  }

  get #hasDates(): boolean {
    return this.#columns.some(({ kind }) => kind === 'date');
  }

  /** Whether the table has dates but the row has none: its date cells are empty, except for the label. */
  #lacksDate(cells: readonly string[], label: TotalsLabel | undefined): boolean {
    const isDate = (cell: string, at: number) =>
      isDateCell(cell.trim()) ||
      (this.#columns[at]?.kind === 'date' && at !== label?.at && cell.trim() !== '');
    return this.#hasDates && !cells.some(isDate);
  }

  /** Whether about half of the row's cells or more are empty, in columns in which most rows have a value. */
  #lacksCells(cells: readonly string[]): boolean {
    const lacking = this.#lackingIn(cells);
    return lacking > 0 && lacking * 2 >= this.#columns.length - 1;
  }

  #lackingIn(cells: readonly string[]): number {
    const isLacking = ({ blanks }: JudgedColumn, at: number) =>
      (cells[at] ?? '').trim() === '' && blanks.count * 5 <= this.#rows;
    return this.#columns.filter(isLacking).length;
  }
}
