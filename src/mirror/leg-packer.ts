import { join } from 'node:path';
import type { JsonRecord } from '../core/json.ts';
import { type GroupRange, storedGroups } from '../formats/parquet/read.ts';
import { type LedgerRow, openLegFile, type PlaceLegs, type TableFile } from './leg-file.ts';
import type { LegPart, MirrorFile } from './manifest.ts';
import { SegmentLegs } from './segment-legs.ts';

/** A finished file at `path`. When the run is committed, the file is moved into the mirror, to `written.file`. */
export interface NewFile {
  readonly path: string;
  readonly written: MirrorFile;
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
  readonly #segments: SegmentLegs;
  readonly #files: NewFile[] = [];
  #current: { readonly file: TableFile<LedgerRow>; readonly path: string; readonly name: string } | undefined;

  constructor(directory: string, workspace: string, nameOf: () => string, place: PlaceLegs) {
    this.#directory = directory;
    this.#workspace = workspace;
    this.#nameOf = nameOf;
    this.#place = place;
    this.#segments = new SegmentLegs(workspace);
  }

  /**
   * Writes the legs of a window.
   *
   * @param isStart whether the window is the first
   */
  add(legs: AsyncIterable<JsonRecord>, isStart: boolean): Promise<LegPart | null> {
    return this.#write(async (file) => {
      const placer = this.#place(isStart);
      for await (const leg of legs) for (const row of placer.add(leg)) await file.add(row);
      for (const row of placer.finish()) await file.add(row);
    });
  }

  /**
   * Writes the legs of a window from its segment.
   *
   * @param isStart whether the window is the first
   */
  async addSegment(
    path: string,
    isStart: boolean,
  ): Promise<{ readonly part: LegPart | null; readonly walletIds: readonly string[] }> {
    let walletIds: readonly string[] = [];
    const part = await this.#write(async (file) => {
      walletIds = await this.#segments.write(path, file, this.#place(isStart));
    });
    return { part, walletIds };
  }

  /** Copies the row groups of a window from another file. */
  copy(path: string, groups: GroupRange): Promise<LegPart | null> {
    return this.#write(async (file) => {
      for await (const group of storedGroups(path, groups)) await file.copyGroup(group);
    });
  }

  async finish(): Promise<readonly NewFile[]> {
    const current = this.#current;
    this.#current = undefined;
    if (current) {
      const written = { file: current.name, ...(await current.file.finish()) };
      this.#files.push({ path: current.path, written });
    }
    return this.#files;
  }

  async close(): Promise<void> {
    await this.#current?.file.close();
  }

  async #write(fill: (file: TableFile<LedgerRow>) => Promise<void>): Promise<LegPart | null> {
    if ((this.#current?.file.bytes ?? 0) >= FILE_BYTES) await this.finish();
    if (!this.#current) {
      const path = join(this.#directory, `${this.#files.length}.parquet`);
      this.#current = { file: await openLegFile(path, this.#workspace), path, name: this.#nameOf() };
    }
    const { file, name } = this.#current;
    const first = await file.endGroup();
    await fill(file);
    const count = (await file.endGroup()) - first;
    return count === 0 ? null : { file: name, first, count };
  }
}
