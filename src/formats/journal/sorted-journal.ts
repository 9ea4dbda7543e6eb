import type { Item } from '../../books/journal/entry.ts';
import type { Journal, SortedLeg, TransactionPart } from '../../books/journal/journal.ts';
import { Batches } from '../../core/batches.ts';
import type { JsonRecord } from '../../core/json.ts';
import { DiskSort } from '../disk-sort.ts';
import type { JournalOf } from '../format.ts';

interface Placed {
  readonly key: string;
  readonly time: number | null;
}

/** Sorts the legs of a journal by transaction, and its entries by time. Sorts large journals on disk. */
export class SortedJournal {
  readonly journal: Journal;
  readonly #around: JournalOf['around'];
  readonly #legs = new DiskSort<SortedLeg>(
    (left, right) => byText(left.key, right.key) || byTime(left, right) || byText(left.id, right.id),
  );
  readonly #parts = new DiskSort<TransactionPart>(
    (left, right) => byTime(left, right) || byText(left.key, right.key),
  );

  constructor({ begin, around }: JournalOf) {
    this.journal = begin();
    this.#around = around;
  }

  add(leg: JsonRecord): Promise<void> | void {
    return this.#legs.add(this.journal.sorted(leg));
  }

  /** Yields the items of the journal in order of time. */
  async *items(): AsyncGenerator<readonly Item[]> {
    for await (const leg of this.#around?.() ?? []) await this.#legs.add(this.journal.sorted(leg, true));
    let legs: SortedLeg[] = [];
    for await (const batch of Batches.of(this.#legs.sorted())) {
      for (const leg of batch) {
        if (legs[0] !== undefined && legs[0].key !== leg.key) {
          for (const part of this.journal.parts(legs)) await this.#parts.add(part);
          legs = [];
        }
        legs.push(leg);
      }
    }
    for (const part of this.journal.parts(legs)) await this.#parts.add(part);
    await this.#legs.discard();
    yield this.journal.opening();
    for await (const batch of Batches.of(this.#parts.sorted()))
      for (const part of batch) yield this.journal.items(part);
    yield this.journal.finish();
  }

  async discard(): Promise<void> {
    await Promise.all([this.#legs.discard(), this.#parts.discard()]);
  }
}

function byText(left: string, right: string): number {
  return left === right ? 0 : left < right ? -1 : 1;
}

/** Legs without a time come last. */
function byTime({ time: left }: Placed, { time: right }: Placed): number {
  return left === right ? 0 : left === null ? 1 : right === null ? -1 : left - right;
}
