import type { List } from '../api/endpoint.ts';
import { type Note, type RowStep, warning } from '../cli/outcome.ts';
import type { Listing } from '../client/listing.ts';
import { type CryptodataError, unverifiedError } from '../core/errors.ts';
import type { JsonRecord } from '../core/json.ts';
import { count, plural, showText } from '../core/text.ts';
import { isPlainValue } from '../formats/columns.ts';
import { cellText } from '../formats/text.ts';
import type { ReadSummary, RowCheck } from '../read/pages.ts';

export interface Extent {
  /** Whether to read all pages. */
  readonly all: boolean;
  /** Maximum number of rows to show, from as many pages as needed. Without a limit, one page of the default size is shown. */
  readonly limit: number | undefined;
  readonly offset: number | undefined;
}

export interface ListParts extends Extent {
  readonly listing: Listing<unknown>;
  /** Checks the rows against the filters of the request. */
  readonly check: RowCheck;
  /** Selects the rows to show. The service may return rows that were not requested. */
  readonly sieve?: RowStep | undefined;
  /** Whether `sieve` probably drops most rows. If true, pages are read until `limit` rows pass the sieve. */
  readonly search?: boolean | undefined;
  /** Returns notes that explain an empty result. */
  readonly whyEmpty?: (() => Promise<readonly Note[]>) | undefined;
  /** Nouns of the rows, for notes. */
  readonly what: Pick<List, 'noun' | 'nouns'>;
}

/** The rows that a list contained, and the totals and hints in its responses. */
export interface ListEnd {
  /** Number of rows that the service sent. */
  readonly fetched: number;
  readonly shown: number;
  /** The latest total that the service reported. */
  readonly total: number | undefined;
  /** Whether further rows exist after the last page. */
  readonly hasMore: boolean;
  /** Whether the list was read only up to its limit. */
  readonly isCut: boolean;
  readonly summary: Readonly<ReadSummary>;
  /** Fields of the responses other than the rows, such as `totalValue`. */
  readonly extras: JsonRecord;
  readonly hint: string | undefined;
  /** Whether the first page does not show where the list starts. */
  readonly startsUnknown: boolean;
  /** Why the list is empty. */
  readonly reasons: readonly Note[];
}

/** Default maximum number of rows for a search, the same as the default page size of the service. */
const FOUND = 50;

/** A search shows a limited number of rows, because it may read many pages. */
export function limitOf({ all, limit, search }: ListParts): number | undefined {
  return limit ?? (search && !all ? FOUND : undefined);
}

/** Whether several pages may be read. */
export function isPaged(parts: ListParts): boolean {
  return parts.all || limitOf(parts) !== undefined;
}

/** Returns notes on the rows that are not shown, and on the totals in the response. */
export function listNotes(end: ListEnd, parts: ListParts): Note[] {
  const { startsUnknown, extras } = end;
  return [
    ...(parts.all ? [] : remainder(end, parts)),
    ...(startsUnknown ? startNote(parts.offset) : []),
    ...totalNotes(extras),
  ];
}

export function emptyNotes({ reasons, hint, shown }: ListEnd): Note[] {
  return [...reasons, ...(hint !== undefined && shown === 0 ? [{ text: showText(hint) }] : [])];
}

export function pastEnd(total: number | undefined, { noun, nouns }: ListParts['what']): Note {
  return { text: `The list ends before this page: it has ${plural(total ?? 0, noun, nouns)}.` };
}

function startNote(offset = 0): Note[] {
  if (offset === 0) return [];
  const text = `The service does not say where its list starts, so it may have ignored the offset ${offset}.`;
  return [warning(text)];
}

/** Returns an error if rows may be missing, because the list changed, ended early, or does not match its total. */
export function changedError({ summary, isCut }: ListEnd, parts: ListParts): CryptodataError | undefined {
  const { rows, duplicates, firstTotal, changedTotal, reordered, early } = summary;
  const { offset = 0, what } = parts;
  const end = offset + rows;
  if (duplicates > 0 || changedTotal !== undefined || reordered) {
    const seen =
      duplicates > 0
        ? `${plural(duplicates, 'duplicate was', 'duplicates were')} skipped`
        : changedTotal !== undefined
          ? `the total changed from ${count(firstTotal ?? 0)} to ${count(changedTotal)}`
          : 'rows changed position';
    return unverifiedError(
      `The ${what.nouns} changed while they were read: ${seen}. Rows may be missing`,
      "Run the command again. To verify the rows against the service's totals, export the rows.",
      'LIST_MOVED',
    );
  }
  if (early) return early;
  // With a limit, the whole list was read only if the list has fewer rows than the limit.
  if (!isPaged(parts) || isCut || firstTotal === undefined || end === firstTotal) return undefined;
  if (rows === 0 && offset >= firstTotal) return undefined;
  if (offset > 0 && rows === firstTotal) {
    return unverifiedError(
      `The service ignored the offset ${offset}: it returned all ${plural(rows, what.noun, what.nouns)}`,
      'Omit --offset.',
      'OFFSET_IGNORED',
    );
  }
  return unverifiedError(
    `The service reports a total of ${plural(firstTotal, what.noun, what.nouns)}, but its pages contain ${count(end)}`,
    'Report this to the service: its total or its pages are wrong.',
    'TOTAL_MISMATCH',
  );
}

function remainder(
  { fetched, shown, total, hasMore, isCut, summary: { rows, duplicates } }: ListEnd,
  { offset = 0, what, search, sieve }: ListParts,
): Note[] {
  const flagHint = '--all shows all of them.';
  const all = plural(shown, what.noun, what.nouns);
  if (search && isCut) return [{ text: `${all} shown, and there may be more.`, flagHint }];
  if (total !== undefined && offset + rows < total) {
    // The service's total may include rows that the sieve drops.
    const of = `${sieve ? 'at most ' : ''}${plural(total, what.noun, what.nouns)}`;
    return [{ text: `${count(shown)} of ${of} shown.`, flagHint }];
  }
  // A service that ignores the limit returns more rows than requested.
  return hasMore || rows + duplicates < fetched
    ? [{ text: `${all} shown, and there are more.`, flagHint }]
    : [];
}

/** The field that contains the currency of the totals in a response. Only responses of the legacy API have this field. */
const CURRENCY = /^base_?currency$/i;

/**
 * Returns the totals in a response under the names that the service uses, such as `totalValue`. Also returns their currency if
 * the service reports it.
 */
export function totalsIn(extras: JsonRecord): [name: string, value: unknown][] {
  return Object.entries(extras).filter(([name]) => /^total/i.test(name) || CURRENCY.test(name));
}

export function totalNotes(extras: JsonRecord): Note[] {
  const totals = totalsIn(extras).filter(([, value]) => value !== null && isPlainValue(value));
  const currency = currencyIn(totals);
  return [
    ...totals
      .filter(([name]) => !CURRENCY.test(name))
      .map(([name, value]) => {
        const shown = `${name}: ${cellText(value)}`;
        return { text: showText(isMoney(name) && currency !== '' ? `${shown} ${currency}` : shown) };
      }),
    ...currencyNotes(extras),
  ];
}

/** Lists the totals whose currency the service does not report. */
export function currencyNotes(extras: JsonRecord): Note[] {
  const totals = Object.entries(extras).filter(([, value]) => value !== null && isPlainValue(value));
  const names = totals.map(([name]) => name).filter((name) => isMoney(name) && !/usd/i.test(name));
  if (names.length === 0 || currencyIn(totals) !== '') return [];
  return [{ text: showText(`The service does not report the currency of ${names.join(', ')}.`) }];
}

function currencyIn(totals: readonly (readonly [name: string, value: unknown])[]): string {
  return cellText(totals.find(([name]) => CURRENCY.test(name))?.[1]);
}

function isMoney(name: string): boolean {
  return /value/i.test(name);
}

/** @param filters filters that could not be checked */
export function uncheckedNote(filters: readonly string[]): Note[] {
  if (filters.length === 0) return [];
  const names = showText(filters.join(', '));
  return [
    {
      text: `Filters not verified: ${names}. The tool cannot tell from the rows whether the service applied them.`,
    },
  ];
}
