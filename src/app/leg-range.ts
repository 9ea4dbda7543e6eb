import { timeOf } from '../api/ledgers.ts';
import { Leg } from '../books/leg.ts';
import { noChosenLegs } from '../books/scope.ts';
import { untimedText } from '../books/untimed.ts';
import type { LegInput } from '../books/walk.ts';
import { type Note, warning } from '../cli/outcome.ts';
import type { ServiceClient } from '../client/client.ts';
import type { LedgerFilters } from '../client/nouns.ts';
import { isRecord } from '../core/json.ts';
import type { OpenSpan, Span } from '../core/span.ts';
import { momentText } from '../formats/moments.ts';

/** The range from the earliest to the latest of the added times. `span` is undefined if no time was added. */
export class TimeRange {
  span: Span | undefined;

  add(time: number | undefined): void {
    if (time === undefined) return;
    const { from, to } = this.span ?? { from: time, to: time };
    this.span = { from: Math.min(from, time), to: Math.max(to, time) };
  }

  /** Returns text such as ` They are from 2020-01-03 to 2025-12-30.`, or an empty string if there are no times. */
  sentence(subject: string, timeZone: string): string {
    if (this.span === undefined) return '';
    const days = [this.span.from, this.span.to].map((time) => momentText(time, timeZone).slice(0, 10));
    return ` ${subject} from ${[...new Set(days)].join(' to ')}.`;
  }
}

/** Requests the number of matching legs, and the times of the first and the last leg. */
export async function servedRange(
  client: ServiceClient,
  filters: LedgerFilters,
): Promise<{ readonly total: number; readonly range: TimeRange }> {
  const range = new TimeRange();
  const end = async (sortOrder: 'asc' | 'desc') => {
    const query: LedgerFilters = { ...filters, sortBy: 'timestamp', sortOrder, limit: 1 };
    const { rows, total = 0 } = await client.ledgers.list(query).asServed().page();
    for (const row of rows) if (isRecord(row)) range.add(timeOf(row));
    return total;
  };
  const total = await end('desc');
  if (total > 1) await end('asc');
  return { total, range };
}

export async function rangeOf(legs: LegInput): Promise<TimeRange> {
  const range = new TimeRange();
  for await (const leg of legs) range.add(Leg.of(leg).time);
  return range;
}

/**
 * Warns about legs without a time. Such a leg may be outside the period, and its place in the order of the legs is unknown.
 */
export function untimedNotes(legs: number, period: OpenSpan): Note[] {
  const text = untimedText(legs, period);
  return text === undefined ? [] : [warning(text)];
}

/** A period of the books. `range` returns the times of the first and the last leg of the books, regardless of the period. */
interface Books {
  readonly period: OpenSpan;
  readonly timeZone: string;
  range(): Promise<TimeRange>;
}

/**
 * Warns if the period has no legs. The warning contains the first and the last day that have legs. Also warns if only wallets and
 * assets that the user did not select have legs.
 *
 * @param chosen number of legs of the selected wallets and assets
 */
export async function emptyPeriodNotes(
  { period: { from, to }, timeZone, range }: Books,
  legs: number,
  chosen = legs,
  inPeriod = 'in the period',
): Promise<Note[]> {
  const isLimited = from !== undefined || to !== undefined;
  const where = isLimited ? inPeriod : 'at all';
  if (legs > 0) return chosen > 0 ? [] : [warning(noChosenLegs(where))];
  const days = isLimited ? (await range()).sentence('The legs are', timeZone) : '';
  return [warning(`There are no legs ${where}.${days}`)];
}
