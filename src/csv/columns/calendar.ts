import { DAY, MINUTE } from '../../core/instant.ts';
/** The orders of day, month and year, as bits: a cell that fits several orders has several bits. */
export const YMD = 1;
export const DMY = 2;
export const MDY = 4;
export const ORDERS: readonly (readonly [bit: number, name: string])[] = [
  [YMD, 'year, month, day'],
  [DMY, 'day, month, year'],
  [MDY, 'month, day, year'],
];

const DAYS = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

export function isCalendarDay(year: number, month: number, day: number): boolean {
  if (day < 1 || day > (DAYS[month - 1] ?? 0)) return false;
  return month !== 2 || day < 29 || (year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0));
}

/** A year with two digits is a year of this century. */
function fullYear(text: string): number {
  return text.length === 2 ? 2000 + Number(text) : Number(text);
}

const NUMERIC = /^(\d{1,4})[./-](\d{1,2})[./-](\d{1,4})/;

/** The date that three numbers mean in an order, as `YYYY-MM-DD`, or undefined if there is no such date. */
export function readingOf(text: string, order: number): string | undefined {
  const [, one = '', two = '', three = ''] = NUMERIC.exec(text) ?? [];
  const [year, month, day] =
    order === YMD ? [one, two, three] : order === DMY ? [three, two, one] : [three, one, two];
  return isYear(year) && day.length <= 2 && isCalendarDay(fullYear(year), Number(month), Number(day))
    ? `${fullYear(year)}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`
    : undefined;
}

function isYear(text: string): boolean {
  return text.length === 4 || text.length === 2;
}

/** The orders in which a text starts with a date. Dates with dots have the day first, unless the year comes first. */
export function ordersOf(text: string): number {
  let found = 0;
  for (const [order] of ORDERS) if (readingOf(text, order) !== undefined) found |= order;
  const isDotted = text[2] === '.' || text[1] === '.';
  return isDotted && (found & DMY) !== 0 ? DMY : isDotted ? found & ~MDY : found;
}

const MONTHS = (
  'jan feb mar apr may jun jul aug sep oct nov dec ' +
  'january february march april june july august september october november december sept ' +
  'januar februar märz mär mai juni juli oktober okt dezember dez jänner ' +
  'janvier février févr mars avril avr juin juil juillet août septembre octobre novembre décembre déc ' +
  'enero ene febrero marzo abril abr mayo junio julio agosto ago septiembre octubre noviembre diciembre dic ' +
  'gennaio gen febbraio aprile maggio mag giugno giu luglio lug settembre set ottobre ott dicembre ' +
  'janeiro fevereiro fev março maio junho julho setembro outubro out novembro dezembro ' +
  'januari februari maart mrt mei augustus ' +
  'января февраля марта апреля мая июня июля августа сентября октября ноября декабря'
).split(' ');
const NAMES = new Set(MONTHS);

export function isMonthName(text: string): boolean {
  return NAMES.has(text.toLowerCase());
}

/** The date of an Excel serial number, as `YYYY-MM-DD HH:MM`. Day 1 is 1900-01-01, or 1904-01-02 in the 1904 date system. */
export function serialDate(serial: number, system: 1900 | 1904): string {
  const start = system === 1900 ? Date.UTC(1899, 11, 30) : Date.UTC(1904, 0, 1);
  const time = start + Math.round((serial * DAY) / MINUTE) * MINUTE;
  const iso = new Date(time).toISOString();
  return Number.isInteger(serial) ? iso.slice(0, 10) : iso.slice(0, 16).replace('T', ' ');
}
