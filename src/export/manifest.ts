import { readFile } from 'node:fs/promises';
import { messageOf, systemCode, usageError } from '../core/errors.ts';
import { isRecord, type JsonRecord, parseJson, stringifyJson } from '../core/json.ts';
import { VERSION } from '../core/version.ts';
import type { DataSetFile } from '../formats/data-set/folder.ts';
import type { Exported } from './engine.ts';
import type { Identity, Segment } from './journal.ts';
import { OutputFile, type Written } from './output-file.ts';

/** The path of a file's manifest. */
export function manifestOf(path: string): string {
  return `${path}.manifest.json`;
}

/** The description of an export, next to its file. Times are ISO 8601, ranges are Unix milliseconds. */
export interface Manifest {
  readonly manifest: 1;
  readonly tool: string;
  readonly what: string;
  readonly verified: boolean;
  /** The meaning of `verified`, or why it is false. */
  readonly statement: string;
  readonly rows: number;
  /** Missing for a data set. */
  readonly file?: { readonly name: string; readonly bytes: number; readonly sha256: string };
  /** The files of a data set. */
  readonly files?: readonly DataSetFile[];
  /** Address, workspace, filters and form. */
  readonly request: Identity;
  readonly columns: readonly string[] | null;
  /** Fields without a column, and the number of rows that have them. */
  readonly fieldsLeftOut: Readonly<Record<string, number>>;
  readonly [more: string]: unknown;
}

/** Additional fields for ledgers: the frozen range and the totals that were compared. */
export function proofOf({ frozen, segments, proof, requests, retries, rereads, unchecked }: Exported) {
  return {
    guarantee: proof.verified ? GUARANTEE : null,
    filtersNotChecked: unchecked,
    frozenRange: frozen.range ?? null,
    t0: { at: frozen.at, total: frozen.total ?? null },
    t1: { at: proof.at, total: proof.total ?? null },
    neighbours: new Set(segments.flatMap(({ beyond }) => beyond)).size,
    windows: segments.length,
    readsRepeated: rereads,
    requests,
    retries,
  };
}

/** The exact meaning of `verified`: totals show neither an edit nor a leg that takes the place of another. */
const GUARANTEE = {
  holds:
    'By the totals of the service, each leg that matched the request from T0 to T1 without a change is in the file once.',
  open: 'A leg that was edited, moved in time or deleted between T0 and T1 may be missing, outdated or still present, so the file may equal no single state of the service.',
};

export function statementOf({ frozen, proof }: Exported): string {
  const times = `T0 (${frozen.at}) and T1 (${proof.at})`;
  return proof.verified
    ? `verified against the service's totals at ${times} (a leg that was edited, moved in time or deleted in between may be missing or outdated)`
    : `not verified: ${proof.why ?? 'no reason known'}`;
}

/** Fields without a column, summed over all windows. */
export function leftOutOf(segments: readonly Segment[]): Record<string, number> {
  const sums: Record<string, number> = {};
  for (const { leftOut } of segments) {
    for (const [name, rows] of Object.entries(leftOut)) sums[name] = (sums[name] ?? 0) + rows;
  }
  return sums;
}

/** Writes the manifest next to the file, atomically. */
export async function writeManifest(
  { path }: Pick<Written, 'path'>,
  content: Omit<Manifest, 'manifest' | 'tool'>,
  overwrite: boolean | undefined,
): Promise<string> {
  const manifest = { manifest: 1, tool: `cryptodata ${VERSION}`, ...content };
  const place = manifestOf(path);
  const file = await OutputFile.open(place, { overwrite });
  await file.write(`${stringifyJson(manifest, 2)}\n`);
  await file.finish();
  return place;
}

/** @throws usage error `NO_MANIFEST` if there is no manifest, `BAD_MANIFEST` if it is invalid */
export async function readManifest(path: string): Promise<Manifest> {
  const place = manifestOf(path);
  let text: string;
  try {
    text = await readFile(place, 'utf8');
  } catch (error) {
    const none = systemCode(error) === 'ENOENT' || systemCode(error) === 'ENOTDIR';
    throw usageError(
      none ? `There is no manifest ${place}` : `Cannot read the manifest ${place}: ${messageOf(error)}`,
      'An export writes it beside its file, under the name of the file and .manifest.json: keep the two together.',
      'NO_MANIFEST',
    );
  }
  const content = contentOf(text);
  if (isManifest(content)) return content;
  throw usageError(
    `${place} is no manifest that this version (${VERSION}) can read`,
    'It was changed, or written by another version. Export again: cryptodata ledgers export.',
    'BAD_MANIFEST',
  );
}

function contentOf(text: string): unknown {
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
}

function isManifest(value: unknown): value is Manifest {
  if (!isRecord(value) || value['manifest'] !== 1 || !isRecord(value['request'])) return false;
  const { what, verified, statement, rows, file, files } = value;
  if (typeof what !== 'string' || typeof verified !== 'boolean' || typeof statement !== 'string')
    return false;
  if (!Number.isSafeInteger(rows)) return false;
  if (files === undefined) return isRecord(file) && typeof file['name'] === 'string' && isHashed(file);
  return Array.isArray(files) && files.every(isPart);
}

function isPart(value: unknown): boolean {
  if (!isRecord(value) || typeof value['path'] !== 'string') return false;
  return Number.isSafeInteger(value['rows']) && isHashed(value);
}

function isHashed({ bytes, sha256 }: JsonRecord): boolean {
  return Number.isSafeInteger(bytes) && typeof sha256 === 'string' && /^[0-9a-f]{64}$/.test(sha256);
}
