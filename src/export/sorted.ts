import { open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { timeOf } from '../api/ledgers.ts';
import { Batches } from '../core/batches.ts';
import { makeTemporaryDirectory } from '../core/file.ts';
import { type JsonRecord, stringifyJson } from '../core/json.ts';
import { cannotWrite } from '../core/unwritable.ts';
import { readRecords } from '../formats/lines.ts';

/** Maximum number of records to sort in memory. */
const RUN = 50_000;

/** Legs per write. */
const BATCH = 1000;

/** Thrown if a leg is earlier than the previous leg. */
class OutOfOrderError extends Error {}

interface LegsOfFile {
  readonly read: () => AsyncIterable<JsonRecord>;
  readonly until?: number | undefined;
}

/**
 * Calls `use` with the legs in time order. Exports are already in time order, so their legs are streamed. Other files are
 * sorted on disk, with at most 50,000 legs in memory.
 *
 * @param read reads all legs from the start
 * @param until legs after this time are skipped
 * @param use may read the legs more than once. If a leg is out of order, `use` is called again with sorted legs.
 */
export async function withLegsByTime<T>(
  { read, until = Number.POSITIVE_INFINITY }: LegsOfFile,
  use: (legs: AsyncIterable<JsonRecord>) => Promise<T>,
): Promise<T> {
  try {
    return await use(new Batches(() => checked(read(), until)));
  } catch (error) {
    if (!(error instanceof OutOfOrderError)) throw error;
  }
  const directory = await makeTemporaryDirectory('cryptodata-sort-');
  try {
    const runs = await writeRuns(read(), until, directory);
    return await use({ [Symbol.asyncIterator]: () => merged(runs) });
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

async function* checked(
  legs: AsyncIterable<JsonRecord>,
  until: number,
): AsyncGenerator<Iterable<JsonRecord>> {
  let last = Number.NEGATIVE_INFINITY;
  const check = function* (batch: Iterable<JsonRecord>): Generator<JsonRecord> {
    for (const leg of batch) {
      const time = timeOf(leg) ?? last;
      if (Math.floor(time) > until) continue;
      if (time < last) throw new OutOfOrderError();
      last = time;
      yield leg;
    }
  };
  for await (const batch of Batches.of(legs)) yield check(batch);
}

/** Legs without a time come last. */
function placeOf(leg: JsonRecord): number {
  return timeOf(leg) ?? Number.POSITIVE_INFINITY;
}

async function writeRuns(
  legs: AsyncIterable<JsonRecord>,
  until: number,
  directory: string,
): Promise<string[]> {
  const paths: string[] = [];
  let run: JsonRecord[] = [];
  const write = async () => {
    // Compare instead of subtracting, because infinity minus infinity is NaN.
    run.sort(
      (left, right) => Number(placeOf(left) > placeOf(right)) - Number(placeOf(left) < placeOf(right)),
    );
    const path = join(directory, `${paths.length}.jsonl`);
    paths.push(path);
    try {
      const file = await open(path, 'wx', 0o600);
      try {
        for (let at = 0; at < run.length; at += BATCH) {
          const lines = run.slice(at, at + BATCH).map((leg) => `${stringifyJson(leg)}\n`);
          await file.write(lines.join(''));
        }
      } finally {
        await file.close();
      }
    } catch (error) {
      throw cannotWrite(path, error);
    }
    run = [];
  };
  for await (const leg of legs) {
    if (Math.floor(timeOf(leg) ?? until) > until) continue;
    run.push(leg);
    if (run.length >= RUN) await write();
  }
  if (run.length > 0) await write();
  return paths;
}

/** Merges several sorted files into one stream, ordered by time. */
async function* merged(paths: readonly string[]): AsyncGenerator<JsonRecord> {
  const runs = paths.map(readRecords);
  const heads = await Promise.all(runs.map((run) => run.next()));
  try {
    for (;;) {
      let first: number | undefined;
      for (const [at, head] of heads.entries()) {
        if (head.done) continue;
        const best = first === undefined ? undefined : heads[first]?.value;
        if (best === undefined || placeOf(head.value) < placeOf(best)) first = at;
      }
      if (first === undefined) return;
      yield heads[first]?.value;
      heads[first] = await (runs[first] as AsyncGenerator<JsonRecord>).next();
    }
  } finally {
    for (const run of runs) await run.return(undefined);
  }
}
