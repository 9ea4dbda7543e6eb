import { CellEvidence } from '../finding.ts';
import type { ColumnFacts } from './kind.ts';

/** A spreadsheet keeps 15 digits of a number, and replaces all further digits with zeros. */
const LONG = /^\d{16,}$/;
const ROUNDED = /^\d{15}0+$/;

/** Evidence about the ids of one column. */
export class Ids {
  readonly #rounded = new CellEvidence();
  #long = 0;

  add(text: string, row: number, line: number): void {
    if (text.length < 16 || !LONG.test(text)) return;
    this.#long += 1;
    if (ROUNDED.test(text)) this.#rounded.add(text, row, line);
  }

  /** @param shortened cells such as `1.23457E+17` */
  findings({ found, others: shortened }: ColumnFacts): void {
    found.add('SHORTENED_ID', shortened, 'a spreadsheet has dropped the other digits');
    if (this.#rounded.count > 1 && this.#rounded.count === this.#long)
      found.add('ROUNDED_ID', this.#rounded, 'a spreadsheet keeps only 15 digits of a number');
  }
}
