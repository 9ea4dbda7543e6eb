import type { List, Single } from '../api/endpoint.ts';
import { type Filter, readFilters } from '../api/filters.ts';
import type { ListQuery } from '../client/filters.ts';
import { isEarlyEnd, type WalkedPage } from '../client/paging.ts';
import { UnverifiedError } from '../core/errors.ts';
import { identityOf } from '../core/identity.ts';
import { isRecord, type JsonRecord } from '../core/json.ts';
import { count, showText } from '../core/text.ts';

export interface ReadSummary {
  /** Number of rows, counting each id once. */
  rows: number;
  /** Number of rows skipped because an earlier row had the same id. */
  duplicates: number;
  firstTotal: number | undefined;
  /** A total that is not a whole number, as the service sent it. */
  oddTotal: string | undefined;
  /** The first total that differs from `firstTotal`. */
  changedTotal: number | undefined;
  /** Whether rows changed position during the read. */
  reordered: boolean;
  /** Whether some pages did not overlap. A row that changed its position then goes unnoticed. */
  unjoined: boolean;
  /** Whether the rows were not in the requested order. */
  unsorted: boolean;
  /** How a second read of the list differs: `returned other values of "fee"`; undefined if there is no difference. */
  differs: string | undefined;
  /** The error of a list that ended although the service reported more rows. */
  early: UnverifiedError | undefined;
}

export type OnProgress = (summary: Readonly<ReadSummary>) => void;

export function newSummary(): ReadSummary {
  return {
    rows: 0,
    duplicates: 0,
    firstTotal: undefined,
    oddTotal: undefined,
    changedTotal: undefined,
    reordered: false,
    unjoined: false,
    unsorted: false,
    differs: undefined,
    early: undefined,
  };
}

export interface ReadPagesOptions {
  /** Whether to skip a row that has the same id as an earlier row (default: true). */
  readonly unique?: boolean;
  /** Checks the rows of each page against the filters of the request, before any row of the page is returned. */
  readonly check?: RowCheck | undefined;
  /** Converts a row that is not a record. By default, rows that are not records are skipped. */
  readonly wrap?: (row: unknown) => JsonRecord;
  /** Called for each page, before its rows are returned. */
  readonly onPage?: (page: WalkedPage) => void;
  readonly onProgress?: OnProgress | undefined;
}

/** Converts a plain value to a record with one field. Lists of unspecified records may contain plain values. */
export function asRecord(row: unknown): JsonRecord {
  return isRecord(row) ? row : { value: row };
}

/** Returns the rows of all pages and counts them in `summary`. By default, each id is returned once. */
export async function* readPages(
  pages: AsyncIterable<WalkedPage> | Iterable<WalkedPage>,
  summary: ReadSummary,
  { unique = true, check, wrap, onPage, onProgress }: ReadPagesOptions = {},
): AsyncGenerator<JsonRecord> {
  try {
    for await (const page of pages) {
      addTotal(summary, page.total);
      summary.oddTotal ??= page.oddTotal;
      onPage?.(page);
      check?.check(page.rows);
      if (page.joined === false) summary.reordered = true;
      if (page.joined === undefined) summary.unjoined = true;
      const isUnique = unique && page.hasIds;
      if (isUnique) summary.duplicates += page.rows.length - page.fresh.length;
      for (const row of isUnique ? page.fresh : page.rows) {
        const record = isRecord(row) ? row : wrap?.(row);
        if (record === undefined) continue;
        summary.rows += 1;
        yield record;
      }
      onProgress?.(summary);
    }
  } catch (error) {
    if (!isEarlyEnd(error)) throw error;
    summary.early = error;
  }
}

export function addTotal(summary: ReadSummary, total: number | undefined): void {
  summary.firstTotal ??= total;
  if (total !== summary.firstTotal) summary.changedTotal ??= total;
}

/**
 * Returns why the rows are not verified; undefined if they are verified. The number of rows can match the total by chance, for
 * example if one row was deleted and the read missed another row. Therefore, rows are also unverified if the total changed or a
 * row changed position.
 *
 * @param noun what the message calls the rows, in the plural
 */
export function whyUnverified(
  {
    rows,
    firstTotal,
    oddTotal,
    changedTotal,
    reordered,
    unjoined,
    unsorted,
    differs,
    early,
  }: Readonly<ReadSummary>,
  noun = 'legs',
): string | undefined {
  if (early && (firstTotal === undefined || rows === firstTotal)) return early.message;
  if (firstTotal === undefined) return noTotal(oddTotal);
  if (changedTotal !== undefined)
    return `the service's total changed from ${count(firstTotal)} to ${count(changedTotal)} during the read`;
  if (rows === firstTotal && differs !== undefined) return `the second read ${differs}`;
  if (rows === firstTotal && unsorted) return 'the service did not sort the legs by time';
  if (rows === firstTotal && reordered) return 'rows changed position during the read';
  if (rows === firstTotal && unjoined) {
    return 'the pages cannot overlap, so nothing shows whether rows changed position during the read';
  }
  if (rows === firstTotal) return undefined;
  return `the service reports a total of ${count(firstTotal)} ${noun}, but ${count(rows)} were read`;
}

/** Returns why rows cannot be compared with a total. */
export function noTotal(oddTotal: string | undefined): string {
  return oddTotal === undefined
    ? 'the service reports no total to compare the rows with'
    : `the service reports ${oddTotal} as its total, which is not a whole number`;
}

/** The parts of a declared list that determine how its rows are checked. */
export type CheckedList = Pick<List, 'filters' | 'parameters' | 'paging' | 'noun' | 'hasId'>;

interface Test {
  readonly name: string;
  readonly value: unknown;
  readonly decides: NonNullable<Filter['decides']>;
}

/** Checks the rows of a list against the filters of the request, and against the id in its path. */
export class RowCheck {
  /** Singular noun for a row, such as `leg`. */
  readonly row: string;
  readonly #tests: readonly Test[];
  readonly #unchecked: Set<string>;
  readonly #checkId: (row: unknown) => void;
  #hasRows = false;

  /**
   * @param query the query parameters of the request; undeclared parameters are in `extra`
   * @param id the id in the path, if there is one
   */
  constructor(list: CheckedList, query: object, id?: string) {
    const { filters, parameters, paging, noun } = list;
    const { extra = {} } = query as ListQuery<List>;
    const declared = { ...filters, ...parameters };
    const given = readFilters(declared, query);
    const chosen = (declared: List['filters']) =>
      Object.entries(declared).filter(([name]) => given[name] !== undefined);
    this.row = noun;
    this.#checkId = (record) => id !== undefined && checkId(list, id, record);
    this.#tests = chosen(declared).flatMap(([name, { kind, decides }]) => {
      const value = kind === 'list' ? [given[name]].flat() : given[name];
      return decides ? { name, value, decides } : [];
    });
    const undecided = chosen(filters).filter(([, { decides }]) => decides === undefined);
    const isOther = (name: string) => !Object.hasOwn({ ...declared, ...paging.parameters }, name);
    this.#unchecked = new Set([...undecided.map(([name]) => name), ...Object.keys(extra).filter(isOther)]);
  }

  /** Whether at least one filter can be checked. */
  get isNeeded(): boolean {
    return this.#tests.length > 0;
  }

  /** Filters of the request that could not be checked for every row, because fields of a row do not show whether it matches. */
  get unchecked(): readonly string[] {
    return [...this.#unchecked];
  }

  /** Like {@link unchecked}, but empty for an empty list, because an empty list contains no wrong row. */
  get uncheckedRows(): readonly string[] {
    return this.#hasRows ? this.unchecked : [];
  }

  /** @throws CryptodataError `FILTER_IGNORED` if a filter excludes one of the rows, or `WRONG_RECORD` */
  check(rows: readonly unknown[]): void {
    this.#hasRows ||= rows.length > 0;
    rows.forEach(this.#checkId);
    for (const { name, value, decides } of this.#tests) {
      for (const row of rows) {
        const passes = decides(isRecord(row) ? row : {}, value);
        if (passes === false) throw this.#ignored(name, value, identityOf(row));
        if (passes === undefined) this.#unchecked.add(name);
      }
    }
  }

  #ignored(name: string, value: unknown, id: string): UnverifiedError {
    return new UnverifiedError(
      'FILTER_IGNORED',
      `The service ignored ${showText(`${name}=${String(value)}`)}: it returned ${this.row} ${showText(id.slice(0, 100))}, which this filter excludes`,
      { hint: 'Omit the filter and select the rows yourself, or report the error to the service.' },
    );
  }
}

/** @throws CryptodataError `WRONG_RECORD` if a record does not belong to the id in the path of the request */
export function checkId({ noun, hasId }: Pick<Single, 'noun' | 'hasId'>, id: string, record: unknown): void {
  if (hasId?.(isRecord(record) ? record : {}, id) !== false) return;
  throw new UnverifiedError(
    'WRONG_RECORD',
    `The service returned ${noun} ${showText(identityOf(record).slice(0, 100))}, which does not belong to the requested id ${showText(id)}`,
    { hint: 'Report the error to the service.' },
  );
}
