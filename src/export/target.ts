import { open } from 'node:fs/promises';
import { addAll } from '../core/batches.ts';
import type { HashedFile } from '../core/hashed-file.ts';
import { type JsonRecord, parseJson } from '../core/json.ts';
import { checkFolder, type DataSetFile } from '../formats/data-set/folder.ts';
import type { PartitionKey } from '../formats/data-set/hive.ts';
import type { FileFolder, Layout, RecordCheck } from '../formats/format.ts';
import { readRecords } from '../formats/lines.ts';
import type { About, ByteSink, RecordFile } from '../formats/record-file.ts';
import { columnWriter } from './fast/line-writers.ts';
import { type ManifestContent, manifestOf } from './manifest.ts';
import { type Found, fileExists, lookAt, type WrittenPath as OneFile } from './output-file.ts';
import { StagedPair } from './pair.ts';
import { settlePart } from './part.ts';
import { segmentText } from './row-text.ts';
import { ScannedLines } from './scanned-lines.ts';

/** The data of an export in FILE.part. */
interface ExportTarget extends Assembly {
  close(): Promise<WrittenData>;
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
  readonly folder?: boolean | undefined;
  readonly overwrite?: boolean | undefined;
}

/**
 * Checks that the export and its manifest can be written. Call this function before the first request. If an earlier export to
 * the same file was killed during its switch, the function first ends this switch.
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
 * Writes a file and its manifest to FILE.part, then puts both in place.
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

/**
 * Returns a function that checks each record; undefined if the file can store every record. Sums can be checked only at the
 * end.
 */
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
  const dataSet = await dataSetOf(layout, partitionBy);
  return targetOf(await dataSet.open(pair.data));
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

export interface Assembly {
  /**
   * Appends the rows of a segment file. Add the segment files in the order in which their rows must appear in the final file.
   */
  add(path: string): Promise<void>;
  finish(about?: About): Promise<void>;
  discard?(): Promise<void>;
  /** Number of rows in the file. Exists only for summaries. */
  readonly groups?: () => number;
  /** Names of the sheets with rows, if the file is a workbook. */
  readonly sheets?: () => readonly string[];
}

export async function assemble(sink: ByteSink, layout: Layout): Promise<Assembly> {
  const { sums, format } = layout;
  if (sums) {
    const gathering = sums.begin();
    const file = await format.file.open(sink, layout);
    return {
      ...assembleRecords(file),
      add: (path) => addAll(gathering, readRecords(path)),
      async finish(about) {
        await addAll(file, gathering.rows());
        await file.finish(about);
      },
      groups: () => gathering.size,
    };
  }
  const text = segmentText(layout);
  if (!text) {
    const file = await format.file.open(sink, layout);
    return assembleColumns(file, layout) ?? assembleRecords(file);
  }
  let rows = false;
  // All segments share one buffer. Separate buffers for many segments would be freed late.
  const buffer = Buffer.allocUnsafe(COPIED);
  return {
    async add(path) {
      if (!rows) await sink.write(Buffer.from(text.head));
      const start = rows ? 0 : text.separatorLength;
      rows = true;
      await copyInto(sink, path, start, buffer);
    },
    finish: () => sink.write(Buffer.from(rows ? text.tail : text.empty)),
  };
}

function assembleRecords(file: RecordFile): Assembly {
  return {
    add: (path) => addAll(file, readRecords(path)),
    finish: (about) => file.finish(about),
    sheets: () => file.sheets?.() ?? [],
    discard: async () => file.discard?.(),
  };
}

/** Fills the columns of a file from the bytes of segments. Returns undefined if the file needs whole records. */
function assembleColumns(file: RecordFile, { columns, view }: Layout): Assembly | undefined {
  let block: Buffer = Buffer.alloc(0);
  let [start, end] = [0, 0];
  const filled = file.byColumn?.(() => parseJson(block.toString('utf8', start, end)) as JsonRecord);
  const writer = filled && columnWriter(columns, view, filled.columns);
  if (!writer) return undefined;
  const lines = new ScannedLines({
    wanted: writer.wanted,
    addScanned(page, row, from, to) {
      block = page;
      start = from;
      end = to;
      writer.write(page, row);
      return filled.endRows(1);
    },
    addRecord: (record) => file.add(record),
  });
  return { ...assembleRecords(file), add: (path) => lines.read(path) };
}

/** Copies a file from `start` to its end. A stream would allocate a new buffer for each chunk. */
async function copyInto(sink: ByteSink, path: string, start: number, buffer: Buffer): Promise<void> {
  const file = await open(path);
  try {
    for (let at = start; ; ) {
      const { bytesRead } = await file.read(buffer, 0, buffer.length, at);
      if (bytesRead === 0) return;
      at += bytesRead;
      await sink.write(buffer.subarray(0, bytesRead));
    }
  } finally {
    await file.close();
  }
}

/** Size of the copy buffer in bytes. */
const COPIED = 512 * 1024;
