import { rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { keyColumns, sumKeys } from '../books/sums.ts';
import type { Context } from '../context.ts';
import { makeTemporaryDirectory } from '../core/file.ts';
import { identityOf } from '../core/identity.ts';
import type { JsonRecord } from '../core/json.ts';
import { AccountNames } from '../export/account-names.ts';
import { type ComparedRow, type Comparison, compareRows, startComparison } from '../export/compare.ts';
import {
  columnsIn,
  comparedRows,
  DamagedFileError,
  holdsField,
  incomparable,
  isComparable,
  readableFile,
} from '../export/compared-file.ts';
import type { FileCheck } from '../export/file-check.ts';
import { fileColumns, layoutFor } from '../export/form.ts';
import { exportToFile, type LedgerExport } from '../export/ledger-export.ts';
import { formatOfManifest, formOfManifest, type Manifest, separatorOfManifest } from '../export/manifest.ts';
import type { FileOptions } from '../export/options.ts';
import { type Spooled, spoolRows } from '../export/spool.ts';
import { selectionInManifest, selectionToday } from '../export/verify.ts';
import { namesAll, type View, viewOf } from '../formats/columns.ts';
import { PARTITION_KEYS } from '../formats/data-set/hive.ts';
import { LEDGER_COLUMNS, ledgerColumns } from '../formats/ledger-columns.ts';
import { EXPORT_FORMATS, exportedFormat } from '../formats/registry.ts';
import { unguardCell } from '../formats/text.ts';
import { journalAgain } from './journal.ts';
import { paceOf } from './pace.ts';
import { RemovedLegs } from './removed-legs.ts';
import { summedBy } from './sums.ts';

/** The comparison of an old file with a new export of the same selection. */
export interface ComparedToday {
  /** Number of legs in the new export. */
  readonly legs: number;
  /** Why the new export is not verified; undefined if it is verified. */
  readonly unverified?: string | undefined;
  /** Whether the new export has the same bytes as the original export. If true, all differences are edits to the file. */
  readonly asExported: boolean;
  /** Whether the file contains sums instead of legs. */
  readonly isSum: boolean;
  /** Whether the file contains only selected columns, not whole records. */
  readonly hasColumns: boolean;
  readonly comparison: Comparison;
  /**
   * Why the contents could not be compared; undefined if they were compared. If the contents could not be compared,
   * `comparison` is empty.
   */
  readonly notCompared?: string | undefined;
  /** Columns that the export had but the file no longer has. These columns are not compared. */
  readonly removed?: readonly string[] | undefined;
  /** The legs that the new export does not contain. */
  readonly legsGone?: RemovedLegs | undefined;
  /** The differences; undefined if nothing was compared. */
  readonly changes?: Spooled | undefined;
  /** The display settings of the original export, so that times are shown as in the file. */
  readonly view: View;
}

/**
 * Repeats the export that the manifest describes, and compares the file with the new export. In every format, equal bytes mean
 * equal contents. If the bytes differ, the rows of CSV, JSON and JSON Lines files are compared.
 *
 * @throws CryptodataError if the service cannot be read
 */
export async function compareToday(
  context: Context,
  path: string,
  manifest: Manifest,
  file: FileCheck,
): Promise<ComparedToday> {
  const directory = await makeTemporaryDirectory('cryptodata-verify-');
  try {
    const target = join(directory, basename(path));
    const exported = await exportAgain(context, manifest, target);
    const { rowsWritten, claim } = exported;
    const unverified = claim.why;
    const comparison = startComparison();
    const asExported = isSame(manifest, exported);
    const isSum = keysOf(manifest) !== undefined;
    const result = {
      legs: rowsWritten,
      unverified,
      comparison,
      asExported,
      isSum,
      hasColumns: manifest.columns !== null,
      view: viewOfExport(manifest),
    };
    if (asExported && file.differences.length === 0) return result;
    const format = formatOfManifest(manifest);
    if (!isComparable(format) || manifest.files) {
      return { ...result, notCompared: notNamed(manifest, format, asExported) };
    }
    const why = incomparable(path, manifest);
    if (why !== undefined) return { ...result, notCompared: why };
    const keys = keysOf(manifest);
    const original = readableFile(path, format, manifest);
    const show = original.isGuarded && format === 'csv' ? plainCell : undefined;
    // The cells are compared with their guards, so that a guard that was removed from the file is found.
    const rowsOf = (one: string) =>
      comparedRows({ ...readableFile(one, format, manifest), isRaw: true }, keys);
    try {
      const present = await columnsIn(original);
      const removed = (present && manifest.columns?.filter((column) => !holdsField(present, column))) ?? [];
      const today = withoutFields(rowsOf(target), removed);
      const legsGone = new RemovedLegs(context);
      const compared = compareRows(rowsOf(path), today, comparison, { show });
      const changes = await spoolRows(isSum ? compared : legsGone.over(compared));
      return { ...result, changes, removed, legsGone };
    } catch (error) {
      if (error instanceof DamagedFileError) return { ...result, notCompared: error.message };
      throw error;
    }
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

async function* withoutFields(
  rows: AsyncIterable<ComparedRow>,
  removed: readonly string[],
): AsyncGenerator<ComparedRow> {
  for await (const row of rows) {
    if (removed.length === 0) yield row;
    else {
      const fields = [...row.fields].filter(([name]) => !holdsField(removed, name));
      yield { key: row.key, name: row.name, fields: new Map(fields) };
    }
  }
}

/**
 * Counts the given legs that the file does not contain. Equal numbers of legs are not enough, because as many legs may have
 * been added as removed. A file without ids cannot be searched.
 */
export async function countMissing(
  path: string,
  manifest: Manifest,
  legs: readonly JsonRecord[],
): Promise<number> {
  const format = formatOfManifest(manifest);
  const hasIds = keysOf(manifest) === undefined && (manifest.columns?.includes('id') ?? true);
  if (!isComparable(format) || manifest.files || !hasIds || legs.length === 0) return 0;
  // A CSV cell has no type: the ids 7 and "7" have the same text.
  const isText = format === 'csv';
  const missing = new Set(legs.map((leg) => (isText ? String(leg['id'] ?? '') : identityOf(leg))));
  try {
    for await (const { key } of comparedRows(readableFile(path, format, manifest))) {
      if (missing.delete(key) && missing.size === 0) break;
    }
  } catch (error) {
    if (error instanceof DamagedFileError) return 0;
    throw error;
  }
  return missing.size;
}

/** Repeats the export that a manifest describes, and writes the current ledgers to `target`. */
export async function exportAgain(context: Context, manifest: Manifest, target: string) {
  const request = await requestOf(context, manifest);
  return exportToFile(request, target, 'temporary');
}

type Hashed = Pick<Awaited<ReturnType<typeof exportToFile>>, 'sha256' | 'files'>;

function isSame({ file, files }: Manifest, today: Hashed): boolean {
  if (!files) return file !== undefined && file.sha256 === today.sha256;
  const hashes = (list: Hashed['files'] = []) =>
    list
      .map(({ path, sha256 }) => `${sha256} ${path}`)
      .sort()
      .join('\n');
  return hashes(files) === hashes(today.files);
}

function notNamed({ files }: Manifest, format: string | undefined, same: boolean): string {
  if (same) return 'a new export has the same bytes as the original export, so only the file was changed';
  const isJournal = EXPORT_FORMATS.some((name) => name === format && exportedFormat(name).file.journal);
  const what = isJournal ? 'a journal' : files ? 'a data set' : (format ?? 'this format').toUpperCase();
  return `a new export has different bytes, and ${what} cannot be compared leg by leg`;
}

function plainCell(value: unknown): unknown {
  return typeof value === 'string' ? unguardCell(value) : value;
}

export function viewOfExport(manifest: Manifest): View {
  const { timeZone } = formOfManifest(manifest);
  return viewOf(typeof timeZone === 'string' ? timeZone : undefined);
}

function textsIn(value: unknown): readonly string[] | undefined {
  return Array.isArray(value) && value.length > 0 ? value.map(String) : undefined;
}

/** Returns the keys that identify a sum, or undefined if the file does not contain sums. */
function keysOf(manifest: Manifest): readonly string[] | undefined {
  const by = textsIn(formOfManifest(manifest)['sumBy']);
  if (by === undefined) return undefined;
  return keyColumns(
    sumKeys(
      by,
      LEDGER_COLUMNS.csv.flatMap(({ key, derive }) => (derive ? [] : key)),
    ),
  );
}

async function requestOf(context: Context, manifest: Manifest): Promise<LedgerExport> {
  const form = formOfManifest(manifest);
  // Use the time zone of the old export instead of the local time zone.
  const then: Context = { ...context, view: async () => viewOfExport(manifest) };
  const format = formatOfManifest(manifest) ?? 'csv';
  const asked = textsIn(form['columns']) ?? [];
  // The default columns may have changed since the export. JSON has no default columns.
  const chosen = exportedFormat(format).columns === undefined ? asked : (manifest.columns ?? asked);
  const sumBy = textsIn(form['sumBy']);
  const accountNames = AccountNames.of(manifest);
  const sums = await summedBy(
    then,
    { sumBy, columns: chosen, fiscalYearStart: String(form['fiscalYearStart'] ?? '01-01') },
    accountNames.nameOf,
  );
  const options = { ...optionsOf(form), format, columns: chosen, separator: separatorOfManifest(manifest) };
  const columns = fileColumns(sums?.columns ?? ledgerColumns(accountNames.nameOf), chosen);
  const partitions = textsIn(form['partitionBy']);
  return {
    accountNames,
    client: await context.client(),
    selection: selectionToday(manifest),
    layout: {
      ...layoutFor(options, viewOfExport(manifest), columns),
      whole: !namesAll(asked),
      sums,
      ...(await journalAgain(context, format, { form, selection: selectionInManifest(manifest.request) })),
    },
    identity: manifest.request,
    partitionBy: partitions && PARTITION_KEYS.filter((key) => partitions.includes(key)),
    ...paceOf(context),
  };
}

function optionsOf(form: JsonRecord): FileOptions {
  return {
    csvGuard: form['csvGuard'] === 'off' ? 'off' : 'on',
    csvDialect: form['csvDialect'] === 'excel' ? 'excel' : 'plain',
    decimalComma: form['decimalComma'] === true ? true : undefined,
    parquetDecimals: form['parquetDecimals'] === 'string' ? 'string' : 'decimal',
    parquetNumbers: form['parquetNumbers'] === 'double' ? 'double' : 'string',
  };
}
