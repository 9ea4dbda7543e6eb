import type { Filter } from '../../api/filters.ts';
import { type LedgerFilterValues, ledgerFilters, symbolOf, type ToolFilter } from '../../api/ledgers.ts';
import { flagName } from '../../cli/flags.ts';
import type { Note } from '../../cli/outcome.ts';
import type { Client } from '../../client/client.ts';
import type { LedgerFilters } from '../../client/nouns.ts';
import type { Context } from '../../context.ts';
import { usageError } from '../../core/errors.ts';
import type { JsonRecord } from '../../core/json.ts';
import { type Named, nearMatches, showNamed } from '../../core/nearest.ts';
import { count, showText } from '../../core/text.ts';
import { Accounts } from '../accounts.ts';
import { servedRange } from '../leg-range.ts';
import { catalogueOf } from '../providers/catalogue.ts';
import { newestLegs } from './seen.ts';

/** Maximum number of values to check. Each check is one request, so a long list from a file would cause many requests. */
const MOST_CHECKED = 100;
const AT_ONCE = 8;

/** The number of legs that match one value of a filter. Other filters and the period are ignored. */
export interface ValueCount {
  readonly flag: string;
  readonly value: string;
  /** Undefined if the service reports no total. */
  readonly legs: number | undefined;
}

/**
 * Checks that each id in the filters exists. A typo would make the result empty or incomplete.
 *
 * @throws usage error `UNKNOWN_VALUE`
 */
export async function checkValues(
  context: Context,
  filters: LedgerFilterValues,
): Promise<readonly ValueCount[]> {
  // --curl must print only the list request.
  if (context.curl) return [];
  const given = givenValues(filters).slice(0, MOST_CHECKED);
  const counts: ValueCount[] = [];
  for (let at = 0; at < given.length; at += AT_ONCE) {
    counts.push(...(await Promise.all(given.slice(at, at + AT_ONCE).map((one) => countLegs(context, one)))));
  }
  return counts;
}

interface GivenValue {
  readonly name: string;
  readonly filter: Filter<readonly string[]>;
  readonly value: string;
}

/** Returns the values of filters that accept ids. Filters with fixed choices were checked when the flags were parsed. */
function givenValues(filters: LedgerFilterValues): GivenValue[] {
  const values: Readonly<Record<string, unknown>> = filters;
  return Object.entries(ledgerFilters).flatMap(([name, filter]) => {
    const list = values[name];
    if (filter.kind !== 'list' || filter.choices || !Array.isArray(list)) return [];
    return [...new Set(list)].map((value) => ({ name, filter: filter as GivenValue['filter'], value }));
  });
}

async function countLegs(context: Context, { name, filter, value }: GivenValue): Promise<ValueCount> {
  const client = await context.client();
  const query: LedgerFilters = { [name]: [value], limit: 1 };
  const { rows, total } = await client.ledgers.list(query, { signal: context.signal }).asServed().page();
  const flag = flagName(name);
  if (rows.length === 0) await refuseUnknown(context, client, flag, filter, value);
  return { flag, value, legs: total };
}

async function refuseUnknown(
  context: Context,
  client: Client,
  flag: string,
  filter: Filter<readonly string[]>,
  value: string,
): Promise<void> {
  // Legs have no provider field, so known providers come from the accounts and the catalogue.
  const { decides } = filter;
  const { legs, partial } = decides ? await newestLegs(client, context.signal) : { legs: [], partial: '' };
  const candidates = decides ? valuesIn(legs, decides) : await providersOf(context, client);
  // If a known provider has no legs, the result is empty. This is not a typo.
  if (candidates.some((candidate) => candidate.value === value)) return;
  const near = nearMatches(value, candidates).map(showNamed).join(' or ');
  const hint = [near === '' ? '' : `Did you mean ${near}?`, partial.trim()]
    .filter((text) => text !== '')
    .join(' ');
  throw usageError(`No leg matches ${flag} ${showText(value)}`, hint || undefined, 'UNKNOWN_VALUE');
}

/** Collects the texts in these legs that are matching values of the filter. */
function valuesIn(
  legs: readonly JsonRecord[],
  decides: (record: JsonRecord, value: readonly string[]) => boolean | undefined,
): Named[] {
  const found = new Map<string, Named>();
  for (const leg of legs) {
    for (const value of Object.values(leg)) {
      if (typeof value !== 'string' || found.has(value) || decides(leg, [value]) !== true) continue;
      found.set(value, { value, names: value === leg['assetId'] ? [symbolOf(leg)] : [] });
    }
  }
  return [...found.values()];
}

async function providersOf(context: Context, client: Client): Promise<Named[]> {
  const { all } = await Accounts.read(context);
  const found: Named[] = all.map(({ provider: [value = '', ...names] }) => ({ value, names }));
  found.push(...(await catalogueOf(client, context.signal)));
  return [...new Map(found.map((provider) => [provider.value, provider])).values()];
}

/** Explains why the result of a query is empty even though each filter value exists. */
export async function emptyNotes(
  context: Context,
  { startTime, endTime, ...filters }: LedgerFilters,
  { counts, tool }: { readonly counts: readonly ValueCount[]; readonly tool: ToolFilter | undefined },
): Promise<Note[]> {
  if (startTime !== undefined || endTime !== undefined) {
    const { total, range } = await servedRange(await context.client(), filters);
    const { timeZone } = await context.view();
    if (tool && total > 0) {
      return [{ text: range.sentence('The legs of all wallets and assets are', timeZone).trim() }];
    }
    const where = range.sentence(total === 1 ? 'It is' : 'They are', timeZone);
    if (total === 1) return [{ text: `The only matching leg is not in this period.${where}` }];
    if (total > 1) return [{ text: `None of the ${count(total)} matching legs is in this period.${where}` }];
  }
  if (tool) return [];
  if (counts.length === 0) return [];
  const each = counts.map(
    ({ flag, value, legs }) => `${legs === undefined ? 'some' : count(legs)} for ${flag} ${showText(value)}`,
  );
  return [
    {
      text: `No leg matches all filters. Number of legs that each filter matches on its own: ${each.join(', ')}.`,
    },
  ];
}
