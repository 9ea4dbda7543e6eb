import { CellEvidence, evidenceIn, merged, onlyTotals } from '../finding.ts';
import type { ColumnFacts } from './kind.ts';

/** The decimal signs, as bits: a cell such as `1,234` fits both. */
export const DECIMAL_POINT = 1;
export const COMMA_SIGN = 2;
const BOTH = DECIMAL_POINT | COMMA_SIGN;
/** Further facts about how a cell can be read, as bits. `BY_SIGN`: the thousands separator is a point or a comma. */
const [GROUPED_POINT, GROUPED_COMMA, HAS_COMMA, HAS_MARK, BY_SIGN] = [4, 8, 16, 32, 64];
/** Bit in the readings of a column: no cell shows for certain which sign separates thousands. */
export const OPEN_GROUPS = 4;

const EXPONENT = '(?:[eE][+-]?\\d{1,4})?';
const POINTED = new RegExp(`^(?:\\d+\\.?\\d*|\\.\\d+)${EXPONENT}$`);
const COMMAED = new RegExp(`^(?:\\d+,?\\d*|,\\d+)${EXPONENT}$`);
const SPACES = ' \\u00a0\\u2009\\u202f';
const GROUPS_OF = (mark: string) => new RegExp(`^[1-9]\\d{0,2}([${mark}'’_${SPACES}])\\d{3}(?:\\1\\d{3})*`);
const [POINT_GROUPS, COMMA_GROUPS] = [GROUPS_OF(','), GROUPS_OF('.')];
const INDIAN_GROUPS = /^[1-9]\d?(?:,\d{2})+,\d{3}/;
const POINT_REST = /^(?:\.\d*)?$/;
const COMMA_REST = /^(?:,\d*)?$/;
const MINUS = /^[−–﹣－]/;
const UNIT_BEFORE = /^([+-]?)\s?((?:\p{Sc}|[A-Z]{2,5}\$?|[A-Z]{1,3}\$)\s?)([+-]?(?=[\d.,]).*)$/u;
const UNIT_AFTER = /^(.*[\d.,])\s?((?:\p{Sc}|\p{L}[\p{L}\d.]{0,11}))$/u;
/** Matches `1.23457E+15`: Excel shows a number with more than 11 digits like this, with at most five decimals. */
const SHORTENED = /^[+-]?\d(?:[.,]\d{1,5})?E\+\d{2,3}$/;
const SHORTENED_SMALL = /^[+-]?\d[.,]\d{5}E-\d{2,3}$/;
const LONGEST = 60;

export interface ReadNumber {
  /** The decimal signs that fit the cell, and its other readings, as bits; 0 if the cell is not a number. */
  readonly bits: number;
  readonly unit?: string | undefined;
  readonly isPercent?: boolean;
  readonly isAccounting?: boolean;
}

/** Whether a cell is a number, possibly with a unit. */
export function isAmountCell(text: string): boolean {
  const found = readNumber(text);
  // A number with a unit must have a decimal sign or a currency sign, because text such as the symbol `1INCH` may be a name.
  return found.bits !== 0 && (found.unit === undefined || /[.,]|\p{Sc}/u.test(text));
}

/** Reads a number without a unit, a thousands separator, a comma or an exponent. Returns -1 for other text. */
function plainBits(text: string): number {
  const { length } = text;
  let at = 0;
  const sign = text.charCodeAt(0);
  if (sign === 45 || sign === 43) at = 1;
  const start = at;
  let dot = -1;
  for (; at < length; at++) {
    const code = text.charCodeAt(at);
    if (code === 46 && dot < 0) dot = at;
    else if (code < 48 || code > 57) return -1;
  }
  if (length === start || (dot >= 0 && length === start + 1)) return -1;
  if (dot < 0) return BOTH;
  const digits = dot - start;
  const isGroup = length - dot === 4 && digits >= 1 && digits <= 3 && text.charCodeAt(start) !== 48;
  return isGroup ? BOTH | GROUPED_COMMA | HAS_MARK | BY_SIGN : DECIMAL_POINT | HAS_MARK;
}

function coreBits(text: string): number {
  let bits = HAS_MARK;
  if (POINTED.test(text)) bits |= DECIMAL_POINT;
  else {
    const groups = POINT_GROUPS.exec(text)?.[0] ?? INDIAN_GROUPS.exec(text)?.[0];
    if (groups !== undefined && POINT_REST.test(text.slice(groups.length)))
      bits |= DECIMAL_POINT | GROUPED_POINT | (groups.includes(',') ? BY_SIGN : 0);
  }
  if (COMMAED.test(text)) bits |= COMMA_SIGN | (text.includes(',') ? HAS_COMMA : 0);
  else {
    const groups = COMMA_GROUPS.exec(text)?.[0];
    const rest = groups === undefined ? '' : text.slice(groups.length);
    if (groups !== undefined && COMMA_REST.test(rest)) {
      bits |=
        COMMA_SIGN | GROUPED_COMMA | (rest === '' ? 0 : HAS_COMMA) | (groups.includes('.') ? BY_SIGN : 0);
    }
  }
  return (bits & BOTH) === 0 ? 0 : bits;
}

const NONE: ReadNumber = { bits: 0 };

export function readNumber(text: string): ReadNumber {
  const plain = plainBits(text);
  if (plain >= 0) return { bits: plain };
  if (text.length > LONGEST || !/\d/.test(text)) return NONE;
  let rest = text;
  let isAccounting = false;
  const inside = /^([^()\d]*)\((.+)\)$/.exec(rest);
  if (inside !== null) {
    isAccounting = true;
    rest = `${inside[1]}${inside[2]}`.trim();
  }
  if (MINUS.test(rest)) {
    isAccounting = true;
    rest = rest.slice(1);
  } else if (/\d\s?[-−]$/.test(rest)) {
    isAccounting = true;
    rest = rest.slice(0, -1).trimEnd();
  }
  const isPercent = /\d\s?%$/.test(rest);
  if (isPercent) rest = rest.slice(0, -1).trimEnd();
  const core = (given: string) => coreBits(given.replace(/^[+-]\s?/, ''));
  const bits = core(rest);
  if (bits !== 0) return { bits, isPercent, isAccounting };
  const [, sign = '', before, after] = UNIT_BEFORE.exec(rest) ?? [];
  if (before !== undefined && after !== undefined) {
    const own = core(`${sign}${after}`);
    return own === 0 ? NONE : { bits: own, unit: before.trim(), isPercent, isAccounting };
  }
  const [, front, unit] = UNIT_AFTER.exec(rest) ?? [];
  if (front === undefined || unit === undefined) return NONE;
  const own = core(front);
  return own === 0 ? NONE : { bits: own, unit, isPercent, isAccounting };
}

const UNITS = 4;

/** Evidence about the amounts of one column. */
export class Amounts {
  readonly #readings = new Map<number, CellEvidence>();
  /** The readings of cells in rows that cannot be totals. */
  readonly #sure = new Set<number>();
  readonly #united = new CellEvidence();
  readonly #units = new Set<string>();
  readonly #percent = new CellEvidence();
  readonly #accounting = new CellEvidence();
  /** Cells that show a number without its last digits, as a spreadsheet does for long numbers. */
  readonly shortened = new CellEvidence();
  /** Number of cells that are numbers, with or without a unit. */
  count = 0;
  /** Number of cells that have a unit and no decimal sign, and so may be names, such as `1INCH`. */
  names = 0;

  add(text: string, row: number, line: number, isDoubtful = false): boolean {
    const { bits, unit, isPercent, isAccounting } = readNumber(text);
    if (bits === 0) return false;
    this.count += 1;
    if ((bits & HAS_MARK) !== 0) {
      evidenceIn(this.#readings, bits).add(text, row, line);
      if (!isDoubtful) this.#sure.add(bits);
    }
    if (unit !== undefined) {
      this.#united.add(text, row, line);
      if (this.#units.size < UNITS) this.#units.add(Buffer.from(unit).toString());
      if (!/[.,]|\p{Sc}/u.test(text)) this.names += 1;
    }
    if (isPercent) this.#percent.add(text, row, line);
    if (isAccounting) this.#accounting.add(text, row, line);
    if (text.includes('E') && (SHORTENED.test(text) || SHORTENED_SMALL.test(text)))
      this.shortened.add(text, row, line);
    return true;
  }

  /** The decimal signs that fit all cells, as bits, and {@link OPEN_GROUPS}. Rows that may be totals are ignored. */
  get settles(): number {
    return (signsOf(this.#sure) || BOTH) | (this.#groupSigns === 0 ? OPEN_GROUPS : 0);
  }

  /** The decimal signs of cells such as `1.850,00` and `12.345.678`, in which the other sign must separate thousands. */
  get #groupSigns(): number {
    const signs = [...this.#sure].map((bits) => ((bits & BY_SIGN) === 0 ? BOTH : bits & BOTH));
    return signs.reduce((all, sign) => all | (sign % BOTH), 0);
  }

  findings({ found, others, missing, settled, pointLikely }: ColumnFacts): void {
    const { word } = found;
    found.add('UNREADABLE_AMOUNT', others);
    found.add('MISSING_AMOUNT', missing);
    const those = (fits: (bits: number) => boolean) =>
      merged(...[...this.#readings].filter(([bits]) => fits(bits)).map(([, one]) => one));
    const only = (sign: number) => those((bits) => (bits & BOTH) === sign);
    const signs = signsOf(this.#readings.keys());
    const sure = this.#sure.size === 0 ? signs : signsOf(this.#sure);
    const settledSign = (settled & BOTH) % BOTH;
    const isPoint =
      pointLikely && those((bits) => (bits & HAS_COMMA) !== 0 && (bits & GROUPED_POINT) !== 0).count === 0;
    const likely = settledSign || (isPoint ? DECIMAL_POINT : BOTH);
    const open = sure !== BOTH ? sure : (likely & signs) === 0 ? BOTH : likely;
    const areGroups =
      open !== BOTH &&
      ((this.#groupSigns & open) !== 0 || (settledSign === open && (settled & OPEN_GROUPS) === 0));
    const grouped = (open & DECIMAL_POINT ? GROUPED_POINT : 0) | (open & COMMA_SIGN ? GROUPED_COMMA : 0);
    // In the same column as 2,5, the point in 1.234 either separates thousands or is a different decimal sign.
    const isDoubtful = (bits: number) => !areGroups && (bits & BY_SIGN) !== 0 && (bits & BOTH) === BOTH;
    if (signs === 0) {
      const [commas, points] = [only(COMMA_SIGN), only(DECIMAL_POINT)];
      const [few, many, sign, other] =
        commas.count <= points.count
          ? ([commas, points, 'comma', 'point'] as const)
          : ([points, commas, 'point', 'comma'] as const);
      const more = `but ${word} ${many.example?.line} ${JSON.stringify(many.example?.text)} has a decimal ${other}`;
      found.add('MIXED_DECIMALS', few, more, [`cell has a decimal ${sign}`, `cells have a decimal ${sign}`]);
    } else {
      if (open === COMMA_SIGN)
        found.add(
          'DECIMAL_COMMA',
          those((bits) => (bits & HAS_COMMA) !== 0),
        );
      const doubtful = those((bits) => (bits & grouped) !== 0 && isDoubtful(bits));
      const deciding = those(
        (bits) =>
          !this.#sure.has(bits) && (bits & BOTH) !== BOTH && (open === BOTH || (bits & BY_SIGN) !== 0),
      );
      const totals = deciding.count === 0 ? '' : `; ${onlyTotals(deciding, word, 'this')}`;
      const readings = doubtful.example && `${bothReadings(doubtful.example.text)}${totals}`;
      found.add('AMBIGUOUS_AMOUNT', doubtful, readings);
      const groups = those((bits) => (bits & grouped) !== 0 && !isDoubtful(bits));
      found.add('THOUSANDS_SEPARATOR', groups);
    }
    const units = [...this.#units].map((unit) => JSON.stringify(unit)).join(', ');
    found.add('AMOUNT_UNIT', this.#united, `found: ${units}`);
    found.add('PERCENT', this.#percent);
    found.add('ACCOUNTING_NEGATIVE', this.#accounting);
    const lost = 'a spreadsheet shows long numbers in this form and may have dropped digits';
    found.add('SHORTENED_NUMBER', this.shortened, lost);
  }
}

/** The decimal signs that fit all readings, as bits; 0 if they contradict each other. */
function signsOf(readings: Iterable<number>): number {
  return [...readings].reduce((left, right) => left & right, BOTH);
}

/** Both readings of a cell such as `1.234`. */
function bothReadings(text: string): string {
  return `${JSON.stringify(text)} can be ${text.replace(/[.,]/, '')} or ${text.replace(',', '.')}`;
}
