import type { DataSetFile } from '../formats/data-set/folder.ts';
import { checkFolder } from '../formats/data-set/folder.ts';
import type { PartitionKey } from '../formats/data-set/hive.ts';
import type { FileFolder, Layout, RecordCheck } from '../formats/format.ts';
import { type Assembly, assemble, assembleRecords } from './assembly.ts';
import type { HashedFile } from './hashed-file.ts';
import { type ManifestContent, manifestOf } from './manifest.ts';
import { type Found, fileExists, lookAt, type WrittenPath as OneFile } from './output-file.ts';
import { StagedPair } from './pair.ts';
import { settlePart } from './part.ts';

/** The data of an export in FILE.part. */
interface ExportTarget extends Assembly {
  close(): Promise<WrittenData>;
  /** Closes open files. */
  discard(): Promise<void>;
}

export interface WrittenData {
  readonly bytes: number;
  /** SHA-256 of the file; undefined for a data set. */
  readonly sha256?: string | undefined;
  /** The files in the folder, if the format writes a folder. */
  readonly files?: readonly DataSetFile[] | undefined;
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
 * Checks that the export and its manifest can be written. Call this function before the first request. If an earlier export to
 * the same file was killed while it switched its files, ends this switch first.
 *
 * @throws CryptodataError of kind `output` if a path is not writable; a usage error `FILE_EXISTS` if the export or its manifest
 * already exists and `overwrite` is not set, or `EXPORT_RUNNING` if another export is switching its files
 */
export async function checkTarget(path: string, options: TargetOptions): Promise<Found> {
  const found = await lookAt(path, { folder: isFolder(options) });
  if (!found.special) await settlePart(found.target, NEVER);
  return checkPair(path, options);
}

/** Like {@link checkTarget}, while this process holds the lock of the export. */
export async function checkPair(path: string, options: TargetOptions): Promise<Found> {
  const { overwrite } = options;
  const hint = 'Use another `out`, or use `overwrite` to replace the export and its manifest.';
  const found = await lookAt(path, { folder: isFolder(options) });
  if (found.special) return found;
  if (isFolder(options)) await checkFolder(found.target, { overwrite, hint });
  else if (found.mode !== undefined && !overwrite) throw fileExists(path, hint);
  const manifest = manifestOf(found.target);
  const beside = await lookAt(manifest, {
    hint: 'The manifest of the export must have this name. Use another `out`.',
  });
  if ((beside.mode !== undefined || beside.special) && !overwrite) throw fileExists(manifest, hint);
  return found;
}

function isFolder({ folder, partitionBy }: TargetOptions): boolean {
  return folder === true || partitionBy !== undefined;
}

const NEVER = new AbortController().signal;

/**
 * Writes a file and its manifest, then switches both in.
 *
 * @param directory FILE.part, see `withPart`
 */
export async function writePair(
  {
    directory,
    path,
    overwrite,
  }: { readonly directory: string; readonly path: string; readonly overwrite: boolean | undefined },
  fill: (file: HashedFile) => Promise<void>,
  manifestFor: (written: OneFile) => ManifestContent,
): Promise<OneFile & { readonly manifest: string }> {
  const { target } = await checkPair(path, { overwrite });
  const pair = new StagedPair(directory, target, overwrite);
  const file = await pair.create();
  try {
    await fill(file);
    const written = { path: target, ...(await file.finish({ sync: true })) };
    await checkPair(path, { overwrite });
    return { ...written, manifest: await pair.switch(manifestFor(written)) };
  } finally {
    await file.close();
  }
}

/** Checks that the format can hold the columns, so that an export does not fail after it has read its rows. */
export async function checkLayout(
  layout: Layout,
  { partitionBy }: Pick<TargetOptions, 'partitionBy'>,
): Promise<void> {
  const { file } = layout.format;
  if (partitionBy !== undefined) await dataSetOf(layout, partitionBy);
  else if (!file.text && !file.journal) await file.open({ write: async () => {} }, layout);
}

/** Returns the check of the records; undefined if the file can store every record. Sums can be checked only at the end. */
export async function recordCheck(
  layout: Layout,
  { partitionBy }: Pick<TargetOptions, 'partitionBy'>,
): Promise<RecordCheck | undefined> {
  if (partitionBy !== undefined) return (await dataSetOf(layout, partitionBy)).check();
  return layout.sums ? undefined : layout.format.file.check?.(layout);
}

async function dataSetOf(layout: Layout, partitionBy: readonly PartitionKey[]) {
  const { checkOfParts, openDataSet, optionsOfParts } = await import('../formats/data-set/index.ts');
  const { parquetOptions } = await import('../formats/parquet/index.ts');
  const options = { ...parquetOptions(layout), partitionBy };
  optionsOfParts(options);
  return { open: (path: string) => openDataSet(path, options), check: () => checkOfParts(options) };
}

/** Opens the data of an export in FILE.part. */
export async function openTarget(
  pair: StagedPair,
  layout: Layout,
  { partitionBy }: Pick<TargetOptions, 'partitionBy'>,
): Promise<ExportTarget> {
  const { openFolder } = layout.format.file;
  if (openFolder) return targetOf(await openFolder(pair.data, layout));
  if (partitionBy === undefined) {
    const file = await pair.create();
    const assembly = await assemble(file, layout);
    return {
      ...assembly,
      close: () => file.finish({ sync: true }),
      discard: async () => {
        await assembly.discard?.();
        await file.close();
      },
    };
  }
  const { open } = await dataSetOf(layout, partitionBy);
  return targetOf(await open(pair.data));
}

function targetOf(folder: FileFolder): ExportTarget {
  return {
    ...assembleRecords(folder),
    close: async () => {
      const files = folder.files();
      return { bytes: files.reduce((sum, { bytes }) => sum + bytes, 0), files };
    },
    discard: () => folder.discard(),
  };
}
