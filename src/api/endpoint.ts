import type { Api } from '../core/credentials.ts';
import type { Column, Columns } from './columns.ts';
import { count, type Filters, type FilterValues } from './filters.ts';
import { type Fields, pathsOf } from './records.ts';

/** One method and path of the service. */
export interface Endpoint {
  readonly method: 'GET' | 'POST';
  readonly api: Api;
  /** As the specification writes it; `{id}` is a segment to fill in. */
  readonly path: string;
  /** The scope that it needs; null if it needs no credentials; absent if the specification does not show it. */
  readonly scope?: string | null;
}

/** An endpoint whose answer is one record. */
export interface Single<R extends Fields = Fields> extends Endpoint {
  /** The name of a record in messages: `ledger`. */
  readonly noun: string;
  /** The known fields; empty if the specification shows none. */
  readonly record: R;
}

/** An endpoint whose answer is a list. */
export interface List<
  R extends Fields = Fields,
  F extends Filters = Filters,
  O extends Filters = Filters,
  P extends Filters = Filters,
> extends Single<R> {
  /** The name of its rows in notes: `ledgers`. */
  readonly nouns: string;
  readonly paging: Paging<P>;
  readonly filters: F;
  /** Parameters that are no filters: order, bounds of time. */
  readonly parameters: O;
  readonly columns: Columns;
  /** Whether the specification leaves fields of the record open: columns then follow from the rows too. */
  readonly isOpen: boolean;
}

/**
 * How a list is paged: by offset, by page number, not at all, or `open` if the specification does not show it. An
 * open list is read by offset unless its answers show page numbers.
 */
export interface Paging<P extends Filters = Filters> {
  readonly style: 'offset' | 'page' | 'none' | 'open';
  /** The largest page. */
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

/** A size out of bounds is clamped by the service, so it is sent and reported. */
export function byPage({ max }: { readonly max: number }) {
  return { style: 'page', max, parameters: { page, limit } } as const;
}

/** All rows in one answer. */
export function unpaged<P extends Filters>(parameters: P) {
  return { style: 'none', parameters } as const;
}

export const openPaging = { style: 'open', parameters: { limit, offset, page } } as const;

/** What a list can be asked for: its filters, other parameters, and paging. */
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
  /** Columns of a table; `csv` if it is not every known field in the order of the record. */
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
    // Without filters, F and O are None.
    filters: parts.filters ?? ({} as F),
    parameters: parts.parameters ?? ({} as O),
    columns: { csv, ...(parts.columns ?? { table: csv }) },
  };
}

/** A list of which the specification shows neither parameters, nor paging, nor records. */
export function openList(parts: Pick<List, 'path' | 'noun' | 'nouns' | 'scope'>) {
  return list({ ...parts, paging: openPaging, record: {}, isOpen: true });
}

export function single<R extends Fields>(
  parts: Omit<Single<R>, Defaults> & { readonly api?: Api },
): Single<R> {
  return { method: 'GET', api: 'current', ...parts };
}

/** A call whose body and answer are those of its caller. */
export function call(parts: Omit<Endpoint, 'api'> & { readonly api?: Api }): Endpoint {
  return { api: 'current', ...parts };
}

/** The segments of a path, each `{…}` replaced by the next of `ids`. */
export function segmentsOf({ path }: Endpoint, ids: readonly string[] = []): string[] {
  const left = [...ids];
  return path
    .slice(1)
    .split('/')
    .map((segment) => (segment.startsWith('{') ? (left.shift() ?? segment) : segment));
}
