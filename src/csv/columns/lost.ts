import { CellEvidence, type CsvFindings } from '../finding.ts';

const HASHES = /^#{2,}$/;
const FAULT = /^#(?:REF!|VALUE!|DIV\/0!|NAME\?|NUM!|NULL!|N\/A|SPILL!|CALC!)$/i;

/** Evidence of cells whose content a spreadsheet has lost, in columns of any kind. */
export class Lost {
  readonly #narrow = new CellEvidence();
  readonly #faults = new CellEvidence();

  add(text: string, row: number, line: number): boolean {
    if (text.charCodeAt(0) !== 35) return false;
    const into = HASHES.test(text) ? this.#narrow : FAULT.test(text) ? this.#faults : undefined;
    into?.add(text, row, line);
    return into !== undefined;
  }

  findings(found: CsvFindings): void {
    const more = 'the column was too narrow for the number, so its digits are lost';
    found.add('LOST_DIGITS', this.#narrow, more);
    found.add('SPREADSHEET_ERROR', this.#faults);
  }
}
