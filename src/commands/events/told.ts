import type { JsonRecord } from '../../core/json.ts';
import { showText } from '../../core/text.ts';
import { entryRecord, type Outcome, type Told } from '../../events/index.ts';
import type { Column, Columns } from '../../formats/columns.ts';
import { isoText, momentText } from '../../formats/moments.ts';

/** As a record: the line of the store, and what happened to it. */
export function toldRecord({ outcome, time, entry, status, why, attempts }: Told): JsonRecord {
  return {
    ...{ time: isoText(time), outcome, status: status ?? null, attempts: attempts ?? null, why: why ?? null },
    ...(entry ? entryRecord(entry) : { id: null, event: null }),
  };
}

const CSV: readonly Column[] = [
  'time',
  'outcome',
  'status',
  'attempts',
  'why',
  'id',
  'event',
  'problems',
].map((key) => ({ key }));
export const TOLD_COLUMNS: Columns = { table: CSV, csv: CSV };

/** As a line for people. */
export function toldLine(told: Told, timeZone: string): string {
  const { time, entry, outcome } = told;
  const which = entry ? [entry.event ?? '(no event)', entry.id ?? '(no id)'] : [];
  // Said once, when it comes; not again when it is passed on.
  const problems = entry && outcome === 'stored' ? entry.problems : [];
  const more = problems.length - MOST_PROBLEMS;
  const odd = [...problems.slice(0, MOST_PROBLEMS), ...(more > 0 ? [`and ${more} more`] : [])];
  const words = [...which, [SAID[outcome](told), ...odd].join('; ')];
  return `${[momentText(time, timeZone), ...words].map(showText).join('  ')}\n`;
}

/** Of many, the rest is in the store. */
const MOST_PROBLEMS = 3;

const SAID: Readonly<Record<Outcome, (told: Told) => string>> = {
  stored: () => 'stored',
  repeat: ({ why }) => `a repeat, not stored again${why === undefined ? '' : `: ${why}`}`,
  skipped: () => 'of another type, not stored',
  refused: ({ status, why = '' }) => `refused with ${status}: ${why}`,
  failed: ({ status, why = '' }) => `NOT stored, answered with ${status}: ${why}`,
  forwarded: ({ status, attempts = 1 }) =>
    `forwarded: ${status}${attempts > 1 ? ` at attempt ${attempts}` : ''}`,
  undelivered: ({ status, why, attempts = 0 }) => {
    const last = [status === undefined ? '' : `answered with ${status}`, why ?? ''].filter(
      (text) => text !== '',
    );
    return `NOT forwarded (${attempts === 1 ? '1 attempt' : `${attempts} attempts`}): ${last.join('; ')}`;
  },
};
