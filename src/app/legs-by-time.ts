import { timeOf } from '../api/ledgers.ts';
import { Leg } from '../books/leg.ts';
import type { LegInput } from '../books/walk.ts';
import { Batches } from '../core/batches.ts';
import type { JsonRecord } from '../core/json.ts';
import { DiskSort } from '../formats/disk-sort.ts';

/** Thrown if a leg is earlier than the previous leg. */
class OutOfOrderError extends Error {}

interface LegsOfFile {
  readonly read: () => LegInput;
  readonly until?: number | undefined;
}

/**
 * Calls `use` with the legs in time order. Exports are already in time order, so their legs are streamed. Files in any other
 * order are sorted on disk, with at most 20,000 legs in memory.
 *
 * @param read reads all legs from the start
 * @param until legs after this time are skipped
 * @param use may read the legs more than once. If a leg is out of order, `use` is called again with sorted legs.
 */
export async function withLegsByTime<T>(
  { read, until = Number.POSITIVE_INFINITY }: LegsOfFile,
  use: (legs: AsyncIterable<Leg>) => Promise<T>,
): Promise<T> {
  try {
    return await use(new Batches(() => checked(read(), until)));
  } catch (error) {
    if (!(error instanceof OutOfOrderError)) throw error;
  }
  const sort = new DiskSort(byTime);
  try {
    for await (const one of read()) {
      const { time, record } = Leg.of(one);
      if (Math.floor(time ?? until) <= until) await sort.add(record);
    }
    return await use(Batches.map(sort.sorted(), Leg.of));
  } finally {
    await sort.discard();
  }
}

async function* checked(legs: LegInput, until: number): AsyncGenerator<readonly Leg[]> {
  let last = Number.NEGATIVE_INFINITY;
  for await (const batch of Batches.of(legs)) {
    const read: Leg[] = [];
    for (const one of batch) {
      const leg = Leg.of(one);
      const time = leg.time ?? last;
      if (Math.floor(time) > until) continue;
      if (time < last) throw new OutOfOrderError();
      last = time;
      read.push(leg);
    }
    yield read;
  }
}

/** Legs without a time come last. The times are compared, not subtracted, because infinity minus infinity is NaN. */
function byTime(left: JsonRecord, right: JsonRecord): number {
  const [a, b] = [timeOf(left) ?? Number.POSITIVE_INFINITY, timeOf(right) ?? Number.POSITIVE_INFINITY];
  return Number(a > b) - Number(a < b);
}
