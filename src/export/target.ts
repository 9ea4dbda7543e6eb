import { resolve } from 'node:path';
import { type DataSetFile, DataSetFolder } from '../formats/data-set/folder.ts';
import type { PartitionKey } from '../formats/data-set/hive.ts';
import type { FileFolder, Layout } from '../formats/format.ts';
import { type Assembly, assemble, assembleRecords } from './assembly.ts';
import { manifestOf } from './manifest.ts';
import { type Found, fileExists, lookAt, OutputFile } from './output-file.ts';

export interface Written {
  /** Absolute path. */
  readonly path: string;
  readonly bytes: number;
  /** SHA-256 of the file; undefined for a data set. */
  readonly sha256?: string | undefined;
  /** The files in the folder, if the format writes a folder. */
  readonly files?: readonly DataSetFile[] | undefined;
}

/** The output of an export: a file or folder that appears only when it is complete. */
export interface Target extends Assembly {
  close(): Promise<Written>;
  discard(): Promise<void>;
}

export interface TargetOptions {
  /** Partition keys of a data set; undefined for a single file. */
  readonly partitionBy?: readonly PartitionKey[] | undefined;
  /** Whether the format writes a folder of files. */
  readonly folder?: boolean | undefined;
  /** Replace an existing export and its manifest. */
  readonly overwrite?: boolean | undefined;
}

/**
 * Checks that the export and its manifest can be written. Call this function before the first request.
 *
 * @throws CryptodataError of kind `output` if a path is not writable; a usage error `FILE_EXISTS` if the export or its manifest
 * already exists and `overwrite` is not set
 */
export async function checkTarget(
  path: string,
  { partitionBy, folder, overwrite }: TargetOptions,
): Promise<Found> {
  const isFolder = folder === true || partitionBy !== undefined;
  const exists = (what: string) =>
    fileExists(what, 'Use another --out, or use --overwrite to replace the export and its manifest.');
  if (isFolder) await DataSetFolder.check(path, overwrite);
  const found = isFolder ? { target: resolve(path), special: false } : await lookAt(path);
  if (found.special) return found;
  if (found.mode !== undefined && !overwrite) throw exists(path);
  const manifest = manifestOf(found.target === resolve(path) ? path : found.target);
  const { mode } = await lookAt(
    manifest,
    'The manifest of the export must have this name. Use another --out.',
  );
  if (mode !== undefined && !overwrite) throw exists(manifest);
  return found;
}

export async function openTarget(
  path: string,
  layout: Layout,
  { partitionBy, overwrite }: TargetOptions,
  signal: AbortSignal,
): Promise<Target> {
  const { openFolder } = layout.format.file;
  if (openFolder) return targetOf(await openFolder(path, layout, { overwrite }), path);
  if (partitionBy === undefined) {
    const file = await OutputFile.open(path, { signal, overwrite });
    const assembly = await assemble(file, layout);
    return { ...assembly, close: () => file.finish(), discard: () => file.discard() };
  }
  const { openDataSet } = await import('../formats/data-set/index.ts');
  const { parquetOptions } = await import('../formats/parquet/index.ts');
  const dataSet = await openDataSet(path, { ...parquetOptions(layout), partitionBy, overwrite });
  return targetOf(dataSet, path);
}

function targetOf(folder: FileFolder, path: string): Target {
  return {
    ...assembleRecords(folder),
    close: async () => {
      const files = folder.files();
      return { path, bytes: files.reduce((sum, { bytes }) => sum + bytes, 0), files };
    },
    discard: () => folder.discard(),
  };
}
