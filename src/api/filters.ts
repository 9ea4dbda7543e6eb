import type { JsonRecord } from '../core/json.ts';

/** The form of a filter's value: flags, checks and types follow from it. */
export type FilterKind = 'list' | 'flag' | 'decimal' | 'time';

/** One query parameter that selects records, declared once for every command and for the client. */
export interface Filter<T = unknown> {
  readonly kind: FilterKind;
  /** Help text: a noun phrase. */
  readonly help: string;
  /** The name of its value in help: `ids`. */
  readonly value: string;
  /** The only values it takes, if they are few. */
  readonly choices?: readonly string[];
  /** Whether a record passes the filter; undefined if the record's own fields cannot tell. */
  decides?(record: JsonRecord, value: T): boolean | undefined;
}

export type Filters = Readonly<Record<string, Filter>>;

export type FilterValue<F> = F extends Filter<infer T> ? T : never;

/** The values that can be given for declared filters, all optional. */
export type FilterValues<F extends Filters> = {
  readonly [K in keyof F]?: FilterValue<F[K]> | undefined;
};

type Decides<T> = (record: JsonRecord, value: T) => boolean | undefined;

/** A comma-separated list; one of `choices` each, if given. */
export function list(
  help: string,
  value: string,
  decides?: Decides<readonly string[]>,
  choices?: readonly string[],
): Filter<readonly string[]> {
  return { kind: 'list', help, value, ...(choices ? { choices } : {}), ...(decides ? { decides } : {}) };
}

export function flag(help: string, decides?: Decides<boolean>): Filter<boolean> {
  return { kind: 'flag', help, value: 'true|false', ...(decides ? { decides } : {}) };
}

/** A decimal string, sent character for character. */
export function decimal(help: string, decides?: Decides<string>): Filter<string> {
  return { kind: 'decimal', help, value: 'decimal', ...(decides ? { decides } : {}) };
}

/** Unix milliseconds. */
export function time(help: string, decides?: Decides<number>): Filter<number> {
  return { kind: 'time', help, value: 'ms', ...(decides ? { decides } : {}) };
}

/** The values of declared filters among other values. */
export function pickFilters<F extends Filters>(declared: F, values: FilterValues<F>): FilterValues<F> {
  return Object.fromEntries(Object.keys(declared).map((name) => [name, values[name]])) as FilterValues<F>;
}
