import { CellEvidence, type CsvFindings, evidenceIn, evidencePlace, merged, onlyTotals } from '../finding.ts';
import {
  DMY,
  isCalendarDay,
  isMonthName,
  MDY,
  ORDERS,
  ordersOf,
  readingOf,
  serialDate,
  YMD,
} from './calendar.ts';
import type { ColumnFacts } from './kind.ts';

/** The forms of a date. Each form is one way to write dates, so a column with two forms is mixed. */
const FORMS = {
  yearFirst: 'with the year first',
  numeric: 'with day and month as numbers',
  named: 'with the name of the month',
  serial: 'as Excel serial numbers',
  compact: 'as YYYYMMDD',
  seconds: 'as seconds since 1970',
  milliseconds: 'as milliseconds since 1970',
} as const;
type Form = keyof typeof FORMS;
const ALL_ORDERS = YMD | DMY | MDY;
/** Forms that are only numbers. */
const NUMBERS: readonly Form[] = ['serial', 'compact', 'seconds', 'milliseconds'];

const TIME = /(?:[T ,]\s*(\d{1,2})[:.](\d{2})(?:[:.](\d{2})(?:[.,]\d+)?)?\s*([ap]\.?m\.?)?)?/.source;
const ZONE = /\s*(Z|\(?(?:UTC|GMT)?(?:[+-]\d{1,2}(?::?\d{2})?)?\)?|[A-Z]{3,4})(?:\[[\w+/-]+\])?/.source;
const WHEN = `${TIME}${ZONE}$`;
const NUMERIC = new RegExp(`^(\\d{1,4})([./-])(\\d{1,2})\\2(\\d{1,4})${WHEN}`, 'i');
const NAMED = new RegExp(
  `^(?:\\p{L}{2,9}\\.?,? )?(?:(\\d{1,2})(?:st|nd|rd|th)?\\.?[ -]?(?:de )?(\\p{L}{3,12})\\.?|(\\p{L}{3,12})\\.? (\\d{1,2})(?:st|nd|rd|th)?)[ ,-]+(?:de )?(\\d{4}|\\d{2})${WHEN}`,
  'iu',
);
const COMPACT = /^(\d{4})(\d{2})(\d{2})(?:T?(\d{2})(\d{2})(\d{2})?Z?)?$/;
/** The basic form of ISO 8601. */
const BASIC = new RegExp(
  `^(\\d{4})(\\d{2})(\\d{2})T(?:[01]\\d|2[0-3])(?:[0-5]\\d(?:[0-5]\\d(?:[.,]\\d+)?)?)?${ZONE}$`,
  'i',
);
const CLOCK = /^\d{1,2}:\d{2}(:\d{2}([.,]\d+)?)?( ?[ap]m)?$/i;
const PLAIN = /^\d+([.,]\d+)?$/;
const [LETTER_T, SMALL_T] = [84, 116];
/** Serial numbers of the years 2000 to 2099. */
const [FIRST_SERIAL, LAST_SERIAL] = [36_526, 73_050];

/** Whether a cell is a date in a form that is not only a number. */
export function isDateCell(text: string): boolean {
  const code = text.charCodeAt(0);
  return (code >= 48 && code <= 57 && (NUMERIC.test(text) || basicDay(text) !== undefined)) || isNamed(text);
}

function isNamed(text: string): boolean {
  return namedDay(text) !== undefined;
}

function basicDay(text: string): RegExpExecArray | undefined {
  if (text.charCodeAt(8) !== LETTER_T && text.charCodeAt(8) !== SMALL_T) return undefined;
  const found = BASIC.exec(text);
  const [, year, month, day] = found ?? [];
  return found && isCalendarDay(Number(year), Number(month), Number(day)) ? found : undefined;
}

function namedDay(text: string): RegExpExecArray | undefined {
  if (text.length > 45 || !/\d/.test(text)) return undefined;
  const found = NAMED.exec(text);
  const month = found?.[2] ?? found?.[3] ?? '';
  return found !== null && isMonthName(month) ? found : undefined;
}

/** Evidence about the dates of one column. */
export class Dates {
  readonly #forms = new Map<Form, CellEvidence>();
  /**
   * Dates of three numbers, by the orders that fit the date. `#same` has the dates that are the same day in each of these
   * orders, such as `03/03/2025`.
   */
  readonly #orders = new Map<number, CellEvidence>();
  readonly #same = new Map<number, CellEvidence>();
  /** The orders that fit all dates in rows that cannot be totals; undefined if there are no such dates. */
  #sure: number | undefined;
  readonly #impossible = new CellEvidence();
  readonly #twoDigits = new CellEvidence();
  readonly #halfDays = new CellEvidence();
  readonly #clocks = new CellEvidence();
  /** Times with and without a time zone. */
  readonly #zoned = new CellEvidence();
  readonly #unzoned = new CellEvidence();
  /** Numbers that are not dates. */
  readonly #numbers = new CellEvidence();
  /** Number of cells that are certainly dates. Dates that are only numbers are not counted. */
  count = 0;

  add(text: string, row: number, line: number, isDoubtful = false): boolean {
    const code = text.charCodeAt(0);
    const found = code >= 48 && code <= 57 ? NUMERIC.exec(text) : null;
    if (found !== null) {
      this.count += 1;
      this.#addNumeric(found, text, row, line, isDoubtful);
      return true;
    }
    if (CLOCK.test(text)) {
      this.#clocks.add(text, row, line);
      return true;
    }
    const basic = basicDay(text);
    if (basic !== undefined) {
      this.count += 1;
      this.#form('compact').add(text, row, line);
      this.#addZone(basic[4], text, row, line);
      return true;
    }
    const named = namedDay(text);
    if (named === undefined) return false;
    this.count += 1;
    this.#form('named').add(text, row, line);
    if (named[6] !== undefined) this.#addZone(named[10], text, row, line);
    if (named[5]?.length === 2) this.#twoDigits.add(text, row, line);
    return true;
  }

  /** Adds a number. Whether the numbers of a column are dates is decided later, for the whole column. */
  addNumber(text: string, row: number, line: number): void {
    const form = formOfNumber(text);
    const into = form === undefined ? this.#numbers : this.#form(form);
    into.add(text, row, line);
  }

  #addNumeric(found: RegExpExecArray, text: string, row: number, line: number, isDoubtful: boolean): void {
    const [, one = '', mark, two = '', three = '', hour = '0', minute = '0', second = '0', half, zone] =
      found;
    const isTime = Number(hour) < 24 && Number(minute) < 60 && Number(second) < 61;
    if (one.length === 4) {
      // Try the form with the year first, because it is the most frequent.
      if (!isTime || three.length > 2 || !isCalendarDay(Number(one), Number(two), Number(three))) {
        this.#impossible.add(text, row, line);
        return;
      }
      this.#form('yearFirst').add(text, row, line);
    } else {
      const orders = isTime ? ordersOf(text) : 0;
      if (orders === 0) {
        this.#impossible.add(text, row, line);
        return;
      }
      this.#form('numeric').add(text, row, line);
      const isSame = one === two && (one === three || (orders & YMD) === 0);
      const by = isSame && mark !== '.' ? this.#same : this.#orders;
      evidenceIn(by, orders).add(text, row, line);
      if (!isDoubtful) this.#sure = (this.#sure ?? ALL_ORDERS) & orders;
      if (three.length === 2) this.#twoDigits.add(text, row, line);
    }
    if (found[5] !== undefined) this.#addZone(zone, text, row, line);
    if (half !== undefined && (Number(hour) > 12 || hour === '00')) this.#halfDays.add(text, row, line);
  }

  #addZone(zone: string | undefined, text: string, row: number, line: number): void {
    (zone ? this.#zoned : this.#unzoned).add(text, row, line);
  }

  #form(form: Form): CellEvidence {
    return evidenceIn(this.#forms, form);
  }

  /** Number of cells that are dates, including numbers that are dates only if the column contains dates. */
  get asDates(): number {
    return NUMBERS.reduce((sum, form) => sum + this.#countOf(form), this.count);
  }

  /** Whether all cells are times of day. */
  isClock(cells: number): boolean {
    return this.#clocks.count === cells;
  }

  #countOf(form: Form): number {
    return this.#forms.get(form)?.count ?? 0;
  }

  /** The orders that all dates fit. 0 if they contradict each other. */
  get #fitting(): number {
    const all = [...this.#orders.keys(), ...this.#same.keys()];
    return all.reduce((left, right) => left & right, ALL_ORDERS);
  }

  /** The orders that are still possible for this column, as bits. */
  get settles(): number {
    return (this.#orders.size > 0 && this.#sure) || ALL_ORDERS;
  }

  findings({ found, others, blanks, missing, isFirst, settled }: ColumnFacts): void {
    found.add('UNREADABLE_DATE', merged(this.#impossible, others, this.#clocks, this.#numbers));
    const empty = merged(blanks, missing);
    const isGap = isFirst || empty.count * 5 < this.asDates;
    if (isGap) found.add('EMPTY_DATE', empty);
    this.#addOrder(found, settled);
    this.#addMixed(found);
    const serials = this.#forms.get('serial') ?? new CellEvidence();
    const serial = Number(serials.example?.text.replace(',', '.') ?? 0);
    const dates = `the first is ${serialDate(serial, 1900)}, or ${serialDate(serial, 1904)} in the 1904 date system`;
    found.add('SERIAL_DATE', serials, dates);
    this.#addZones(found);
    if (found.all.every(({ code }) => code !== 'AMBIGUOUS_DATE'))
      found.add('TWO_DIGIT_YEAR', this.#twoDigits);
    found.add('AM_PM', this.#halfDays);
  }

  #addOrder(found: CsvFindings, settled: number): void {
    if (this.#orders.size === 0) return;
    const fitting = this.#fitting;
    if (fitting === 0) {
      this.#addContradiction(found);
      return;
    }
    const orders = this.#sure ?? fitting;
    const narrowed = orders & settled;
    const left = (narrowed & fitting) === 0 ? orders : narrowed;
    const open = ORDERS.filter(([order]) => (left & order) !== 0);
    const those = (isOpen: boolean) =>
      merged(
        ...[...this.#orders].filter(([own]) => ((own & left) === left) === isOpen).map(([, one]) => one),
      );
    const all = those(true);
    if (open.length < 2) return;
    const what = 'the order of day, month and year';
    const deciding = those(false);
    const decided = deciding.count === 0 ? `no cell decides ${what}` : onlyTotals(deciding, found.word, what);
    const text = all.example?.text ?? '';
    const readings = [...new Set(open.map(([order]) => readingOf(text, order)))].join(' or ');
    found.add('AMBIGUOUS_DATE', all, `${decided}; the first can be ${readings}`);
  }

  /** Describes two groups of cells that have no order in common, the smaller group first. */
  #addContradiction(found: CsvFindings): void {
    const groups = [...this.#orders].sort(([, left], [, right]) => left.count - right.count);
    const isApart = (one: number) => groups.some(([other]) => (one & other) === 0);
    const [orders, few] = groups.find(([one]) => isApart(one)) ?? groups[0] ?? [0, new CellEvidence()];
    const [other, many] = groups.find(([one]) => (one & orders) === 0) ?? groups[1] ?? [0, few];
    const namesOf = (bits: number) =>
      ORDERS.filter(([order]) => (bits & order) !== 0)
        .map(([, text]) => text)
        .join(' or ');
    const more = `but ${found.word} ${many.example?.line} ${JSON.stringify(many.example?.text)} fits only ${namesOf(other)}`;
    const names = namesOf(orders);
    found.add('CONTRADICTORY_DATES', few, more, [`date fits only ${names}`, `dates fit only ${names}`]);
  }

  /**
   * If only some times of a column have a zone, the zone of the other times is unknown. The finding lists the smaller of the
   * two groups.
   */
  #addZones(found: CsvFindings): void {
    const [zoned, bare] = [this.#zoned, this.#unzoned];
    if (zoned.count === 0 || bare.count === 0) return;
    const isFew = bare.count <= zoned.count;
    const [few, many] = isFew ? [bare, zoned] : [zoned, bare];
    const other = `${found.word} ${many.example?.line} ${JSON.stringify(many.example?.text)}`;
    const [what, more] = isFew ? ['no', 'one'] : ['a', 'none'];
    const words: [string, string] = [`time has ${what} time zone`, `times have ${what} time zone`];
    found.add('MIXED_ZONES', few, `but ${other} has ${more}`, words);
  }

  #addMixed({ all, word, column }: CsvFindings): void {
    if (this.#forms.size < 2) return;
    const forms = [...this.#forms].sort(([, left], [, right]) => left.count - right.count);
    const parts = forms.map(
      ([form, { count, example }]) =>
        `${count} ${FORMS[form]} (${word} ${example?.line} ${JSON.stringify(example?.text)})`,
    );
    const says = `Column ${JSON.stringify(column)}: dates have several forms: ${parts.join(', ')}`;
    const place = evidencePlace(forms[0]?.[1] ?? new CellEvidence());
    all.push({
      code: 'MIXED_DATES',
      level: 'warning',
      says,
      ...place,
      ...(column === undefined ? {} : { column }),
    });
  }
}

function formOfNumber(text: string): Form | undefined {
  if (!PLAIN.test(text)) return undefined;
  const whole = text.search(/[.,]/);
  const digits = whole < 0 ? text.length : whole;
  if (digits === 5) {
    const value = Number(text.replace(',', '.'));
    return value >= FIRST_SERIAL && value <= LAST_SERIAL ? 'serial' : undefined;
  }
  if (digits === 10) return 'seconds';
  if (digits === 13) return 'milliseconds';
  const [, year, month, day] = COMPACT.exec(text) ?? [];
  return year !== undefined && isCalendarDay(Number(year), Number(month), Number(day))
    ? 'compact'
    : undefined;
}
