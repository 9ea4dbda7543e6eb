import { open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { makeTemporaryDirectory } from '../core/file.ts';
import { stringifyJson } from '../core/json.ts';
import { cannotWrite } from '../core/unwritable.ts';
import { readRecords } from './lines.ts';

/** Maximum number of records to sort in memory. */
const RUN = 50_000;
/** Records per write. */
const BATCH = 1000;

/**
 * Sorts records on disk, with at most 50,000 records in memory. Up to 50,000 records are sorted without a file. Equal records
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

  /** Yields all records in order. The records can be read more than once. */
  async *sorted(): AsyncGenerator<T> {
    this.#records.sort(this.#compare);
    if (this.#runs.length === 0) {
      yield* this.#records;
      return;
    }
    if (this.#records.length > 0) await this.#write();
    yield* this.#merged();
  }

  /** Deletes the temporary files. */
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
    try {
      const file = await open(path, 'wx', 0o600);
      try {
        for (let at = 0; at < records.length; at += BATCH) {
          await file.write(
            records
              .slice(at, at + BATCH)
              .map((record) => `${stringifyJson(record)}\n`)
              .join(''),
          );
        }
      } finally {
        await file.close();
      }
    } catch (error) {
      throw cannotWrite(path, error);
    }
  }

  async *#merged(): AsyncGenerator<T> {
    // The files contain only records that `add` received.
    const runs = this.#runs.map((path) => readRecords(path) as AsyncGenerator<unknown> as AsyncGenerator<T>);
    const heads = await Promise.all(runs.map((run) => run.next()));
    try {
      for (;;) {
        let first: number | undefined;
        let least: T | undefined;
        for (const [at, head] of heads.entries()) {
          if (head.done || (least !== undefined && this.#compare(head.value, least) >= 0)) continue;
          [first, least] = [at, head.value];
        }
        const run = first === undefined ? undefined : runs[first];
        if (first === undefined || least === undefined || run === undefined) return;
        yield least;
        heads[first] = await run.next();
      }
    } finally {
      for (const run of runs) await run.return(undefined);
    }
  }
}
