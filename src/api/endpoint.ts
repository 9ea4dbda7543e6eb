import type { Api } from '../core/credentials.ts';
import type { Column, Columns } from './columns.ts';
import { count, type Filters, type FilterValues } from './filters.ts';
import { type Fields, pathsOf } from './records.ts';

/** One method and path of the service. */
export interface Endpoint {
  readonly method: 'GET' | 'POST';
  readonly api: Api;
  /** The path as in the specification; `{id}` is a placeholder for a segment. */
  readonly path: string;
  /** The required scope; null if no credentials are needed; absent if the specification does not state it. */
  readonly scope?: string | null;
}

/** An endpoint that returns one record. */
export interface Single<R extends Fields = Fields> extends Endpoint {
  /** Singular noun of a record, for messages: `ledger`. */
  readonly noun: string;
  /** The known fields; empty if the specification lists none. */
  readonly record: R;
}

/** An endpoint that returns a list. */
export interface List<
  R extends Fields = Fields,
  F extends Filters = Filters,
  O extends Filters = Filters,
  P extends Filters = Filters,
> extends Single<R> {
  /** Plural noun of the rows, for notes: `ledgers`. */
  readonly nouns: string;
  readonly paging: Paging<P>;
  readonly filters: F;
  /** Parameters other than filters: sort order, time bounds. */
  readonly parameters: O;
  readonly columns: Columns;
  /** Whether records may have fields that the specification does not list. If true, the columns also depend on the rows. */
  readonly isOpen: boolean;
}

/**
 * How a list is paged: by offset, by page number or not at all. `open` means that the specification does not define the paging:
 * the list is read by offset unless its responses show page numbers.
 */
export interface Paging<P extends Filters = Filters> {
  readonly style: 'offset' | 'page' | 'none' | 'open';
  /** Maximum page size. */
  readonly max?: number;
  readonly parameters: P;
}

const offset = count('rows to skip', 0);
const page = count('page number', 1);
const limit = count('rows per page', 1);

export function byOffset({ max }: { readonly max: number }) {
  const parameters = { limit: count('rows per page', 1, max), offset };
  return { style: 'offset', max, parameters } as const;
}

/** The client accepts any limit: the service clamps a limit that is too large, and the client reports the clamped size. */
export function byPage({ max }: { readonly max: number }) {
  return { style: 'page', max, parameters: { page, limit } } as const;
}

/** Paging for a list whose single response contains all rows. */
export function unpaged<P extends Filters>(parameters: P) {
  return { style: 'none', parameters } as const;
}

export const openPaging = { style: 'open', parameters: { limit, offset, page } } as const;

/** All query parameters of a list: filters, other parameters, and paging. */
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
  /** Columns of a table and of CSV. By default, CSV has every known field, in the order of the specification. */
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
    // The type F is None if there are no filters, and O is None if there are no parameters.
    filters: parts.filters ?? ({} as F),
    parameters: parts.parameters ?? ({} as O),
    columns: { csv, ...(parts.columns ?? { table: csv }) },
  };
}

/** A list for which the specification defines no parameters, paging or fields. */
export function openList(parts: Pick<List, 'path' | 'noun' | 'nouns' | 'scope'>) {
  return list({ ...parts, paging: openPaging, record: {}, isOpen: true });
}

export function single<R extends Fields>(
  parts: Omit<Single<R>, Defaults> & { readonly api?: Api },
): Single<R> {
  return { method: 'GET', api: 'current', ...parts };
}

/** A request whose body and response the caller handles. */
export interface Call<A extends Fields = Fields> extends Endpoint {
  /**
   * The specified fields of the response's `data`. The client does not check the values in the response, because the request has
   * already succeeded.
   */
  readonly answer: A;
}

export function call<const A extends Fields = None>(
  parts: Omit<Endpoint, 'api'> & { readonly api?: Api; readonly answer?: A },
): Call<A> {
  // The type A is None if the specification lists no fields of the response.
  return { api: 'current', ...parts, answer: parts.answer ?? ({} as A) };
}

/** The segments of a path, with the placeholders `{…}` replaced by `ids` in order. */
export function segmentsOf({ path }: Endpoint, ids: readonly string[] = []): string[] {
  const left = [...ids];
  return path
    .slice(1)
    .split('/')
    .map((segment) => (segment.startsWith('{') ? (left.shift() ?? segment) : segment));
}
