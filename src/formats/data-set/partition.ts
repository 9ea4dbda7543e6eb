import { createHash } from 'node:crypto';
import { appendFile, type FileHandle, open, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { makeDirectory } from '../../core/file.ts';
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
  readonly #hash = createHash('sha256');
  #bytes = 0;
  #rows = 0;
  #held: JsonRecord[] = [];
  #isAside = false;
  #open: { readonly handle: FileHandle; readonly parquet: RecordFile } | undefined;

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

  /** Moves the buffered records to a temporary file. */
  async putAside(): Promise<void> {
    if (this.#held.length === 0) return;
    await this.#try(async () => {
      if (!this.#isAside) await makeDirectory(dirname(this.#aside));
      this.#isAside = true;
      await appendFile(this.#aside, this.#held.map((record) => `${jsonText(record)}\n`).join(''));
    });
    this.#held = [];
  }

  /** Writes the buffered records. */
  async write(): Promise<void> {
    const { parquet } = this.#open ?? (await this.#begin());
    for (const record of this.#held) {
      const written = parquet.add(record);
      if (written) await written;
    }
    this.#held = [];
  }

  /** Writes the remaining records and closes the file. */
  async finish(): Promise<DataSetFile> {
    const { parquet, handle } = this.#open ?? (await this.#begin());
    if (this.#isAside) await this.#fetch(parquet);
    await this.write();
    await parquet.finish();
    await this.#try(async () => {
      await handle.sync();
      await this.close();
    });
    return { path: this.#path, rows: this.#rows, bytes: this.#bytes, sha256: this.#hash.digest('hex') };
  }

  async close(): Promise<void> {
    await this.#open?.handle.close();
    this.#open = undefined;
  }

  async #begin(): Promise<{ handle: FileHandle; parquet: RecordFile }> {
    const handle = await this.#try(async () => {
      await makeDirectory(dirname(this.#file));
      return await open(this.#file, 'wx');
    });
    const parquet = createParquet({ write: (bytes) => this.#append(handle, bytes) }, this.#options);
    this.#open = { handle, parquet };
    return this.#open;
  }

  async #append(handle: FileHandle, bytes: Uint8Array): Promise<void> {
    this.#hash.update(bytes);
    this.#bytes += bytes.length;
    await this.#try(() => handle.appendFile(bytes));
  }

  async #fetch(parquet: RecordFile): Promise<void> {
    for await (const record of readRecords(this.#aside)) {
      const written = parquet.add(record);
      if (written) await written;
    }
    await rm(this.#aside);
  }

  async #try<Value>(step: () => Promise<Value>): Promise<Value> {
    try {
      return await step();
    } catch (error) {
      throw cannotWrite(this.#file, error);
    }
  }
}
