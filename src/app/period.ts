import { ledgerBounds } from '../api/ledgers.ts';
import { int, nullable } from '../api/records.ts';
import type { Flag } from '../cli/define.ts';
import { flagsOf, textFlag } from '../cli/flags.ts';
import { part } from '../cli/output.ts';
import type { Context } from '../context.ts';
import { UnverifiedError } from '../core/errors.ts';
import { checkFiscalYearStart } from '../core/fiscal-year.ts';
import { checkPeriod, isOfYear, type SpanNames, spanOf, type TimeValues } from '../core/period.ts';
import type { OpenSpan } from '../core/span.ts';
import { plural, showText } from '../core/text.ts';
import { spanText } from '../formats/moments.ts';
import type { GivenPairs } from './pair-choice.ts';

/** Flags for a period. Days and times are in the user's time zone. */
export const periodFlags = {
  from: {
    ...textFlag(
      '--from <time>',
      'first day (2025-07-01), or start time (2025-07-01T12:00, optionally with Z or +02:00)',
    ),
    alias: '--since <time>',
  },
  to: {
    ...textFlag('--to <time>', 'last day (inclusive), or end time'),
    alias: '--until <time>',
  },
  period: periodFlag(),
  fiscalYearStart: fiscalYearFlag(),
};

/** The period flags, and flags for the service parameters `startTime` and `endTime`. */
export const timeFlags = { ...periodFlags, ...flagsOf(ledgerBounds) };

/** Schema of a period in Unix milliseconds. `from` is null if the period has no start; `to` is null if it has no end. */
export const SPAN = part({ from: nullable(int), to: nullable(int) });

function periodFlag(): Flag<string | undefined> {
  return {
    written: '--period <period>',
    describe:
      '2025, 2025-H1, 2025-Q3, 2025-07, this-year, this-quarter, this-month, last-year, last-quarter, last-month, ytd (this year up to today), or 7d (today and the six days before)',
    parse: checkPeriod,
  };
}

function fiscalYearFlag(): Flag<string | undefined> {
  return {
    written: '--fiscal-year-start <MM-DD>',
    describe:
      'first day of the fiscal year; with 04-06, the periods 2025, 2025-H1 and 2025-Q1 start on 2025-04-06 (default: the setting fiscal_year_start)',
    parse: (text) => checkFiscalYearStart(text),
  };
}

/**
 * Formats a period as its days, such as `2025-07-01 to 2025-09-30`. If the period begins or ends within a day, the text also
 * contains times.
 */
export function daysText(span: OpenSpan, timeZone: string): string {
  const text = spanText(span, timeZone)?.replace(` (${timeZone})`, '') ?? 'all';
  return text.replace(/^(from \S+|\S+) 00:00(?= to|$)/, '$1').replace(/ 23:59:59\.999$/, '');
}

/** Prints a note with the period, wallets and assets to which the answer is limited. */
export function noteScope(context: Context, period: string | undefined, { wallet, asset }: GivenPairs): void {
  const only = (what: string, names: readonly string[] = []) =>
    names.length > 0 ? [`${what}: ${names.map(showText).join(', ')}`] : [];
  const parts = [
    ...(period === undefined ? [] : [`Period: ${period}`]),
    ...only('Wallets', wallet),
    ...only('Assets', asset),
  ];
  if (parts.length > 0) context.noteLater(parts.join('. '));
}

/**
 * The span of the time flags, in the time zone of the user. If the profile has a fiscal year, periods such as `2025` and
 * `2025-Q1` are periods of the fiscal year.
 *
 * @throws the errors of {@link spanOf}
 */
export async function spanIn(context: Context, values: TimeValues, names?: SpanNames): Promise<OpenSpan> {
  const { timeZone } = await context.view();
  const fiscalYearStart = await fiscalYearIn(context, values);
  return spanOf({ ...values, fiscalYearStart }, timeZone, context.now(), names);
}

/** The first day of the fiscal year, such as `04-06`. Undefined if the period does not depend on the fiscal year. */
export async function fiscalYearIn(
  context: Context,
  { period, fiscalYearStart }: Pick<TimeValues, 'period' | 'fiscalYearStart'>,
): Promise<string | undefined> {
  return fiscalYearStart ?? (isOfYear(period) ? await fiscalYearOf(context) : undefined);
}

/** The first day of the fiscal year of the profile, such as `04-06`. */
export async function fiscalYearOf(context: Context): Promise<string | undefined> {
  return (await context.settings()).get('fiscal_year_start');
}

/**
 * Returns the span that the time flags select. Without time flags, the span has no limits. The span depends on the user's
 * time zone and is therefore printed as a note, with the wallets and assets.
 *
 * @throws the errors of {@link spanOf}
 */
export async function periodIn(context: Context, values: TimeValues & GivenPairs): Promise<OpenSpan> {
  const { startTime, endTime } = values;
  const { timeZone } = await context.view();
  const span = await spanIn(context, values);
  const given = { from: span.from ?? startTime, to: span.to ?? endTime };
  const sent = startTime === undefined && endTime === undefined ? '' : '; sent as startTime and endTime';
  const text = spanText(given, timeZone);
  noteScope(context, text && `${text}${sent}`, values);
  return span;
}

/** Returns an error if the times of some records cannot be read. Such records are not shown, but may belong to the period. */
export function unknownTimes(number: number, one: string, many: string): UnverifiedError | undefined {
  if (number === 0) return undefined;
  const some = plural(number, `${one} has`, `${many} have`);
  return new UnverifiedError('UNKNOWN_TIME', `${some} no readable time, and may be in the period`, {
    hint: `To list ${many} that have no time, run the command without a period.`,
  });
}
