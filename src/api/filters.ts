import type { JsonRecord } from '../core/json.ts';

/** The kind of a value, which determines its flag, check and type. */
export type FilterKind = 'list' | 'flag' | 'decimal' | 'time' | 'text' | 'choice' | 'count';

/** One query parameter, declared once for every command and for the client. */
export interface Filter<T = unknown> {
  readonly kind: FilterKind;
  /** Help text: a noun phrase. */
  readonly help: string;
  /** Placeholder for the value in help: `ids`. */
  readonly value: string;
  /** Flags and the client accept only these values, but for a filter of kind `text`, the client accepts any text. */
  readonly choices?: readonly string[];
  /** The service's default, for help. */
  readonly default?: string;
  /** Bounds of a count. */
  readonly min?: number;
  /** Maximum count, or maximum number of items in a list. */
  readonly max?: number;
  /** Whether a record passes the filter; undefined if this cannot be determined from the record's fields. */
  decides?(record: JsonRecord, value: T): boolean | undefined;
}

export type Filters = Readonly<Record<string, Filter>>;

export type FilterValue<F> = F extends Filter<infer T> ? T : never;

/** The values of declared filters; all are optional. */
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

/** A decimal string, sent character for character. */
export function decimal(help: string, decides?: Decides<string>): Filter<string> {
  return { kind: 'decimal', help, value: 'decimal', ...(decides ? { decides } : {}) };
}

/** Unix milliseconds. */
export function time(help: string, decides?: Decides<number>): Filter<number> {
  return { kind: 'time', help, value: 'ms', ...(decides ? { decides } : {}) };
}

/** Any text. With `choices`, flags and TypeScript types accept only the listed values. To send another value, use `extra`. */
export function text<const T extends string = string>(
  help: string,
  value: string,
  choices?: readonly T[],
): Filter<T> {
  return { kind: 'text', help, value, ...(choices ? { choices } : {}) };
}

/** One of a few words. */
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

/** Picks the values of declared filters from an object that may contain other values. */
export function pickFilters<F extends Filters>(declared: F, values: FilterValues<F>): FilterValues<F> {
  return Object.fromEntries(Object.keys(declared).map((name) => [name, values[name]])) as FilterValues<F>;
}
