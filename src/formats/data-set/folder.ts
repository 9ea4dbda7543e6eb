import { randomBytes } from 'node:crypto';
import { rmSync } from 'node:fs';
import { mkdir, open, readdir, readFile, realpath, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join, resolve, sep } from 'node:path';
import { CryptodataError, OutputError, systemCode, usageError } from '../../core/errors.ts';
import { isRecord, jsonText, parseJson } from '../../core/json.ts';
import { cannotWrite } from '../../core/unwritable.ts';

export interface DataSetFile {
  /** Path inside the data set, with slashes: `year=2025/month=07/part-0.parquet`. */
  readonly path: string;
  readonly rows: number;
  readonly bytes: number;
  readonly sha256: string;
}

/** Name of the file that lists the files of a data set. Spark, Hive and Trino ignore names that begin with an underscore. */
export const LISTING = '_cryptodata.json';

/**
 * The folder of a data set, written under a temporary name next to the target and renamed when it is complete. An
 * existing target is replaced only if it is an earlier data set or an empty folder.
 */
export class DataSetFolder {
  /** The temporary folder. */
  readonly temporary: string;
  readonly #target: string;
  readonly #overwrite: boolean;

  private constructor(target: string, overwrite: boolean) {
    this.#overwrite = overwrite;
    this.#target = target;
    this.temporary = join(dirname(target), `.${basename(target)}.${randomBytes(6).toString('hex')}.part`);
  }

  /**
   * Checks the target, and creates the temporary folder.
   *
   * @throws CryptodataError of kind `output`
   */
  static async open(path: string, overwrite = false): Promise<DataSetFolder> {
    try {
      const folder = await DataSetFolder.#at(path, overwrite);
      await mkdir(folder.temporary);
      deleteAtExit.add(folder.temporary);
      return folder;
    } catch (error) {
      throw error instanceof CryptodataError ? error : cannotWrite(path, error);
    }
  }

  /**
   * Checks whether the target can be written. Call `check` before a long read.
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
    // If the target is a symbolic link, replace the folder that the link points to.
    const folder = new DataSetFolder(await realpath(path).catch(() => resolve(path)), overwrite);
    await folder.#mayReplace();
    return folder;
  }

  /** Writes the list of files, and renames the temporary folder to the target. */
  async finish(files: readonly DataSetFile[]): Promise<void> {
    try {
      const listing = await open(join(this.temporary, LISTING), 'wx');
      try {
        await listing.writeFile(`${jsonText({ dataSet: 1, files }, 1)}\n`);
        await listing.sync();
      } finally {
        await listing.close();
      }
      await this.#place(await this.#mayReplace());
      deleteAtExit.delete(this.temporary);
    } catch (error) {
      throw error instanceof CryptodataError ? error : cannotWrite(this.#target, error);
    }
  }

  /** Deletes the temporary folder. The target stays unchanged. */
  async discard(): Promise<void> {
    await rm(this.temporary, { recursive: true, force: true });
    deleteAtExit.delete(this.temporary);
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

  /**
   * Returns false if the target does not exist, and true if it may be replaced. Otherwise, throws. A folder may be replaced if
   * it is empty. With `overwrite`, a folder may also be replaced if it contains an earlier data set and nothing else.
   */
  async #mayReplace(): Promise<boolean> {
    const refuse = (why: string) =>
      new OutputError('DATA_SET_EXISTS', `Cannot write a data set to ${this.#target}: ${why}`, {
        hint: 'Use a folder that does not exist yet.',
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
    if (!known) throw refuse('it contains files that do not belong to an earlier data set');
    const strange = present.find((path) => !known.has(path.replaceAll(sep, '/')));
    if (strange !== undefined)
      throw refuse(`it contains ${strange}, which does not belong to the earlier data set`);
    if (!this.#overwrite) {
      throw usageError(
        `${this.#target} already exists`,
        'Use another --out, or use --overwrite to replace the data set and its manifest.',
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

/** Temporary folders to delete if the process exits early. */
const deleteAtExit = new Set<string>();
process.on('exit', () => {
  for (const path of deleteAtExit) rmSync(path, { recursive: true, force: true });
});
