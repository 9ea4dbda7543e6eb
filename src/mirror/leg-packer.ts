import { join } from 'node:path';
import type { JsonRecord } from '../core/json.ts';
import { type GroupRange, storedGroups } from '../formats/parquet/read.ts';
import type { PlaceLegs } from './leg-file.ts';
import { LegWriter } from './leg-writer.ts';
import type { LegPart, MirrorFile } from './manifest.ts';

/** A finished file at `path`. When the run is committed, the file is moved into the mirror, to `written.file`. */
export interface NewFile {
  readonly path: string;
  readonly written: MirrorFile;
}

interface OpenFile {
  readonly writer: LegWriter;
  readonly path: string;
  readonly name: string;
}

/** When a file reaches this size, the next window begins another file. */
const FILE_BYTES = 128 * 1024 * 1024;

/** Writes windows to files of a useful size. Each window begins a row group. */
export class LegPacker {
  readonly #directory: string;
  readonly #workspace: string;
  /** Returns the path in the mirror for the next file. */
  readonly #nameOf: () => string;
  readonly #place: PlaceLegs;
  readonly #files: NewFile[] = [];
  #current: OpenFile | undefined;

  constructor(directory: string, workspace: string, nameOf: () => string, place: PlaceLegs) {
    this.#directory = directory;
    this.#workspace = workspace;
    this.#nameOf = nameOf;
    this.#place = place;
  }

  /**
   * Writes the legs of a window. Also returns the ids of their wallets.
   *
   * @param legs the legs, or the path of their segment
   * @param isStart whether the window is the first
   */
  async add(
    legs: AsyncIterable<JsonRecord> | string,
    isStart: boolean,
  ): Promise<{ readonly part: LegPart | null; readonly walletIds: readonly string[] }> {
    let walletIds: readonly string[] = [];
    const part = await this.#write(async (writer) => {
      walletIds = await writer.write(legs, this.#place(isStart));
    });
    return { part, walletIds };
  }

  /** Copies the row groups of a window from another file. */
  copy(path: string, groups: GroupRange): Promise<LegPart | null> {
    return this.#write(async ({ file }) => {
      for await (const group of storedGroups(path, groups)) await file.copyGroup(group);
    });
  }

  async finish(): Promise<readonly NewFile[]> {
    const current = this.#current;
    this.#current = undefined;
    if (current) {
      const written = { file: current.name, ...(await current.writer.file.finish()) };
      this.#files.push({ path: current.path, written });
    }
    return this.#files;
  }

  async close(): Promise<void> {
    await this.#current?.writer.file.close();
  }

  async #write(fill: (writer: LegWriter) => Promise<void>): Promise<LegPart | null> {
    if ((this.#current?.writer.file.bytes ?? 0) >= FILE_BYTES) await this.finish();
    if (!this.#current) {
      const path = join(this.#directory, `${this.#files.length}.parquet`);
      this.#current = { writer: await LegWriter.open(path, this.#workspace), path, name: this.#nameOf() };
    }
    const { writer, name } = this.#current;
    const first = await writer.file.endGroup();
    await fill(writer);
    const count = (await writer.file.endGroup()) - first;
    return count === 0 ? null : { file: name, first, count };
  }
}
