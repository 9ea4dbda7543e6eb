import { randomBytes } from 'node:crypto';
import { rmSync } from 'node:fs';
import { mkdir, open, readdir, readFile, realpath, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join, resolve, sep } from 'node:path';
import { CryptodataError, systemCode, usageError } from '../../core/errors.ts';
import { isRecord, parseJson } from '../../core/json.ts';
import { cannotWrite } from '../../core/unwritable.ts';

/** A file of a data set. */
export interface DataSetFile {
  /** Below the folder of the data set, with slashes: `year=2025/month=07/part-0.parquet`. */
  readonly path: string;
  readonly rows: number;
  readonly bytes: number;
  readonly sha256: string;
}

/** Lists the files of a data set. Spark, Hive and Trino pass over names that begin with an underscore. */
export const LISTING = '_cryptodata.json';

/**
 * The folder of a data set, which is there whole or not at all: it is written under another name beside its place, and
 * takes the place of an earlier data set only, never of anything else.
 */
export class DataSetFolder {
  /** Where it is written. */
  readonly temporary: string;
  readonly #target: string;
  readonly #overwrite: boolean;

  private constructor(target: string, overwrite: boolean) {
    this.#overwrite = overwrite;
    this.#target = target;
    this.temporary = join(dirname(target), `.${basename(target)}.${randomBytes(6).toString('hex')}.part`);
  }

  /**
   * Looks at the place before anything is fetched.
   *
   * @throws CryptodataError of kind `output`
   */
  static async open(path: string, overwrite = false): Promise<DataSetFolder> {
    try {
      const folder = await DataSetFolder.#at(path, overwrite);
      await mkdir(folder.temporary);
      takeAwayAtExit.add(folder.temporary);
      return folder;
    } catch (error) {
      throw error instanceof CryptodataError ? error : cannotWrite(path, error);
    }
  }

  /**
   * Looks at the place alone: what cannot be written to is told before hours of reading.
   *
   * @throws CryptodataError of kind `output`
   */
  static async check(path: string, overwrite = false): Promise<void> {
    try {
      await DataSetFolder.#at(path, overwrite);
    } catch (error) {
      throw error instanceof CryptodataError ? error : cannotWrite(path, error);
    }
  }

  static async #at(path: string, overwrite: boolean): Promise<DataSetFolder> {
    // A link stays a link.
    const folder = new DataSetFolder(await realpath(path).catch(() => resolve(path)), overwrite);
    await folder.#mayReplace();
    return folder;
  }

  /** Puts the folder in its place, with a listing of its files. */
  async finish(files: readonly DataSetFile[]): Promise<void> {
    try {
      const listing = await open(join(this.temporary, LISTING), 'wx');
      try {
        await listing.writeFile(`${JSON.stringify({ dataSet: 1, files }, undefined, 1)}\n`);
        await listing.sync();
      } finally {
        await listing.close();
      }
      await this.#place(await this.#mayReplace());
      takeAwayAtExit.delete(this.temporary);
    } catch (error) {
      throw error instanceof CryptodataError ? error : cannotWrite(this.#target, error);
    }
  }

  /** Takes away what was written so far; what stood there before stays. */
  async discard(): Promise<void> {
    await rm(this.temporary, { recursive: true, force: true });
    takeAwayAtExit.delete(this.temporary);
  }

  async #place(replaces: boolean): Promise<void> {
    if (!replaces) return rename(this.temporary, this.#target);
    const earlier = `${this.temporary}.old`;
    await rename(this.#target, earlier);
    try {
      await rename(this.temporary, this.#target);
    } catch (error) {
      await rename(earlier, this.#target);
      throw error;
    }
    await rm(earlier, { recursive: true, force: true });
  }

  /** Whether something stands there that may be replaced: an empty folder, or a data set of this tool and nothing else. */
  async #mayReplace(): Promise<boolean> {
    const refuse = (why: string) =>
      new CryptodataError('output', 'DATA_SET_EXISTS', `Cannot write a data set to ${this.#target}: ${why}`, {
        hint: 'Name a folder that does not exist yet.',
      });
    const found = await stat(this.#target).catch((error: unknown) => {
      if (systemCode(error) === 'ENOENT') return undefined;
      throw error;
    });
    if (!found) return false;
    if (!found.isDirectory()) throw refuse('it is a file');
    const present = (await readdir(this.#target, { recursive: true, withFileTypes: true }))
      .filter((entry) => !entry.isDirectory())
      .map((entry) => join(entry.parentPath, entry.name).slice(this.#target.length + 1));
    if (present.length === 0) return true;
    const known = await this.#listed();
    if (!known) throw refuse('it holds files that are not of an earlier data set');
    const strange = present.find((path) => !known.has(path.replaceAll(sep, '/')));
    if (strange !== undefined) throw refuse(`it holds ${strange}, which is not of the earlier data set`);
    if (!this.#overwrite) {
      throw usageError(
        `${this.#target} already exists`,
        'Use another --out, or --overwrite to replace the data set and its manifest.',
        'FILE_EXISTS',
      );
    }
    return true;
  }

  async #listed(): Promise<ReadonlySet<string> | undefined> {
    try {
      const listing = parseJson(await readFile(join(this.#target, LISTING), 'utf8'));
      if (!isRecord(listing) || !Array.isArray(listing['files'])) return undefined;
      const paths = listing['files'].flatMap((file: unknown) =>
        isRecord(file) ? [String(file['path'])] : [],
      );
      return new Set([LISTING, ...paths]);
    } catch {
      return undefined;
    }
  }
}

/** Folders that are not whole, should the process be ended at once. */
const takeAwayAtExit = new Set<string>();
process.on('exit', () => {
  for (const path of takeAwayAtExit) rmSync(path, { recursive: true, force: true });
});
