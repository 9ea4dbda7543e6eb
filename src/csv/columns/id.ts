import { CellEvidence, type CsvFinding, findingOf } from '../finding.ts';
import type { CellKind, ColumnFacts } from './kind.ts';

/** A spreadsheet keeps 15 digits of a number, and replaces the others by zeros. */
const LONG = /^\d{16,}$/;
const ROUNDED = /^\d{15}0+$/;

/** Evidence about the ids of one column. */
export class Ids implements CellKind {
  readonly #rounded = new CellEvidence();
  #long = 0;

  add(text: string, row: number, line: number): boolean {
    if (text.length < 16 || !LONG.test(text)) return false;
    this.#long += 1;
    if (ROUNDED.test(text)) this.#rounded.add(text, row, line);
    return true;
  }

  /** @param shortened cells such as `1.23457E+17` */
  findings({ name, word, others: shortened }: ColumnFacts): CsvFinding[] {
    const found: CsvFinding[] = [];
    if (shortened.count > 0) {
      const more = 'a spreadsheet has dropped the other digits';
      const wording = { one: 'id is shortened', many: 'ids are shortened', more };
      found.push(findingOf({ code: 'SHORTENED_ID', level: 'error', ...wording }, shortened, word, name));
    }
    if (this.#rounded.count > 1 && this.#rounded.count === this.#long) {
      const more = 'a spreadsheet keeps only 15 digits of a number';
      const wording = { one: 'id ends with zeros', many: 'ids end with zeros', more };
      found.push(findingOf({ code: 'ROUNDED_ID', level: 'warning', ...wording }, this.#rounded, word, name));
    }
    return found;
  }
}
