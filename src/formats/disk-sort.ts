import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Batches, BatchReader } from '../core/batches.ts';
import { makeTemporaryDirectory } from '../core/file.ts';
import { readRecords, writeRecords } from './lines.ts';

/** Maximum number of records to sort in memory. */
const RUN = 20_000;
/** Records per batch. */
const BATCH = 1000;

/**
 * Sorts records on disk, with at most 20,000 records in memory. Up to 20,000 records are sorted without a file. Equal records
 * keep their order.
 */
export class DiskSort<T extends object> {
  readonly #compare: (left: T, right: T) => number;
  readonly #runs: string[] = [];
  #records: T[] = [];
  #directory: string | undefined;

  constructor(compare: (left: T, right: T) => number) {
    this.#compare = compare;
  }

  /** Adds a record. If the method returns a promise, await the promise before you add the next record. */
  add(record: T): Promise<void> | void {
    this.#records.push(record);
    return this.#records.length < RUN ? undefined : this.#write();
  }

  /** Returns all records in order. The records can be read more than once. */
  sorted(): Batches<T> {
    return new Batches(() => this.#sorted());
  }

  async *#sorted(): AsyncGenerator<readonly T[]> {
    this.#records.sort(this.#compare);
    if (this.#runs.length === 0) {
      yield this.#records;
      return;
    }
    if (this.#records.length > 0) await this.#write();
    yield* this.#merged();
  }

  async discard(): Promise<void> {
    this.#records = [];
    if (this.#directory !== undefined) await rm(this.#directory, { recursive: true, force: true });
  }

  async #write(): Promise<void> {
    this.#directory ??= await makeTemporaryDirectory('cryptodata-sort-');
    const records = this.#records.sort(this.#compare);
    this.#records = [];
    const path = join(this.#directory, `${this.#runs.length}.jsonl`);
    this.#runs.push(path);
    await writeRecords(path, records);
  }

  async *#merged(): AsyncGenerator<readonly T[]> {
    // The files contain only records that `add` received.
    const runs = this.#runs.map(
      (path) => new BatchReader(readRecords(path) as Batches<object> as Batches<T>),
    );
    const heads: (T | undefined)[] = await Promise.all(runs.map((run) => run.read()));
    let batch: T[] = [];
    try {
      for (;;) {
        let first = -1;
        let least: T | undefined;
        for (let at = 0; at < heads.length; at++) {
          const head = heads[at];
          if (head === undefined || (least !== undefined && this.#compare(head, least) >= 0)) continue;
          [first, least] = [at, head];
        }
        if (least === undefined) break;
        if (batch.push(least) === BATCH) {
          yield batch;
          batch = [];
        }
        const run = runs[first];
        heads[first] = run?.next() ?? (await run?.read());
      }
      yield batch;
    } finally {
      for (const run of runs) await run.stop();
    }
  }
}
