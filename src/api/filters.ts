import type { JsonRecord } from '../core/json.ts';

/** The kind of value that a filter takes. The kind determines the flag, the validation and the TypeScript type. */
export type FilterKind = 'list' | 'flag' | 'decimal' | 'time' | 'text' | 'choice' | 'count';

/** A query parameter that both the commands and the client support. */
export interface Filter<T = unknown> {
  readonly kind: FilterKind;
  /** Help text: a noun phrase. */
  readonly help: string;
  /** Placeholder for the value in help texts, such as `ids`. */
  readonly value: string;
  /** The allowed values. Flags accept only these values. If the kind is `text`, the client also accepts other values. */
  readonly choices?: readonly string[];
  /** The default value of the service, for help texts. */
  readonly default?: string;
  /** Minimum count. */
  readonly min?: number;
  /** Maximum count, or maximum number of items in a list. */
  readonly max?: number;
  /** Returns whether a record passes the filter, or undefined if the record lacks the necessary field. */
  decides?(record: JsonRecord, value: T): boolean | undefined;
}

export type Filters = Readonly<Record<string, Filter>>;

export type FilterValue<F> = F extends Filter<infer T> ? T : never;

/** Values for a set of filters. Every value is optional. */
export type FilterValues<F extends Filters> = {
  readonly [K in keyof F]?: FilterValue<F[K]> | undefined;
};

type Decides<T> = (record: JsonRecord, value: T) => boolean | undefined;

interface ListOptions<T extends string> {
  readonly choices?: readonly T[];
  readonly max?: number;
  readonly decides?: Decides<readonly string[]>;
}

/** A comma-separated list. */
export function list<const T extends string = string>(
  help: string,
  value: string,
  options: ListOptions<T> = {},
): Filter<readonly T[]> {
  return { kind: 'list', help, value, ...options };
}

export function flag(help: string, decides?: Decides<boolean>): Filter<boolean> {
  return { kind: 'flag', help, value: 'true|false', ...(decides ? { decides } : {}) };
}

/** A decimal string. The client sends the string unchanged. */
export function decimal(help: string, decides?: Decides<string>): Filter<string> {
  return { kind: 'decimal', help, value: 'decimal', ...(decides ? { decides } : {}) };
}

/** Unix milliseconds. */
export function time(help: string, decides?: Decides<number>): Filter<number> {
  return { kind: 'time', help, value: 'ms', ...(decides ? { decides } : {}) };
}

/** Any text. If `choices` is set, flags and TypeScript types accept only these values. To send other values, use `extra`. */
export function text<const T extends string = string>(
  help: string,
  value: string,
  choices?: readonly T[],
): Filter<T> {
  return { kind: 'text', help, value, ...(choices ? { choices } : {}) };
}

/** One of the values in `choices`. */
export function choice<const T extends string>(
  help: string,
  value: string,
  choices: readonly T[],
  options: { readonly default?: T } = {},
): Filter<T> {
  return { kind: 'choice', help, value, choices, ...options };
}

/** A whole number. */
export function count(help: string, min: number, max?: number): Filter<number> {
  return { kind: 'count', help, value: 'n', min, ...(max === undefined ? {} : { max }) };
}

/** Returns only the values of the declared filters. Other properties of `values` are ignored. */
export function pickFilters<F extends Filters>(declared: F, values: FilterValues<F>): FilterValues<F> {
  return Object.fromEntries(Object.keys(declared).map((name) => [name, values[name]])) as FilterValues<F>;
}
