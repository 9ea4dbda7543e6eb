import type { Filters } from '../api/filters.ts';
import { ledgerFilters, passes, type ToolFilter, timeOf } from '../api/ledgers.ts';
import type { ServiceClient } from '../client/client.ts';
import { isQueryValue, valueCheckOf } from '../client/filters.ts';
import type { LedgerFilters } from '../client/nouns.ts';
import { type CryptodataError, usageError } from '../core/errors.ts';
import { isRecord, type JsonRecord } from '../core/json.ts';
import { isWithin, type OpenSpan, type Span } from '../core/span.ts';
import { count } from '../core/text.ts';
import { type LedgerSelection, LedgerSource } from '../read/ledger-source.ts';
import { Pace } from '../read/pace.ts';
import type { Manifest } from './manifest.ts';
import type { Identity } from './resume-log.ts';

export interface TotalToday {
  /** Current total for the frozen range, requested in the same way as the last total of the export (T1). */
  readonly total: number | undefined;
  /**
   * Number of ledgers in the requested period that lie outside the frozen range, because the period was not over at T0.
   * Undefined if no period was requested.
   */
  readonly outside: number | undefined;
  /** Legs in the exported range, most recently created first. */
  readonly newest: readonly JsonRecord[];
}

/** @throws usage error `BAD_MANIFEST` */
export async function totalToday(
  client: ServiceClient,
  manifest: Manifest,
  signal: AbortSignal,
): Promise<TotalToday> {
  const selection = selectionInManifest(manifest.request);
  const range = spanIn(manifest['frozenRange']);
  const pace = new Pace({ most: 4, signal });
  const source = new LedgerSource({ client, selection, pace, signal, patience: 0, backoff: 0 });
  const around = range ? outsideOf(range, selection.span) : [];
  const [[total, ...others], newest] = await Promise.all([
    Promise.all([range, ...around].map((span) => source.total(span))),
    newestLegs(source, range, selection),
  ]);
  const { from, to } = selection.span;
  const isOpen = from === undefined && to === undefined && around.length === 0;
  const outside = isOpen ? undefined : others.reduce<number>((sum, other) => sum + (other ?? 0), 0);
  return { total, outside, newest };
}

async function newestLegs(
  source: LedgerSource,
  range: Span | undefined,
  { span, tool }: LedgerSelection,
): Promise<readonly JsonRecord[]> {
  for await (const { rows } of source.newest(range)) {
    return rows
      .filter(isRecord)
      .filter((row) => isWithin(timeOf(row), range ?? span) && (tool === undefined || passes(row, tool)));
  }
  return [];
}

/**
 * Returns the parts of the requested period before and after the frozen range. Both parts were empty when the range was frozen
 * (T0). A request for a total extends its span by one millisecond at each end. Each part is therefore shortened by one
 * millisecond at each end, so that rows in the frozen range are not counted.
 */
function outsideOf(range: Span, { from = Number.NEGATIVE_INFINITY, to }: OpenSpan): Span[] {
  const before = { from: from + 1, to: range.from - 2 };
  const after = to === undefined ? [] : [{ from: range.to + 2, to: to - 1 }];
  return [before, ...after].filter((span) => span.from <= span.to && Number.isFinite(span.to));
}

/** Returns the selection of an export, according to the `request` in its manifest. */
export function selectionInManifest(request: Identity): LedgerSelection {
  const given = request['filters'];
  const { startTime, endTime, ...others } = isRecord(given) ? { ...given } : {};
  const filters: Record<string, unknown> = {};
  const extra: Record<string, string> = {};
  for (const [name, value] of Object.entries(others)) {
    if (isFilterValue(name, value)) filters[name] = value;
    else if (typeof value === 'string') extra[name] = value;
    else throw badManifest(`the filter ${JSON.stringify(name)} is invalid`);
  }
  // The loop above has checked that each value has the type of its filter.
  const named = filters as LedgerFilters;
  const sent = { startTime: timeIn(startTime), endTime: timeIn(endTime) };
  const tool = toolFilterIn(request['filteredInTool']);
  return { filters: { ...named, extra }, span: openSpanIn(request['span']), sent, tool };
}

/**
 * Selects the ledgers that must be read again for a comparison with the exported file. If the period has no end, ledgers after
 * the frozen range are excluded.
 */
export function selectionToday(manifest: Manifest): LedgerSelection {
  const selection = selectionInManifest(manifest.request);
  const { span, sent } = selection;
  const range = spanIn(manifest['frozenRange']);
  const to = span.to ?? (sent.endTime === undefined ? range?.to : undefined);
  return { ...selection, span: { ...span, ...(to === undefined ? {} : { to }) } };
}

/** Whether the value is valid for a declared filter. A list that was passed with `-q` is a string, so it is not valid. */
function isFilterValue(name: string, value: unknown): boolean {
  const declared: Filters = ledgerFilters;
  const filter = Object.hasOwn(declared, name) ? declared[name] : undefined;
  if (!filter || Array.isArray(value) !== (filter.kind === 'list')) return false;
  return isQueryValue(value) && valueCheckOf(filter)(value) === undefined;
}

function toolFilterIn(value: unknown): ToolFilter | undefined {
  if (value === undefined) return undefined;
  const { walletIds, assets } = isRecord(value) ? value : {};
  if (walletIds === undefined && assets === undefined) throw badManifest('"filteredInTool" is empty');
  return {
    walletIds: walletIds === undefined ? undefined : textsIn(walletIds),
    assets: isRecord(assets)
      ? { ids: textsIn(assets['ids']), symbols: textsIn(assets['symbols']) }
      : undefined,
  };
}

function textsIn(value: unknown): readonly string[] {
  if (Array.isArray(value) && value.every((item) => typeof item === 'string')) return value;
  throw badManifest('"filteredInTool" contains a value that is not a list of strings');
}

function timeIn(value: unknown): number | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value === 'number' && Number.isSafeInteger(value)) return value;
  throw badManifest('a time is not a whole number of milliseconds');
}

/** @throws usage error `BAD_MANIFEST` */
export function openSpanIn(value: unknown): OpenSpan {
  const { from: first, to: last } = isRecord(value) ? value : {};
  const [from, to] = [timeIn(first), timeIn(last)];
  return { ...(from === undefined ? {} : { from }), ...(to === undefined ? {} : { to }) };
}

function spanIn(value: unknown): Span | undefined {
  // JSON has no infinity. If the range has no start, `from` is null.
  const { from = Number.NEGATIVE_INFINITY, to } = openSpanIn(value);
  if (!isRecord(value)) return undefined;
  if (to !== undefined && from <= to) return { from, to };
  throw badManifest('its "frozenRange" is invalid');
}

/** The service's total, as recorded in a manifest. The export compared its rows with this total. */
export interface Held {
  /** The last total that the service returned during the export (T1); undefined if the manifest does not contain it. */
  readonly total: number | undefined;
  /** Describes a contradiction between the total and the number of rows. */
  readonly contradiction?: string;
}

/** @returns undefined if the export did not compare its rows with a total */
export function compareWithToday(manifest: Manifest): Held | undefined {
  const { t1, rows, verified, neighbours } = manifest;
  if (manifest.what !== 'ledgers' || !isRecord(t1)) return undefined;
  const total = typeof t1['total'] === 'number' ? t1['total'] : undefined;
  const held = rows + (typeof neighbours === 'number' ? neighbours : 0);
  if (!verified || total === held) return { total };
  const contradiction = `the export is marked as verified and has ${count(held)} rows, but its total is ${total === undefined ? 'missing' : count(total)}`;
  return { total, contradiction };
}

function badManifest(why: string): CryptodataError {
  return usageError(
    `The manifest cannot be used: ${why}`,
    'Export again: cryptodata ledgers export.',
    'BAD_MANIFEST',
  );
}
