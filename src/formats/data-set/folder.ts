import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { OutputError, systemCode, usageError } from '../../core/errors.ts';
import { flushDirectory } from '../../core/file.ts';
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

export async function createFolder(path: string): Promise<void> {
  await mkdir(path).catch((error: unknown) => {
    throw cannotWrite(path, error);
  });
}

/** Writes the list of files, and flushes all folders of the data set to disk. */
export async function finishFolder(path: string, files: readonly DataSetFile[]): Promise<void> {
  try {
    await writeFile(join(path, LISTING), `${jsonText({ dataSet: 1, files }, 1)}\n`, {
      flag: 'wx',
      flush: true,
    });
    for (const folder of foldersOf(files)) await flushDirectory(join(path, folder));
  } catch (error) {
    throw cannotWrite(path, error);
  }
}

/** Returns the relative paths of all folders: `.`, `year=2025`, `year=2025/month=07`. */
function foldersOf(files: readonly DataSetFile[]): ReadonlySet<string> {
  const folders = new Set(['.']);
  for (const { path } of files) {
    for (let end = path.indexOf('/'); end >= 0; end = path.indexOf('/', end + 1))
      folders.add(path.slice(0, end));
  }
  return folders;
}

/**
 * Checks that a data set may be written to a path: the path does not exist, or is an empty folder. With `overwrite`, it may also
 * be a folder that contains an earlier data set and nothing else.
 *
 * @param hint how to replace an earlier data set
 * @throws CryptodataError of kind `output`; a usage error `FILE_EXISTS` for an earlier data set without `overwrite`
 */
export async function checkFolder(
  path: string,
  { overwrite, hint }: { readonly overwrite?: boolean | undefined; readonly hint: string },
): Promise<void> {
  const refuse = (why: string) =>
    new OutputError('DATA_SET_EXISTS', `Cannot write a data set to ${path}: ${why}`, {
      hint: 'Use a folder that does not exist yet.',
    });
  const present = await filesIn(path);
  if (present === 'file') throw refuse('it is a file');
  if (present.length === 0) return;
  const known = await listedIn(path);
  if (!known) throw refuse('the folder contains files that do not belong to an earlier data set');
  const strange = present.find((file) => !known.has(file));
  if (strange !== undefined)
    throw refuse(`the folder contains ${strange}, which does not belong to the earlier data set`);
  if (!overwrite) throw usageError(`${path} already exists`, hint, 'FILE_EXISTS');
}

async function filesIn(path: string): Promise<readonly string[] | 'file'> {
  try {
    return (await stat(path)).isDirectory() ? await filesBelow(path) : 'file';
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return [];
    throw cannotWrite(path, error);
  }
}

/** Returns the relative paths of all files below a folder, with slashes. */
export async function filesBelow(path: string): Promise<string[]> {
  return (await readdir(path, { recursive: true, withFileTypes: true }))
    .filter((entry) => !entry.isDirectory())
    .map((entry) => relative(path, join(entry.parentPath, entry.name)).replaceAll(sep, '/'));
}

async function listedIn(path: string): Promise<ReadonlySet<string> | undefined> {
  try {
    const listing = parseJson(await readFile(join(path, LISTING), 'utf8'));
    if (!isRecord(listing) || !Array.isArray(listing['files'])) return undefined;
    const paths = listing['files'].flatMap((file: unknown) => (isRecord(file) ? [String(file['path'])] : []));
    return new Set([LISTING, ...paths]);
  } catch {
    return undefined;
  }
}
