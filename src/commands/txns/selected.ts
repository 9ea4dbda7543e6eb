import { TimeRange } from '../../app/leg-range.ts';
import { unknownTimes } from '../../app/period.ts';
import type { Note, RowStep } from '../../cli/outcome.ts';
import type { CryptodataError } from '../../core/errors.ts';
import type { JsonRecord } from '../../core/json.ts';
import { isUnlimited, isWithin, type OpenSpan } from '../../core/span.ts';
import { count } from '../../core/text.ts';
import { transactionTime } from './columns.ts';

/** Filters transactions by time on this machine, because the specification defines no date filter. */
export class InSpan implements RowStep {
  readonly #span: OpenSpan;
  readonly #timeZone: string;
  /** Number of transactions that were checked. */
  read = 0;
  /** Number of transactions in the span. */
  kept = 0;
  /** Number of transactions that may be in the span, because their time is unknown. */
  undecided = 0;
  readonly #times = new TimeRange();

  /** @param timeZone the time zone for dates in notes */
  constructor(span: OpenSpan, timeZone: string) {
    this.#span = span;
    this.#timeZone = timeZone;
  }

  /** Whether the span has at least one bound (a start, an end, or both). */
  get isLimited(): boolean {
    return !isUnlimited(this.#span);
  }

  /** Counts the transaction. Returns true if the transaction is in the span. */
  #has(row: JsonRecord): boolean {
    this.read += 1;
    const time = this.isLimited ? transactionTime(row) : undefined;
    if (this.isLimited && time === undefined) {
      this.undecided += 1;
      return false;
    }
    this.#times.add(time);
    if (this.isLimited && !isWithin(time, this.#span)) return false;
    this.kept += 1;
    return true;
  }

  async *over(rows: AsyncIterable<JsonRecord>): AsyncGenerator<JsonRecord> {
    for await (const row of rows) if (this.#has(row)) yield row;
  }

  notes(): Note[] {
    if (!this.isLimited) return [];
    const where = this.kept === 0 ? this.#times.sentence('The transactions are', this.#timeZone) : '';
    const counts = `${count(this.kept)} of ${count(this.read)} transactions`;
    return [{ text: `The tool filtered by time: ${counts} are in the period.${where}` }];
  }

  /** Why transactions in the span may be missing from the result; undefined if the result is complete. */
  get doubt(): string | undefined {
    return this.failed()?.message;
  }

  /** Returns an error if transactions in the span may be missing from the result. */
  failed(): CryptodataError | undefined {
    return unknownTimes(this.undecided, 'transaction', 'transactions');
  }
}
