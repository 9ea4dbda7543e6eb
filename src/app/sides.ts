import { join } from 'node:path';
import type { Context } from '../context.ts';
import { Batches } from '../core/batches.ts';
import { usageError } from '../core/errors.ts';
import { instantOf } from '../core/instant.ts';
import { isRecord, stringifyJson } from '../core/json.ts';
import { isWithin, type OpenSpan } from '../core/span.ts';
import { showText } from '../core/text.ts';
import { type ComparedRow, fieldValue } from '../export/compare.ts';
import {
  comparedRecords,
  comparedRows,
  fieldColumns,
  holdsField,
  incomparable,
  type ReadableFile,
  readableFile,
  withoutNames,
} from '../export/compared-file.ts';
import { type Manifest, readManifest } from '../export/manifest.ts';
import { selectionInManifest, selectionToday } from '../export/verify.ts';
import { cellText } from '../formats/text.ts';
import { claimsOf } from '../mirror/claims.ts';
import type { Mirror } from '../mirror/open.ts';
import { shownStatement } from './book-legs.ts';
import { exportAgain } from './compare-today.ts';
import { legFile } from './leg-file.ts';
import { checkSameBooks } from './same-books.ts';

/** One of the two sides of a comparison. */
export interface Side extends Pick<ReadableFile, 'format'> {
  /** The path of the file, the folder of the mirror, or `live`. */
  readonly name: string;
  /** Why the rows are not verified; undefined if they are verified. */
  readonly unverified: string | undefined;
  /** Why a difference may not be a change of the books; undefined if every difference is such a change. */
  readonly doubt?: string | undefined;
  /** `rows` is absent for a mirror. */
  readonly manifest: Pick<Manifest, 'request' | 'columns'> & Partial<Pick<Manifest, 'rows'>>;
  /** @param keys fields that identify a row (default: the id; the whole row if there is no id) */
  readonly rows: (keys?: readonly string[]) => AsyncIterable<ComparedRow>;
}

export interface ExportedSide extends Side {
  readonly manifest: Manifest;
}

/** @throws usage error if the file has no manifest, or does not contain legs in a readable format */
export async function openFile(context: Context, path: string): Promise<ExportedSide> {
  const name = showText(path);
  const { file, manifest } = await legFile(path, context.signal);
  if (file.format === 'csv' && manifest.columns?.includes('id') === false) {
    throw usageError(`${name} has no column id`, 'Export the ledgers again with ids.', 'MISSING_COLUMNS');
  }
  const why = incomparable(path, manifest);
  if (why !== undefined)
    throw usageError(why, 'Export the ledgers again without --columns.', 'MISSING_COLUMNS');
  const claim = manifest.verified ? undefined : `${name} was not verified: ${showText(manifest.statement)}`;
  return {
    ...{ name: path, format: file.format, manifest },
    unverified: claim,
    rows: (keys) => comparedRows(file, keys),
  };
}

/**
 * Repeats the old export with the same selection, and writes the result to a file in `directory`.
 *
 * @param instead sentence to append to the hint if the login is for another address or workspace
 * @throws usage error `ANOTHER_ADDRESS`, `ANOTHER_WORKSPACE` or `ANOTHER_PROFILE`
 */
export async function exportLive(
  context: Context,
  old: ExportedSide,
  directory: string,
  instead?: string,
): Promise<Side> {
  await checkSameBooks(context, old.manifest, instead);
  const path = join(directory, `live.${old.format}`);
  await exportAgain(context, old.manifest, path);
  const manifest = await readManifest(path);
  const unverified = manifest.verified
    ? undefined
    : `the service could not be read completely: ${showText(manifest.statement)}`;
  const { format } = old;
  const file = readableFile(path, format, manifest);
  return {
    ...{ name: 'live', format, manifest },
    unverified,
    rows: (keys) => comparedRows(file, keys),
  };
}

/**
 * Uses a mirror instead of the service as the newer side of the comparison.
 *
 * @param compared the period of the legs that the comparison depends on
 * @throws usage error `MIRROR_TOO_OLD` if the mirror is older than the export, because the newest legs may be missing
 */
export async function openMirrorSide(
  context: Context,
  old: ExportedSide,
  mirror: Mirror,
  compared: OpenSpan = selectionToday(old.manifest).span,
): Promise<Side> {
  const { directory: folder } = mirror;
  const { address, workspace } = mirror.manifest;
  const claims = claimsOf(mirror, {});
  if (isBefore(claims.readAt, exportedAt(old.manifest, 'readAt'))) {
    throw usageError(
      `The mirror ${showText(folder)} is older than the export ${showText(old.name)}`,
      `Update the mirror: ${mirror.update}`,
      'MIRROR_TOO_OLD',
    );
  }
  context.note(`${shownStatement(claims, (await context.view()).timeZone)}.`);
  const { contentsVerifiedAt } = claimsOf(mirror, compared);
  const isOlder = isBefore(contentsVerifiedAt, exportedAt(old.manifest, 'contentsVerifiedAt'));
  return {
    name: folder,
    format: 'jsonl',
    manifest: { request: { address, workspace, filters: {}, form: {} }, columns: null },
    unverified:
      claims.claim.why === undefined
        ? undefined
        : `${showText(folder)} is not verified: ${showText(claims.claim.why)}`,
    doubt: isOlder
      ? `${showText(folder)} contains fields that were read before the export. A difference may be a later edit that the mirror does not contain. To read every field: ${mirror.update} --full`
      : undefined,
    rows: (keys) => comparedRecords(withoutNames(mirror.legs()), keys),
  };
}

/**
 * Returns the time when the exported legs were read, or undefined if the manifest does not record this time.
 *
 * @param claim the time to use if the export was written from a mirror
 */
function exportedAt({ t0, mirror }: Manifest, claim: 'readAt' | 'contentsVerifiedAt'): unknown {
  return isRecord(mirror) ? mirror[claim] : isRecord(t0) ? t0['at'] : undefined;
}

/** Whether the first time is before the second one. False if a time is unknown. */
function isBefore(first: unknown, second: unknown): boolean {
  const [before, after] = [instantOf(first), instantOf(second)];
  return before !== undefined && after !== undefined && before < after;
}

/** The period of a comparison, and the fields that are not compared. */
export interface Ground {
  readonly span: OpenSpan;
  /** Returns the fields that exist on only one side. Call this function after reading the rows. */
  skipped(): readonly string[];
  rowsOf(side: Side): AsyncIterable<ComparedRow>;
}

/**
 * Finds the period and the fields that both sides have in common.
 *
 * @throws usage error if the sides have different filters, have no common period, or come from different services or workspaces
 */
export function commonGround(old: ExportedSide, now: Side): Ground {
  checkRequests(old, now);
  const [first, second] = [selectionToday(old.manifest).span, selectionInManifest(now.manifest.request).span];
  const span = common(first, second);
  const [before, after] = [columnsOf(old), columnsOf(now)];
  const known = new Map<string, boolean>();
  const isShared = (field: string) => {
    const shared = known.get(field) ?? (has(before, field) && has(after, field));
    known.set(field, shared);
    return shared;
  };
  /** Whether the other columns contain fields of the object in a column. */
  const isSplit = (field: string) =>
    [...(before ?? []), ...(after ?? [])].some((one) => one.startsWith(`${field}.`));
  const skipped = new Set(
    [...(before ?? []), ...(after ?? [])].filter((field) => !isShared(field) && !isSplit(field)),
  );
  const isMixed = old.format !== now.format && (old.format === 'csv' || now.format === 'csv');
  return {
    span,
    skipped: () => fieldColumns([...skipped]),
    rowsOf({ format, rows }) {
      const isWhole = before === undefined && after === undefined && format !== 'csv' && !isMixed;
      return Batches.map(rows(isMixed ? ['id'] : undefined), (row) => {
        const time = fieldValue(row, 'timestamp') ?? null;
        if (!isWithin(time === null ? undefined : Number(time), span)) return undefined;
        if (isWhole) return row;
        const shared = new Map<string, unknown>();
        for (const [name, value] of row.fields) {
          if (!isShared(name)) {
            // Do not report a field that is null, because the other side may have only columns for its subfields, such as
            // `asset.symbol`.
            if (value !== null) skipped.add(name);
            continue;
          }
          shared.set(name, isMixed && format !== 'csv' ? textCell(value) : value);
        }
        return { key: row.key, fields: shared };
      });
    },
  };
}

function checkRequests(old: Side, now: Side): void {
  for (const name of ['address', 'workspace'] as const) {
    const [from, to] = [old.manifest.request[name], now.manifest.request[name]];
    if (from === to || from == null || to == null) continue;
    throw usageError(
      `The exports are from different ${name === 'address' ? 'services' : 'workspaces'}: ${showText(String(from))} and ${showText(String(to))}`,
      'Compare two exports from the same service and workspace.',
      'OTHER_BOOKS',
    );
  }
  if (filtersOf(old) === filtersOf(now)) return;
  throw usageError(
    `The exports have different filters: ${filtersOf(old)} and ${filtersOf(now)}`,
    'Compare two exports with the same filters.',
    'OTHER_FILTERS',
  );
}

/** Converts the filters to text, so that they can be compared. The period is not included: see {@link common}. */
function filtersOf({ manifest: { request } }: Side): string {
  const given = isRecord(request['filters']) ? request['filters'] : {};
  const named = Object.entries(given).filter(([, value]) => value !== undefined && value !== null);
  const tool = request['filteredInTool'];
  const all = tool === undefined ? named : [...named, ['in the tool', tool] as const];
  return stringifyJson(Object.fromEntries([...all].sort(([left], [right]) => (left < right ? -1 : 1))));
}

function common(first: OpenSpan, second: OpenSpan): OpenSpan {
  const from = Math.max(first.from ?? Number.NEGATIVE_INFINITY, second.from ?? Number.NEGATIVE_INFINITY);
  const to = Math.min(first.to ?? Number.POSITIVE_INFINITY, second.to ?? Number.POSITIVE_INFINITY);
  if (from > to) {
    throw usageError(
      'The exports have no common period',
      'Compare two exports whose periods overlap.',
      'OTHER_PERIOD',
    );
  }
  return { ...(Number.isFinite(from) ? { from } : {}), ...(Number.isFinite(to) ? { to } : {}) };
}

/** Returns the columns that contain fields of legs, or undefined if the file contains all fields. */
function columnsOf({ manifest: { columns } }: Side): readonly string[] | undefined {
  return columns === null ? undefined : fieldColumns(columns);
}

function has(columns: readonly string[] | undefined, field: string): boolean {
  return columns === undefined || holdsField(columns, field);
}

/** Converts a value to the text of a CSV cell. An empty cell means null. */
function textCell(value: unknown): string | null {
  return cellText(value) || null;
}
