import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { join, sep } from 'node:path';
import type { Filters } from '../api/filters.ts';
import { ledgerFilters, type ToolFilter } from '../api/ledgers.ts';
import type { Client } from '../client/client.ts';
import { checkOf, isQueryValue } from '../client/filters.ts';
import type { LedgerFilters } from '../client/nouns.ts';
import { type CryptodataError, messageOf, systemCode, usageError } from '../core/errors.ts';
import { isRecord } from '../core/json.ts';
import type { OpenSpan, Span } from '../core/span.ts';
import { count } from '../core/text.ts';
import { type DataSetFile, LISTING } from '../formats/data-set/folder.ts';
import { EXPORT_FORMATS, type ExportFormat } from '../formats/registry.ts';
import { type LedgerSelection, LedgerSource } from '../read/ledger-source.ts';
import { Pace } from '../read/pace.ts';
import { rowCounter } from './count-rows.ts';
import type { Identity } from './journal.ts';
import type { Manifest } from './manifest.ts';

/** A file, or the folder of a data set, held against its manifest. */
export interface FileCheck {
  /** What is not as the manifest says, in words; empty where all is. */
  readonly differences: readonly string[];
  readonly bytes: number;
  /** Rows that the file has; undefined where they were not or could not be counted. */
  readonly rows: number | undefined;
  /** Why they were not counted. */
  readonly uncounted?: string;
}

/** The form that a manifest says. */
export function formatOfManifest({ request }: Manifest): ExportFormat | undefined {
  const form = request['form'];
  return EXPORT_FORMATS.find((format) => isRecord(form) && form['format'] === format);
}

/** Rows that the file must have: sums, or the rows that passed the tool's filter, are fewer than were read. */
export function rowsInFile({ rows, rowsWritten, groups }: Manifest): number {
  return [groups, rowsWritten].find((count) => typeof count === 'number') ?? rows;
}

/** @throws usage error where the file is not there, or cannot be read */
export async function checkFile(path: string, manifest: Manifest, signal: AbortSignal): Promise<FileCheck> {
  const { file, files } = manifest;
  if (files) return checkDataSet(path, files, rowsInFile(manifest), signal);
  const format = formatOfManifest(manifest);
  const { bytes, sha256, rows } = await readThrough(path, format, signal);
  const differences: string[] = [];
  if (sha256 !== file?.sha256) {
    differences.push(
      bytes === file?.bytes
        ? 'it has other bytes than were exported, as many of them'
        : `it has ${count(bytes)} bytes, and ${count(file?.bytes ?? 0)} were exported`,
    );
  }
  const wanted = rowsInFile(manifest);
  if (rows !== undefined && rows !== wanted) {
    differences.push(`it has ${count(rows)} rows, and the manifest says ${count(wanted)}`);
  }
  if (rows !== undefined) return { differences, bytes, rows };
  const uncounted =
    format === 'csv' || format === 'json'
      ? `it is no whole ${format.toUpperCase()} file`
      : `rows of ${format ?? 'this format'} are not counted: the hash stands for them`;
  return { differences, bytes, rows, uncounted };
}

async function checkDataSet(
  path: string,
  files: readonly DataSetFile[],
  wanted: number,
  signal: AbortSignal,
): Promise<FileCheck> {
  const present = new Set(await filesBelow(path));
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
    if (found.sha256 !== file.sha256) differences.push(`${file.path} has other bytes than were exported`);
  }
  for (const name of present) differences.push(`${name} is no part of what was exported`);
  const listed = files.reduce((sum, { rows }) => sum + rows, 0);
  if (listed !== wanted) {
    differences.push(`its files have ${count(listed)} rows, and the manifest says ${count(wanted)}`);
  }
  return {
    ...{ differences, bytes, rows: undefined },
    uncounted: 'rows of a data set are not counted: the hashes of its files stand for them',
  };
}

async function filesBelow(path: string): Promise<string[]> {
  try {
    const found = await readdir(path, { recursive: true, withFileTypes: true });
    return found
      .filter((entry) => !entry.isDirectory())
      .map((entry) => join(entry.parentPath, entry.name).slice(join(path, sep).length).replaceAll(sep, '/'));
  } catch (error) {
    throw cannotRead(path, error);
  }
}

/** One pass over the bytes: they may be many. */
async function readThrough(path: string, format: ExportFormat | undefined, signal: AbortSignal) {
  const hash = createHash('sha256');
  const counter = rowCounter(format);
  let bytes = 0;
  try {
    if ((await stat(path)).isDirectory()) throw Object.assign(new Error('is a folder'), { code: 'EISDIR' });
    for await (const chunk of createReadStream(path, { highWaterMark: 1 << 20, signal })) {
      bytes += chunk.length;
      hash.update(chunk);
      const taken = counter?.take(chunk);
      if (taken) await taken;
    }
  } catch (error) {
    signal.throwIfAborted();
    throw cannotRead(path, error);
  }
  return { bytes, sha256: hash.digest('hex'), rows: await counter?.end() };
}

function cannotRead(path: string, error: unknown): CryptodataError {
  const code = systemCode(error);
  if (code === 'ENOENT') {
    return usageError(
      `There is a manifest, but no ${path} beside it`,
      'Put the file and its manifest into one folder, under the names that they had.',
      'NO_FILE',
    );
  }
  const why =
    code === 'EISDIR' ? 'it is a folder' : code === 'ENOTDIR' ? 'it is no folder' : messageOf(error);
  return usageError(`Cannot read ${path}: ${why}`, undefined, 'CANNOT_READ');
}

/** What the service says today of what was exported. */
export interface TotalToday {
  /** Of the frozen range, as it was asked for at T1. */
  readonly total: number | undefined;
  /**
   * Ledgers of the period that was asked for, before the first that was exported or after the last; undefined where no
   * period was asked for.
   */
  readonly outside: number | undefined;
}

/** @throws usage error `BAD_MANIFEST` */
export async function totalToday(
  client: Client,
  manifest: Manifest,
  signal: AbortSignal,
): Promise<TotalToday> {
  const selection = selectionOf(manifest.request);
  const range = spanIn(manifest['frozenRange']);
  const pace = new Pace({ most: 4, signal });
  const source = new LedgerSource({ client, selection, pace, signal, patience: 0, backoff: 0 });
  const around = range ? outsideOf(range, selection.span) : [];
  const [total, ...others] = await Promise.all([range, ...around].map((span) => source.total(span)));
  const { from, to } = selection.span;
  if (from === undefined && to === undefined) return { total, outside: undefined };
  return { total, outside: others.reduce<number>((sum, other) => sum + (other ?? 0), 0) };
}

/**
 * What of a period that was asked for lies outside the range that was frozen, where nothing was at T0. Less a millisecond
 * on both sides: whether the service's bounds are inclusive is not shown, and a row of the range must not count.
 */
function outsideOf(range: Span, { from, to }: OpenSpan): Span[] {
  const before = from === undefined ? [] : [{ from: from + 1, to: range.from - 2 }];
  const after = to === undefined ? [] : [{ from: range.to + 2, to: to - 1 }];
  return [...before, ...after].filter((span) => span.from <= span.to);
}

/** The selection that an export was of, out of its manifest. */
export function selectionOf(request: Identity): LedgerSelection {
  const given = request['filters'];
  const { startTime, endTime, ...others } = isRecord(given) ? { ...given } : {};
  const filters: Record<string, unknown> = {};
  const extra: Record<string, string> = {};
  for (const [name, value] of Object.entries(others)) {
    if (isFilterValue(name, value)) filters[name] = value;
    else if (typeof value === 'string') extra[name] = value;
    else throw badManifest(`its filter ${JSON.stringify(name)} cannot be asked for`);
  }
  // Each value is of the kind that its filter declares.
  const named = filters as LedgerFilters;
  const sent = { startTime: timeIn(startTime), endTime: timeIn(endTime) };
  const tool = toolFilterIn(request['filteredInTool']);
  return { filters: { ...named, extra }, span: openSpanIn(request['span']), sent, tool };
}

/** What a new export must read to be compared with an old one: what arrived after an open end is no part of it. */
export function selectionToday(manifest: Manifest): LedgerSelection {
  const selection = selectionOf(manifest.request);
  const { span, sent } = selection;
  const range = spanIn(manifest['frozenRange']);
  const to = span.to ?? (sent.endTime === undefined ? range?.to : undefined);
  return { ...selection, span: { ...span, ...(to === undefined ? {} : { to }) } };
}

/** Whether it is the value of a declared filter; a list that is a text came by `-q`. */
function isFilterValue(name: string, value: unknown): boolean {
  const declared: Filters = ledgerFilters;
  const filter = Object.hasOwn(declared, name) ? declared[name] : undefined;
  if (!filter || Array.isArray(value) !== (filter.kind === 'list')) return false;
  return isQueryValue(value) && checkOf(filter)(value) === undefined;
}

function toolFilterIn(value: unknown): ToolFilter | undefined {
  if (value === undefined) return undefined;
  const { walletIds, assets } = isRecord(value) ? value : {};
  if (walletIds === undefined && assets === undefined) throw badManifest('its filter in the tool is empty');
  return {
    walletIds: walletIds === undefined ? undefined : textsIn(walletIds),
    assets: isRecord(assets)
      ? { ids: textsIn(assets['ids']), symbols: textsIn(assets['symbols']) }
      : undefined,
  };
}

function textsIn(value: unknown): readonly string[] {
  if (Array.isArray(value) && value.every((item) => typeof item === 'string')) return value;
  throw badManifest('its filter in the tool is not a list of texts');
}

function timeIn(value: unknown): number | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value === 'number' && Number.isSafeInteger(value)) return value;
  throw badManifest('it has a time that is no whole number of milliseconds');
}

function openSpanIn(value: unknown): OpenSpan {
  const { from: first, to: last } = isRecord(value) ? value : {};
  const [from, to] = [timeIn(first), timeIn(last)];
  return { ...(from === undefined ? {} : { from }), ...(to === undefined ? {} : { to }) };
}

function spanIn(value: unknown): Span | undefined {
  const { from, to } = openSpanIn(value);
  if (from === undefined && to === undefined) return undefined;
  if (from !== undefined && to !== undefined && from <= to) return { from, to };
  throw badManifest('its frozen range has no beginning, no end, or its end before its beginning');
}

/** What a manifest says about the total that its rows were held against. */
export interface Held {
  /** The service's total at T1; undefined where it gave none, or where there is none for this kind of export. */
  readonly total: number | undefined;
  /** Where the manifest contradicts itself: in words. */
  readonly contradiction?: string;
}

/** @returns undefined where the rows were held against no total of a range */
export function heldAgainst(manifest: Manifest): Held | undefined {
  const { t1, rows, verified, neighbours } = manifest;
  if (manifest.what !== 'ledgers' || !isRecord(t1)) return undefined;
  const total = typeof t1['total'] === 'number' ? t1['total'] : undefined;
  const held = rows + (typeof neighbours === 'number' ? neighbours : 0);
  if (!verified || total === held) return { total };
  const contradiction = `it says verified, and that the service gave a total of ${total === undefined ? 'nothing' : count(total)} for ${count(held)} rows`;
  return { total, contradiction };
}

export function badManifest(why: string): CryptodataError {
  return usageError(
    `The manifest cannot be used: ${why}`,
    'Export again: cryptodata ledgers export.',
    'BAD_MANIFEST',
  );
}
