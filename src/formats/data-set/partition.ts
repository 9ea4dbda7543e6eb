import { appendFile, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { addAll } from '../../core/batches.ts';
import { makeDirectory } from '../../core/file.ts';
import { HashedFile } from '../../core/hashed-file.ts';
import { type JsonRecord, jsonText } from '../../core/json.ts';
import { cannotWrite } from '../../core/unwritable.ts';
import { readRecords } from '../lines.ts';
import { createParquet, type ParquetOptions } from '../parquet/index.ts';
import type { RecordFile } from '../record-file.ts';
import type { DataSetFile } from './folder.ts';

/** One file of a data set. Records are buffered in memory or on disk until the file is written. */
export class Partition {
  readonly #file: string;
  readonly #aside: string;
  readonly #path: string;
  readonly #options: ParquetOptions;
  #rows = 0;
  #held: JsonRecord[] = [];
  #isAside = false;
  #open: { readonly file: HashedFile; readonly parquet: RecordFile } | undefined;

  /**
   * @param folder the folder of the data set
   * @param path path inside this folder, with slashes
   */
  constructor(folder: string, path: string, options: ParquetOptions) {
    this.#path = path;
    this.#file = join(folder, ...path.split('/'));
    this.#aside = `${this.#file}.jsonl`;
    this.#options = options;
  }

  hold(record: JsonRecord): void {
    this.#held.push(record);
    this.#rows += 1;
  }

  async putAside(): Promise<void> {
    if (this.#held.length === 0) return;
    await this.#try(async () => {
      if (!this.#isAside) await makeDirectory(dirname(this.#aside));
      this.#isAside = true;
      await appendFile(this.#aside, this.#held.map((record) => `${jsonText(record)}\n`).join(''));
    });
    this.#held = [];
  }

  async write(): Promise<void> {
    const { parquet } = this.#open ?? (await this.#begin());
    await addAll(parquet, this.#held);
    this.#held = [];
  }

  async finish(): Promise<DataSetFile> {
    const { parquet, file } = this.#open ?? (await this.#begin());
    if (this.#isAside) {
      await addAll(parquet, readRecords(this.#aside));
      await rm(this.#aside);
    }
    await this.write();
    await parquet.finish();
    return { path: this.#path, rows: this.#rows, ...(await file.finish({ sync: true })) };
  }

  async close(): Promise<void> {
    await this.#open?.file.close();
  }

  async #begin(): Promise<{ file: HashedFile; parquet: RecordFile }> {
    await this.#try(() => makeDirectory(dirname(this.#file)));
    const file = await HashedFile.create(this.#file);
    this.#open = { file, parquet: createParquet(file, this.#options) };
    return this.#open;
  }

  #try(step: () => Promise<void>): Promise<void> {
    return step().catch((error: unknown) => {
      throw cannotWrite(this.#file, error);
    });
  }
}
