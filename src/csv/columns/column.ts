import { CellEvidence, type CsvFinding, CsvFindings, type LineWord, merged } from '../finding.ts';
import { Amounts } from './amount.ts';
import { Dates } from './date.ts';
import { Ids } from './id.ts';
import type { TableFacts } from './kind.ts';
import { Lost } from './lost.ts';
import { suggestedBy } from './names.ts';

export type Kind = 'date' | 'amount' | 'id' | 'text';

const MISSING = /^(?:n\/?a\.?|null|none|nil|nan|[-–—]{1,3})$/i;

/** Evidence about one column. The kind of the column is decided at the end, from its name and all its cells. */
export class JudgedColumn {
  readonly name: string;
  readonly #suggested;
  readonly #dates = new Dates();
  readonly #amounts = new Amounts();
  readonly #ids = new Ids();
  readonly #lost = new Lost();
  readonly #dateCells = new CellEvidence();
  readonly #texts = new CellEvidence();
  readonly #missing = new CellEvidence();
  readonly blanks = new CellEvidence();
  #cells = 0;

  constructor(name: string) {
    this.name = name;
    this.#suggested = suggestedBy(name);
  }

  /**
   * @param isDoubtful whether the row may be totals; the cell of such a row is checked, but does not decide how other cells are
   * read
   */
  add(cell: string, row: number, line: number, isDoubtful = false): void {
    const text = trimmed(cell);
    if (text === '') {
      this.blanks.add('', row, line);
      return;
    }
    this.#cells += 1;
    if (text.length > 100) this.#texts.add(text, row, line);
    else if (this.#dates.add(text, row, line, isDoubtful)) this.#dateCells.add(text, row, line);
    else if (this.#amounts.add(text, row, line, isDoubtful)) {
      this.#dates.addNumber(text, row, line);
      this.#ids.add(text, row, line);
    } else if (this.#lost.add(text, row, line)) this.#cells -= 1;
    else if (MISSING.test(text)) this.#missing.add(text, row, line);
    else this.#texts.add(text, row, line);
  }

  get kind(): Kind {
    const { date, time, amount, id, other } = this.#suggested;
    const given = this.#cells - this.#missing.count;
    const dates = this.#dates.count;
    const asDates = this.#dates.asDates;
    if (given === 0 || this.#dates.isClock(given)) return 'text';
    const share = (count: number, part: number) => count >= given * part;
    if (date && (asDates > 0 || this.#amounts.count === 0)) return 'date';
    if (time && share(asDates, 0.5)) return 'date';
    if (dates > 0 && share(dates, 0.8) && (dates >= 3 || dates === given)) return 'date';
    const numbers = this.#amounts.count;
    if (amount && share(numbers, 1 / 3)) return 'amount';
    if (id) return 'id';
    const sure = numbers - this.#amounts.names;
    const isAmount = !other && sure > 0 && share(sure, 0.8) && (sure >= 3 || sure === given);
    return isAmount ? 'amount' : 'text';
  }

  /** The readings of amounts or dates that fit all cells, as bits; all bits if the cells decide nothing. */
  get settles(): number {
    if (this.kind === 'amount') return this.#amounts.settles;
    return this.#dates.settles;
  }

  findings(word: LineWord, table: TableFacts): readonly CsvFinding[] {
    const found = new CsvFindings(word, this.name);
    const facts = { ...table, found, blanks: this.blanks, missing: this.#missing, others: this.#texts };
    if (this.kind === 'date') this.#dates.findings(facts);
    else if (this.kind === 'amount')
      this.#amounts.findings({ ...facts, others: merged(this.#texts, this.#dateCells) });
    else this.#ids.findings({ ...facts, others: this.#amounts.shortened });
    this.#lost.findings(found);
    return found.all;
  }
}

/** Trims a cell. Most cells have no blanks, and for them this test is faster than `trim`. */
function trimmed(cell: string): string {
  const last = cell.charCodeAt(cell.length - 1);
  const first = cell.charCodeAt(0);
  return first > 32 && first < 160 && last > 32 && last < 160 ? cell : cell.trim();
}
