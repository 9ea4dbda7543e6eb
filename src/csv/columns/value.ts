import { COMMA_SIGN, DECIMAL_POINT, readNumber } from './amount.ts';

/** The value of a cell with a decimal point, and with a decimal comma. NaN if the cell cannot be read in this way. */
export interface CellValues {
  point: number;
  comma: number;
}

const GROUP = /^[+-]?\d{1,3}\.\d{3}$/;
const DIGITS = /[\d.,][\d.,'’_\s]*(?:[eE][+-]?\d{1,4}(?![\p{L}\d]))?/u;
const NEGATIVE_BEFORE = /[-−–﹣－(]\s*\P{Nd}*$/u;
const NEGATIVE_AFTER = /^\s?[-−]$/;

/** Reads the amount of a cell into `values`. The values may be rounded, because they are used only as evidence. */
export function readValues(text: string, values: CellValues): void {
  const plain = startsNumber(text.charCodeAt(0)) ? Number(text) : Number.NaN;
  if (Number.isFinite(plain)) {
    values.point = plain;
    values.comma = !text.includes('.') ? plain : GROUP.test(text) ? plain * 1000 : Number.NaN;
    return;
  }
  values.point = Number.NaN;
  values.comma = Number.NaN;
  const { bits, isPercent } = readNumber(text);
  const found = bits === 0 || isPercent ? null : DIGITS.exec(text);
  if (found === null) return;
  const before = text.slice(0, found.index);
  const after = text.slice(found.index + found[0].length);
  const sign = NEGATIVE_BEFORE.test(before) || NEGATIVE_AFTER.test(after) ? -1 : 1;
  const digits = found[0].replace(/['’_\s]/g, '');
  if ((bits & DECIMAL_POINT) !== 0) values.point = sign * Number(digits.replaceAll(',', ''));
  if ((bits & COMMA_SIGN) !== 0) values.comma = sign * Number(digits.replaceAll('.', '').replace(',', '.'));
}

/** Whether a digit, a sign or a point can start a number without a unit. */
function startsNumber(code: number): boolean {
  return (code >= 48 && code <= 57) || code === 45 || code === 43 || code === 46;
}

/** Number of digits after the last decimal sign. */
export function placesOf(text: string): number {
  return /[.,](\d+)\D*$/.exec(text)?.[1]?.length ?? 0;
}
