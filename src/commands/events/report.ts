import { arrayOf, int, mapOf, nullable, text, word } from '../../api/records.ts';
import { type Note, warning } from '../../cli/outcome.ts';
import { made, optional } from '../../cli/output.ts';
import type { JsonRecord } from '../../core/json.ts';
import { count, plural, showText, someOf } from '../../core/text.ts';
import { entryRecord } from '../../events/entry.ts';
import { type DeliveryOutcome, type DeliveryReport, OUTCOMES } from '../../events/listen.ts';
import type { Column, Columns } from '../../formats/columns.ts';
import { isoText, momentText } from '../../formats/moments.ts';

const MAX_REPORTS = 10_000;
const MAX_BYTES = 64 * 1024 * 1024;

/**
 * A queue of reports to print. Deliveries may arrive faster than the output is read, so reports beyond `MAX_REPORTS` or
 * `MAX_BYTES` are dropped and counted. The store contains all deliveries.
 */
export class ReportQueue {
  #reports: DeliveryReport[] = [];
  #bytes = 0;
  #dropped = 0;
  #ended = false;
  #wake = () => {};

  push(report: DeliveryReport): void {
    const size = report.entry?.body.length ?? 0;
    if (this.#reports.length >= MAX_REPORTS || this.#bytes + size > MAX_BYTES) {
      this.#dropped += 1;
      return;
    }
    this.#bytes += size;
    this.#reports.push(report);
    this.#wake();
  }

  end(): void {
    this.#ended = true;
    this.#wake();
  }

  /** The number of reports that were dropped since the last call. */
  takeDropped(): number {
    const dropped = this.#dropped;
    this.#dropped = 0;
    return dropped;
  }

  /** Yields the queued reports in batches, until `end` is called and the queue is empty. */
  async *batches(): AsyncGenerator<readonly DeliveryReport[]> {
    for (;;) {
      if (this.#reports.length > 0) {
        const batch = this.#reports;
        this.#reports = [];
        this.#bytes = 0;
        yield batch;
      } else if (this.#ended) return;
      else
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
    }
  }
}

type Counter = DeliveryOutcome | 'withProblems' | 'differentBody';

export class DeliveryTally {
  readonly #counts = new Map<Counter, number>();

  add({ outcome, entry, why }: DeliveryReport): void {
    this.#increment(outcome);
    if (outcome === 'stored' && entry && entry.problems.length > 0) this.#increment('withProblems');
    if (outcome === 'repeat' && why !== undefined) this.#increment('differentBody');
  }

  /** @param store path of the store */
  notes(store: string): Note[] {
    const of = (name: Counter) => this.#counts.get(name) ?? 0;
    const parts = [
      [of('stored'), 'stored'],
      [of('withProblems'), 'with problems'],
      [of('repeat'), of('repeat') === 1 ? 'repeat' : 'repeats'],
      [of('differentBody'), 'with a different body'],
      [of('skipped'), 'of other types'],
      [of('refused'), 'refused'],
      [of('forwarded'), 'forwarded'],
    ] as const;
    const shown = parts.flatMap(([number, what]) => (number === 0 ? [] : [`${count(number)} ${what}`]));
    const notes: Note[] = [{ text: `Deliveries: ${shown.join(', ') || 'none'}.` }];
    const deliveries = (number: number) => plural(number, 'delivery', 'deliveries');
    if (of('failed') > 0) {
      const text = `warning: ${deliveries(of('failed'))} could not be stored. The sender got the response 503.`;
      notes.push(warning(text));
    }
    if (of('undelivered') > 0) {
      const text = `warning: ${deliveries(of('undelivered'))} could not be forwarded. To send them later, start again with --resume, or run: cryptodata events replay --undelivered --store ${store} --forward-to URL`;
      notes.push(warning(showText(text)));
    }
    return notes;
  }

  #increment(name: Counter): void {
    this.#counts.set(name, (this.#counts.get(name) ?? 0) + 1);
  }
}

export const REPORT = made({
  time: text,
  outcome: word(...OUTCOMES),
  ...{ status: nullable(int), attempts: nullable(int), why: nullable(text) },
  ...{ id: nullable(text), event: nullable(text) },
  // `received`, `headers` and `problems` are absent if the request was refused before its body was checked.
  ...{ received: optional(text), headers: optional(mapOf(text)), problems: optional(arrayOf(text)) },
  // A text body is in `body`, and any other body is in `bodyBase64`.
  ...{ body: optional(text), bodyBase64: optional(text) },
});

export function reportRecord({ outcome, time, entry, status, why, attempts }: DeliveryReport): JsonRecord {
  return {
    ...{ time: isoText(time), outcome, status: status ?? null, attempts: attempts ?? null, why: why ?? null },
    ...(entry ? entryRecord(entry) : { id: null, event: null }),
  };
}

const KEYS = ['time', 'outcome', 'status', 'attempts', 'why', 'id', 'event', 'problems'];
const CSV: readonly Column[] = KEYS.map((key) => ({ key }));
export const REPORT_COLUMNS: Columns = { table: CSV, csv: CSV };

/** Maximum number of problems on a printed line. The store contains all problems. */
const MAX_PROBLEMS = 3;

export function reportLine(report: DeliveryReport, timeZone: string): string {
  const { time, entry, outcome } = report;
  const names = entry ? [entry.event ?? '(no event)', entry.id ?? '(no id)'] : [];
  // Show problems only when a delivery is received, not in later reports on the same delivery.
  const problems = entry && outcome === 'stored' ? entry.problems : [];
  const parts = someOf([TEXTS[outcome](report), ...problems], { most: 1 + MAX_PROBLEMS, by: '; ' });
  return `${[momentText(time, timeZone), ...names, parts].map(showText).join('  ')}\n`;
}

const TEXTS: Readonly<Record<DeliveryOutcome, (report: DeliveryReport) => string>> = {
  stored: () => 'stored',
  repeat: ({ why }) => `repeated delivery, not stored again${why === undefined ? '' : `: ${why}`}`,
  skipped: () => 'other type, not stored',
  refused: ({ status, why = '' }) => `refused with ${status}: ${why}`,
  failed: ({ status, why = '' }) => `NOT stored, answered with ${status}: ${why}`,
  forwarded: ({ status, attempts = 1 }) =>
    `forwarded: ${status}${attempts > 1 ? ` after ${attempts} attempts` : ''}`,
  undelivered: ({ status, why, attempts = 0 }) =>
    `NOT forwarded (${plural(attempts, 'attempt', 'attempts')}): ${why ?? `answered with ${status}`}`,
};
