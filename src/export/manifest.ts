import { readFile } from 'node:fs/promises';
import { isRecord, parseJson, stringifyJson } from '../base/json.ts';
import { VERSION } from '../base/version.ts';
import type { Exported } from './engine.ts';
import type { Identity, Segment } from './journal.ts';
import { OutputFile, type Written } from './output-file.ts';

/** Where the manifest of a file stands. */
export function manifestOf(path: string): string {
  return `${path}.manifest.json`;
}

/** What an export says of itself, beside its file. Times in ISO 8601, ranges in Unix milliseconds. */
export interface Manifest {
  readonly manifest: 1;
  readonly tool: string;
  readonly what: string;
  readonly verified: boolean;
  /** What `verified` means, or why it is not. */
  readonly statement: string;
  readonly rows: number;
  readonly file: { readonly name: string; readonly bytes: number; readonly sha256: string };
  /** Address, workspace, filters and form: what was asked for. */
  readonly request: Identity;
  readonly columns: readonly string[] | null;
  /** Fields that came and have no column, and in how many rows. */
  readonly fieldsLeftOut: Readonly<Record<string, number>>;
  readonly [more: string]: unknown;
}

/** What an export of ledgers adds: its frozen range, and what it was held against. */
export function proofOf({ frozen, segments, proof, requests, retries, rereads }: Exported) {
  return {
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

export function statementOf({ frozen, proof }: Exported): string {
  const times = `T0 (${frozen.at}) and T1 (${proof.at})`;
  return proof.verified
    ? `verified against the service's totals at ${times}`
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

/** Writes it beside the file, whole or not at all. */
export async function writeManifest(
  { path }: Pick<Written, 'path'>,
  content: Omit<Manifest, 'manifest' | 'tool'>,
): Promise<string> {
  const manifest = { manifest: 1, tool: `cryptodata ${VERSION}`, ...content };
  const place = manifestOf(path);
  const file = await OutputFile.open(place);
  await file.write(`${stringifyJson(manifest, 2)}\n`);
  await file.finish();
  return place;
}

/** Undefined where there is none, or it is no manifest of ours. */
export async function readManifest(path: string): Promise<Manifest | undefined> {
  let content: unknown;
  try {
    content = parseJson(await readFile(manifestOf(path), 'utf8'));
  } catch {
    return undefined;
  }
  return isManifest(content) ? content : undefined;
}

function isManifest(value: unknown): value is Manifest {
  if (!isRecord(value) || value['manifest'] !== 1 || typeof value['rows'] !== 'number') return false;
  const file = value['file'];
  return isRecord(file) && typeof file['sha256'] === 'string' && isRecord(value['request']);
}
