import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { type CryptodataError, messageOf, systemCode, usageError } from '../core/errors.ts';
import { count, showText, someOf } from '../core/text.ts';
import { type DataSetFile, filesBelow, LISTING } from '../formats/data-set/folder.ts';
import type { ExportFormat } from '../formats/registry.ts';
import {
  type ComparableFormat,
  columnsIn,
  DamagedFileError,
  fileChunks,
  holdsField,
  isComparable,
  type ReadableFile,
  readableFile,
} from './compared-file.ts';
import { rowCounter } from './count-rows.ts';
import { formatOfManifest, type Manifest, rowsInFile } from './manifest.ts';

export interface FileCheck {
  readonly differences: readonly string[];
  readonly bytes: number;
  /** Number of rows in the file; undefined if the rows were not counted. */
  readonly rows: number | undefined;
  readonly uncounted?: string;
}

/**
 * Opens an exported file. Each read compares the file with its manifest, so the check covers exactly the bytes that were read.
 * If the file differs from the exported file, a read to the end throws `FILE_CHANGED`.
 */
export function checkedFile(
  path: string,
  format: ComparableFormat,
  manifest: Manifest,
  signal: AbortSignal,
): ReadableFile {
  return {
    ...readableFile(path, format, manifest),
    async *chunks() {
      const { differences } = compared(yield* tallyRows(path, format, signal), format, manifest);
      if (differences.length > 0) throw fileChanged(path, differences);
    },
  };
}

/**
 * Returns the columns of the file, or null if each row is a whole record.
 *
 * @throws DamagedFileError; CryptodataError `FILE_CHANGED` if the file lacks a column of the manifest
 */
export async function presentColumns(
  file: ReadableFile,
  { columns }: Manifest,
): Promise<readonly string[] | null> {
  if (columns === null) return null;
  const present = (await columnsIn(file)) ?? columns;
  const differences = columnDifferences(present, columns);
  if (differences.length > 0) throw fileChanged(file.path, differences);
  return present;
}

/** The error of every command that reads a file whose contents differ from the exported file. */
export function fileChanged(path: string, differences: readonly string[]): DamagedFileError {
  return new DamagedFileError(
    'FILE_CHANGED',
    `${showText(path)} does not match its manifest: ${someOf(differences.map(showText), { by: '; ' })}`,
    {
      hint: 'The file or its manifest was changed after the export. Saving the file in a spreadsheet program changes it, even without an edit. Use the original copy, or export again.',
    },
  );
}

/** @throws usage error if the file does not exist or cannot be read */
export async function checkFile(path: string, manifest: Manifest, signal: AbortSignal): Promise<FileCheck> {
  if (manifest.files) return checkDataSet(path, manifest.files, rowsInFile(manifest), signal);
  const format = formatOfManifest(manifest);
  const check = compared(await readThrough(path, format, signal), format, manifest);
  const { columns } = manifest;
  if (columns === null || !isComparable(format)) return check;
  try {
    const present = (await columnsIn(readableFile(path, format, manifest))) ?? columns;
    return { ...check, differences: [...check.differences, ...columnDifferences(present, columns)] };
  } catch (error) {
    // The differences found so far already show that the file is not the exported file.
    if (error instanceof DamagedFileError && check.differences.length > 0) return check;
    throw error;
  }
}

/** A column with a whole object matches the columns of its fields. Columns of fields match the column of their object. */
function columnDifferences(present: readonly string[], wanted: readonly string[]): readonly string[] {
  const missing = wanted.filter(
    (column) => !holdsField(present, column) && !present.some((one) => holdsField([column], one)),
  );
  if (missing.length === 0) return [];
  const noun = missing.length === 1 ? 'column' : 'columns';
  return [`it lacks the ${noun} ${missing.join(', ')} of the manifest`];
}

function compared(
  { bytes, sha256, rows }: Tally,
  format: ExportFormat | undefined,
  manifest: Manifest,
): FileCheck {
  const { file } = manifest;
  const differences: string[] = [];
  if (sha256 !== file?.sha256) {
    differences.push(
      bytes === file?.bytes
        ? 'it has the same size as the export, but different bytes'
        : `it has ${count(bytes)} bytes, but ${count(file?.bytes ?? 0)} were exported`,
    );
  }
  const wanted = rowsInFile(manifest);
  if (rows !== undefined && rows !== wanted) {
    differences.push(`it has ${count(rows)} rows, but the manifest lists ${count(wanted)}`);
  }
  if (rows !== undefined) return { differences, bytes, rows };
  const uncounted =
    format === 'csv' || format === 'json'
      ? `it is not a complete ${format.toUpperCase()} file`
      : `rows of ${format ?? 'this format'} are not counted; the hash covers them`;
  return { differences, bytes, rows, uncounted };
}

async function checkDataSet(
  path: string,
  files: readonly DataSetFile[],
  wanted: number,
  signal: AbortSignal,
): Promise<FileCheck> {
  const present = new Set(
    await filesBelow(path).catch((error: unknown) => {
      throw cannotRead(path, error);
    }),
  );
  present.delete(LISTING);
  const differences: string[] = [];
  let bytes = 0;
  for (const file of files) {
    if (!present.delete(file.path)) {
      differences.push(`${file.path} is missing`);
      continue;
    }
    const found = await readThrough(join(path, ...file.path.split('/')), undefined, signal);
    bytes += found.bytes;
    if (found.sha256 !== file.sha256) differences.push(`${file.path} differs from the export`);
  }
  for (const name of present) differences.push(`${name} is not part of the export`);
  const listed = files.reduce((sum, { rows }) => sum + rows, 0);
  if (listed !== wanted) {
    differences.push(`its files have ${count(listed)} rows, but the manifest lists ${count(wanted)}`);
  }
  return {
    ...{ differences, bytes, rows: undefined },
    uncounted: 'rows of a data set are not counted; the hashes of its files cover them',
  };
}

interface Tally {
  readonly bytes: number;
  readonly sha256: string;
  /** Number of rows; undefined if the rows of the format cannot be counted. */
  readonly rows: number | undefined;
}

async function readThrough(path: string, format: ExportFormat | undefined, signal: AbortSignal) {
  const reading = tallyRows(path, format, signal);
  let step = await reading.next();
  while (!step.done) step = await reading.next();
  return step.value;
}

/**
 * Yields the bytes of a file. Hashes the bytes and counts the rows at the same time, so that a large file is read only once.
 */
async function* tallyRows(
  path: string,
  format: ExportFormat | undefined,
  signal: AbortSignal,
): AsyncGenerator<Buffer, Tally> {
  const hash = createHash('sha256');
  const counter = rowCounter(format);
  let bytes = 0;
  try {
    for await (const chunk of fileChunks(path)) {
      signal.throwIfAborted();
      bytes += chunk.length;
      hash.update(chunk);
      counter?.take(chunk);
      yield chunk;
    }
  } catch (error) {
    signal.throwIfAborted();
    throw cannotRead(path, error);
  }
  return { bytes, sha256: hash.digest('hex'), rows: counter?.end() };
}

function cannotRead(path: string, error: unknown): CryptodataError {
  const code = systemCode(error);
  if (code === 'ENOENT') {
    return usageError(
      `${path} does not exist, but its manifest exists`,
      'Keep the file and its manifest in one folder, under their original names.',
      'NO_FILE',
    );
  }
  const why =
    code === 'EISDIR' ? 'it is a folder' : code === 'ENOTDIR' ? 'it is not a folder' : messageOf(error);
  return usageError(`Cannot read ${path}: ${why}`, undefined, 'CANNOT_READ');
}
