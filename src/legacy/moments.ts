import { type Amounts, digitsOf } from './amounts.ts';
import { clip, shown } from './problems.ts';

const DAY = 86_400_000;
const YEAR_1990 = Date.UTC(1990);
const YEAR_2009 = Date.UTC(2009);
const YEAR_2100 = Date.UTC(2100);

/** Whole Unix milliseconds: what can only be seconds or microseconds is refused, what is unlikely is told. */
export function isMoment(value: unknown, place: Amounts & { readonly now: number }): void {
  const digits = digitsOf(value);
  if (digits === undefined) {
    place.wrong(place.path, `must be Unix milliseconds, is ${shown(value)}`, momentHint(value));
    return;
  }
  const number = Number(digits);
  const unit = otherUnit(number);
  if (unit) {
    place.wrong(
      place.path,
      `must be Unix milliseconds, and ${clip(digits)} looks like ${unit.name}`,
      `In milliseconds it is ${unit.milliseconds}, ${iso(unit.milliseconds)}; as it is, it would be ${iso(number)}.`,
    );
    return;
  }
  if (/[eE]/.test(digits)) {
    place.wrong(
      place.path,
      `must be written with all its digits, is ${clip(digits)}`,
      'A spreadsheet may have shortened it: format the column as a number without decimals.',
    );
    return;
  }
  if (!/^\d+$/.test(digits) || !isDate(number)) {
    place.wrong(place.path, `must be whole Unix milliseconds, is ${clip(digits)}`);
    return;
  }
  if (number < YEAR_2009) place.doubt(place.path, `is ${iso(number)}, before there was any cryptocurrency`);
  if (number > place.now + DAY) place.doubt(place.path, `is ${iso(number)}, after tomorrow`);
}

/** What a number is if it is no count of milliseconds: the times of this century leave no doubt. */
function otherUnit(number: number): { readonly name: string; readonly milliseconds: number } | undefined {
  const units = [
    { name: 'seconds', milliseconds: Math.round(number * 1000) },
    { name: 'microseconds', milliseconds: Math.floor(number / 1000) },
    { name: 'nanoseconds', milliseconds: Math.floor(number / 1_000_000) },
  ];
  return units.find(({ milliseconds }) => milliseconds >= YEAR_1990 && milliseconds < YEAR_2100);
}

function momentHint(value: unknown): string | undefined {
  if (value === null) return undefined;
  if (typeof value !== 'string') return undefined;
  if (/^\d+$/.test(value)) return 'Without the quotes.';
  const time = /^\d{4}-\d\d-\d\dT[\d:.]+(Z|[+-]\d\d:\d\d)$/.test(value) ? Date.parse(value) : Number.NaN;
  return Number.isNaN(time) ? undefined : `That is ${time}.`;
}

function isDate(milliseconds: number): boolean {
  return Math.abs(milliseconds) <= 8.64e15;
}

export function iso(milliseconds: number): string {
  return isDate(milliseconds) ? new Date(milliseconds).toISOString() : 'no date';
}
