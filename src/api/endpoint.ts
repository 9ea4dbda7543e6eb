import type { Api } from '../core/credentials.ts';
import { isExactNumber, type JsonRecord } from '../core/json.ts';
import type { Column, Columns } from './columns.ts';
import { countFilter, type Filters, type FilterValues } from './filters.ts';
import { type Fields, pathsOf } from './records.ts';

export interface Endpoint {
  readonly method: 'GET' | 'POST';
  readonly api: Api;
  /** The path from the specification. A segment such as `{id}` is a placeholder. */
  readonly path: string;
  /** The required scope. Null means that no credentials are needed. Absent if the specification lists no scope. */
  readonly scope?: string | null;
  /** The only kind of credentials that the endpoint accepts. Absent if the endpoint accepts both kinds. */
  readonly credential?: 'login' | 'api-key';
}

/**
 * Lists the fields that may contain the id of a record. Other records refer to the record by this id, but the specification
 * does not say which field contains it. The first field that has a value is used. A value of the first field in the list is
 * certain. A value of a later field counts as the id only if another record contains the same value.
 */
export interface Join {
  readonly fields: readonly [string, ...string[]];
  /** The field of other records that contains the id, such as `walletId of a leg`. */
  readonly matches: string;
}

/** Returns the id by which other records refer to a record; undefined if the record has no such id. */
export function joinOf(
  record: JsonRecord,
  { fields }: Join,
): { readonly id: string; readonly isCertain: boolean } | undefined {
  for (const name of fields) {
    const id = idOf(record[name]);
    if (id !== undefined) return { id, isCertain: name === fields[0] };
  }
  return undefined;
}

/** Returns an id as a string. The service may send an id as a number of any length. */
function idOf(value: unknown): string | undefined {
  if (typeof value === 'string' && value !== '') return value;
  if (isExactNumber(value)) return value.value;
  return typeof value === 'number' ? String(value) : undefined;
}

export interface Single<R extends Fields = Fields> extends Endpoint {
  /** Singular noun for a record in messages, such as `leg`. */
  readonly noun: string;
  /** Fields that the specification lists; empty if it lists none. */
  readonly record: R;
  /**
   * Whether a record belongs to the id in the path; undefined if the fields of the record do not show whether it belongs.
   * Similar to `decides` of a filter.
   */
  readonly hasId?: (record: JsonRecord, id: string) => boolean | undefined;
  readonly join?: Join;
}

export interface List<
  R extends Fields = Fields,
  F extends Filters = Filters,
  O extends Filters = Filters,
  P extends Filters = Filters,
> extends Single<R> {
  /** Plural noun that notes use for the rows, such as `legs`. */
  readonly nouns: string;
  readonly paging: Paging<P>;
  readonly filters: F;
  /** Parameters other than filters, such as the sort order and time bounds. */
  readonly parameters: O;
  readonly columns: Columns;
  /** Whether records may have fields that the specification does not list. Unknown fields become additional columns. */
  readonly isOpen: boolean;
}

/**
 * How a list is divided into pages: by offset, by page number or not at all. `open` means that the specification does not
 * define the paging. The client then reads the list by page number if the responses contain page numbers, otherwise by offset.
 */
export interface Paging<P extends Filters = Filters> {
  readonly style: 'offset' | 'page' | 'none' | 'open';
  /** Maximum page size. */
  readonly max?: number;
  readonly parameters: P;
}

const offset = countFilter('rows to skip', 0);
const page = countFilter('page number', 1);
const limit = countFilter('rows per page', 1);

export function byOffset({ max }: { readonly max: number }) {
  const parameters = { limit: countFilter('rows per page', 1, max), offset };
  return { style: 'offset', max, parameters } as const;
}

/** The client accepts any limit. If the limit is too large, the service uses a smaller limit, which the client reports. */
export function byPage({ max }: { readonly max: number }) {
  return { style: 'page', max, parameters: { page, limit } } as const;
}

/** Creates the paging for a list that returns all rows in a single response. */
export function unpaged<P extends Filters>(parameters: P) {
  return { style: 'none', parameters } as const;
}

export const openPaging = { style: 'open', parameters: { limit, offset, page } } as const;

export type QueryOf<L extends List> = FilterValues<L['filters']> &
  FilterValues<L['parameters']> &
  FilterValues<L['paging']['parameters']>;

type Defaults = 'method' | 'api';
type None = Record<never, never>;

interface ListParts<R extends Fields, F extends Filters, O extends Filters, P extends Filters>
  extends Omit<List<R, F, O, P>, Defaults | 'filters' | 'parameters' | 'columns' | 'isOpen'> {
  readonly api?: Api;
  readonly filters?: F;
  readonly parameters?: O;
  /** Columns of tables and CSV files. By default, CSV files have a column for each known field, as in the specification. */
  readonly columns?: { readonly table: readonly Column[]; readonly csv?: readonly Column[] };
  readonly isOpen?: boolean;
}

export function list<R extends Fields, P extends Filters, F extends Filters = None, O extends Filters = None>(
  parts: ListParts<R, F, O, P>,
): List<R, F, O, P> {
  const csv = pathsOf(parts.record).map((key) => ({ key }));
  return {
    method: 'GET',
    api: 'current',
    isOpen: false,
    ...parts,
    // Without filters, the type `F` is `None`. Without other parameters, the type `O` is `None`.
    filters: parts.filters ?? ({} as F),
    parameters: parts.parameters ?? ({} as O),
    columns: { csv, ...(parts.columns ?? { table: csv }) },
  };
}

/** A list for which the specification defines no parameters, paging or fields. */
export function openList(parts: Pick<List, 'path' | 'noun' | 'nouns' | 'scope' | 'hasId' | 'join'>) {
  return list({ ...parts, paging: openPaging, record: {}, isOpen: true });
}

export function single<R extends Fields>(
  parts: Omit<Single<R>, Defaults> & { readonly api?: Api },
): Single<R> {
  return { method: 'GET', api: 'current', ...parts };
}

/** An endpoint for which the caller creates the request body and reads the response. */
export interface Call<A extends Fields = Fields> extends Endpoint {
  /**
   * The fields that the specification lists for `data` in the response. The client does not check the response, because the
   * request has already succeeded.
   */
  readonly answer: A;
}

export function call<const A extends Fields = None>(
  parts: Omit<Endpoint, 'api'> & { readonly api?: Api; readonly answer?: A },
): Call<A> {
  // If the specification lists no response fields, the type `A` is `None`.
  return { api: 'current', ...parts, answer: parts.answer ?? ({} as A) };
}

/** Splits the path into segments. Replaces each placeholder, such as `{id}`, with the next element of `ids`. */
export function segmentsOf({ path }: Endpoint, ids: readonly string[] = []): string[] {
  const left = [...ids];
  return path
    .slice(1)
    .split('/')
    .map((segment) => (segment.startsWith('{') ? (left.shift() ?? segment) : segment));
}
