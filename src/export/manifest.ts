import { access, realpath } from 'node:fs/promises';
import { resolve } from 'node:path';
import { messageOf, UnverifiedError, usageError } from '../core/errors.ts';
import { readRegularFile } from '../core/file.ts';
import { isRecord, type JsonRecord, tryJson } from '../core/json.ts';
import { isTimeZone } from '../core/time-zone.ts';
import { VERSION } from '../core/version.ts';
import type { DataSetFile } from '../formats/data-set/folder.ts';
import { EXPORT_FORMATS, type ExportFormat } from '../formats/registry.ts';
import { SEPARATORS, type Separator } from '../formats/separators.ts';
import type { Exported } from './engine.ts';
import type { Identity, Segment } from './resume-log.ts';
import { findStaged, partOf } from './staged.ts';

export function manifestOf(path: string): string {
  return `${path}.manifest.json`;
}

/** The manifest of an export, stored next to the exported file. Times are in ISO 8601. Ranges are in Unix milliseconds. */
export interface Manifest {
  readonly manifest: 1;
  readonly tool: string;
  readonly what: string;
  readonly verified: boolean;
  /** Explains the value of `verified`. */
  readonly statement: string;
  readonly rows: number;
  /** Name, size and hash of the file; absent for a data set. */
  readonly file?: { readonly name: string; readonly bytes: number; readonly sha256: string };
  readonly files?: readonly DataSetFile[];
  /** The service address, the workspace, the filters and the form of the file. */
  readonly request: Identity;
  readonly columns: readonly string[] | null;
  /** For each field without a column: the number of rows that have the field. */
  readonly fieldsLeftOut: Readonly<Record<string, number>>;
  /** Number of legs that the totals count, but the file does not contain. The number is absent if no totals were compared. */
  readonly neighbours?: number;
  readonly [more: string]: unknown;
}

/** A manifest without the fields that are the same for each export. */
export type ManifestContent = Omit<Manifest, 'manifest' | 'tool'>;

/** Returns the manifest fields that only ledgers have, such as the frozen range and the compared totals. */
export function exportEvidence({
  frozen,
  segments,
  verification,
  requests,
  retries,
  rereads,
  unchecked,
}: Exported) {
  return {
    guarantee: verification.claim.verified ? GUARANTEE : null,
    filtersNotChecked: unchecked,
    frozenRange: frozen.range ?? null,
    t0: { at: frozen.at, total: frozen.total ?? null },
    t1: { at: verification.at, total: verification.total ?? null },
    neighbours: new Set(segments.flatMap(({ beyond }) => beyond)).size,
    windows: segments.length,
    readsRepeated: rereads,
    requests,
    retries,
  };
}

/**
 * The exact meaning of `verified`. A total is the service's number of legs. The total stays the same if a leg is edited, or
 * replaced with another leg.
 */
const GUARANTEE = {
  holds:
    "According to the service's totals, each leg that matched the request is in the file exactly once. This does not apply to legs that changed between T0 and T1.",
  open: 'If a leg was edited, moved to another time or deleted between T0 and T1, the file may lack this leg or contain an earlier version of it. The file may therefore combine several states of the service.',
};

/** Returns the error for an unverified export. */
export function findUnverified(what: string, why = 'no reason known', manifest?: string): UnverifiedError {
  const more = manifest === undefined ? '' : ` For details, see the manifest: ${manifest}`;
  return new UnverifiedError('UNVERIFIED', `${what} is not verified: ${why}`, {
    hint: `If ledgers are being changed, for example by a sync, export again later. Otherwise, report this to the service.${more}`,
  });
}

/** Returns `fieldsLeftOut`, summed over all windows. */
export function leftOutOf(segments: readonly Segment[]): Record<string, number> {
  const sums = new Map<string, number>();
  for (const { leftOut } of segments) {
    for (const [name, rows] of Object.entries(leftOut)) sums.set(name, (sums.get(name) ?? 0) + rows);
  }
  return Object.fromEntries(sums);
}

/**
 * Returns the path whose manifest describes the file. An export through a symbolic link writes the manifest next to the target
 * of the link.
 */
export async function describedPath(path: string): Promise<string> {
  const target = await realpath(path).catch(() => path);
  return target === resolve(path) ? path : target;
}

/**
 * Reads the manifest of an exported file.
 *
 * @throws usage error: `NO_FILE` if the file is missing, `NO_MANIFEST` if its manifest is missing or unreadable, `NO_EXPORT` if
 *   both are missing, `BAD_MANIFEST` if the manifest is invalid
 */
export async function readManifest(given: string): Promise<Manifest> {
  const path = await describedPath(given);
  await checkPresence(path);
  const place = manifestOf(path);
  let text: string;
  try {
    text = (await readRegularFile(place)).toString();
  } catch (error) {
    throw usageError(`Cannot read the manifest ${place}: ${messageOf(error)}`, undefined, 'NO_MANIFEST');
  }
  const content = tryJson(text);
  if (isManifest(content)) return content;
  throw usageError(
    `This version (${VERSION}) cannot read the manifest ${place}`,
    'The manifest was edited, or another version of cryptodata wrote it. Export again with `exportLedgers()`.',
    'BAD_MANIFEST',
  );
}

async function checkPresence(path: string): Promise<void> {
  const [file, manifest] = await Promise.all([path, manifestOf(path)].map(exists));
  if (file && manifest) return;
  const [code, message] = file
    ? ['NO_MANIFEST', `${manifestOf(path)} does not exist`]
    : manifest
      ? ['NO_FILE', `${path} does not exist, but its manifest exists`]
      : ['NO_EXPORT', `Neither ${path} nor its manifest exists`];
  const hint =
    file || manifest
      ? 'Keep the file and its manifest in one folder, under their original names.'
      : 'Check the path.';
  throw usageError(message, (await stoppedSwitch(path)) ?? hint, code);
}

/**
 * If an export was stopped while it replaced the old files with the new files, returns a sentence with the places of the files.
 */
async function stoppedSwitch(path: string): Promise<string | undefined> {
  const part = partOf(path);
  const staged = await findStaged(part).catch(() => []);
  if (staged.length === 0) return undefined;
  return `An export to ${path} was stopped. Its files are in ${part}: ${staged.join(', ')}. The next export to ${path} completes or reverts the replacement.`;
}

export function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}

function isManifest(value: unknown): value is Manifest {
  if (!isRecord(value) || value['manifest'] !== 1 || !isRecord(value['request'])) return false;
  const { what, verified, statement, rows, columns, neighbours, file, files } = value;
  if (typeof what !== 'string' || typeof verified !== 'boolean' || typeof statement !== 'string')
    return false;
  const { timeZone } = formIn(value['request']);
  if (timeZone !== undefined && !isTimeZone(timeZone)) return false;
  if (!Number.isSafeInteger(neighbours ?? 0)) return false;
  if (!Number.isSafeInteger(rows) || !(columns === null || isTexts(columns))) return false;
  if (files === undefined) return isRecord(file) && typeof file['name'] === 'string' && isHashed(file);
  return Array.isArray(files) && files.every(isPart);
}

function isTexts(value: unknown): boolean {
  return Array.isArray(value) && value.every((text) => typeof text === 'string');
}

function isPart(value: unknown): boolean {
  if (!isRecord(value) || typeof value['path'] !== 'string') return false;
  return Number.isSafeInteger(value['rows']) && isHashed(value);
}

function isHashed({ bytes, sha256 }: JsonRecord): boolean {
  return Number.isSafeInteger(bytes) && typeof sha256 === 'string' && /^[0-9a-f]{64}$/.test(sha256);
}

export function formatOfManifest(manifest: Manifest): ExportFormat | undefined {
  return EXPORT_FORMATS.find((format) => formOfManifest(manifest)['format'] === format);
}

/** Returns the form of the file, according to the manifest: its format, columns, time zone and so on. */
export function formOfManifest({ request }: Pick<Manifest, 'request'>): JsonRecord {
  return formIn(request);
}

function formIn({ form }: JsonRecord): JsonRecord {
  return isRecord(form) ? form : {};
}

/** The CSV separator, if it is not a comma. */
export function separatorOfManifest(manifest: Pick<Manifest, 'request'>): Separator | undefined {
  return SEPARATORS.find((separator) => separator === formOfManifest(manifest)['separator']);
}

/**
 * Returns the expected number of rows in the file. This number may differ from the number of rows that the export read. The
 * file can contain sums, a journal, or only the rows that passed the tool's filter.
 */
export function rowsInFile({ rows, rowsWritten, groups, lines }: Manifest): number {
  return [lines, groups, rowsWritten].find((count) => typeof count === 'number') ?? rows;
}
