import { CellEvidence, type CsvFinding, findingOf } from '../finding.ts';
import type { CellKind, ColumnFacts } from './kind.ts';

const HASHES = /^#{2,}$/;
const FAULT = /^#(?:REF!|VALUE!|DIV\/0!|NAME\?|NUM!|NULL!|N\/A|SPILL!|CALC!)$/i;

/** Evidence of cells whose content a spreadsheet has lost, in columns of any kind. */
export class Lost implements CellKind {
  readonly #narrow = new CellEvidence();
  readonly #faults = new CellEvidence();

  add(text: string, row: number, line: number): boolean {
    if (text.charCodeAt(0) !== 35) return false;
    const into = HASHES.test(text) ? this.#narrow : FAULT.test(text) ? this.#faults : undefined;
    into?.add(text, row, line);
    return into !== undefined;
  }

  findings({ name, word }: ColumnFacts): CsvFinding[] {
    const more = 'the column was too narrow for the number, so its digits are lost';
    const narrow = { one: 'cell has only number signs', many: 'cells have only number signs', more };
    const faults = { one: 'cell is an error of a spreadsheet', many: 'cells are errors of a spreadsheet' };
    return [
      ...(this.#narrow.count > 0
        ? [findingOf({ code: 'LOST_DIGITS', level: 'error', ...narrow }, this.#narrow, word, name)]
        : []),
      ...(this.#faults.count > 0
        ? [findingOf({ code: 'SPREADSHEET_ERROR', level: 'error', ...faults }, this.#faults, word, name)]
        : []),
    ];
  }
}
