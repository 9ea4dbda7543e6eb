import type { JsonRecord } from '../core/json.ts';

/** The kind of value that a filter takes. The kind determines the flag, the validation and the TypeScript type. */
export type FilterKind = 'list' | 'flag' | 'decimal' | 'time' | 'text' | 'choice' | 'count';

/** Records from which the known values of a filter can be read. `rows` are the records of the filtered list itself. */
export type ValueSource = 'accounts' | 'assets' | 'labels' | 'providers' | 'rows';

/** The known values of a filter. The tool uses them to notice misspelt values. */
export type Known =
  | ({
      /** Singular noun for a value, for messages, such as `label`. */
      readonly word: string;
      /**
       * For a filter that excludes rows: the name of the filter that selects the excluded rows. Null if the list has no such
       * filter.
       */
      readonly opposite?: string | null;
      /**
       * Whether the filter accepts any value, such as any address. If true, a value that occurs in no record causes only a
       * warning.
       */
      readonly isOpen?: true;
    } & (
      | { readonly from: ValueSource; readonly values?: readonly string[] }
      /** The values that the specification mentions. Further values may exist. */
      | { readonly from?: never; readonly values: readonly string[] }
    ))
  /** Why the values are not compared with known values. */
  | { readonly unchecked: string };

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
  readonly known: Known;
  /**
   * Returns whether a record passes the filter. Returns false only if the record fails under every reading of the
   * specification. Returns undefined if the fields of the record do not show whether it passes.
   */
  decides?(record: JsonRecord, value: T): boolean | undefined;
}

export type Filters = Readonly<Record<string, Filter>>;

export type FilterValue<F> = F extends Filter<infer T> ? T : never;

/** Values for a set of filters. Every value is optional. */
export type FilterValues<F extends Filters> = {
  readonly [K in keyof F]?: FilterValue<F[K]> | undefined;
};

type Decides<T> = (record: JsonRecord, value: T) => boolean | undefined;

const WELL_FORMED: Known = {
  unchecked: 'a value of the wrong type is rejected; every other value is possible',
};
const CHOSEN: Known = { unchecked: 'only the declared choices are accepted' };

/**
 * If the values of a filter are words, names or ids, the filter declares either all values or the source of the known values.
 */
type ValuesOf<T extends string> =
  | { readonly choices: readonly T[]; readonly known?: never }
  | { readonly choices?: never; readonly known: Known };

/** A comma-separated list. */
export function listFilter<const T extends string = string>(
  help: string,
  value: string,
  options: ValuesOf<T> & { readonly max?: number; readonly decides?: Decides<readonly string[]> },
): Filter<readonly T[]> {
  return { kind: 'list', help, value, known: CHOSEN, ...options };
}

/**
 * A boolean filter. Without the filter, all records are selected. `false` selects the records that `true` excludes.
 *
 * @param shows returns whether a record has the property; undefined if the fields of the record do not show this
 */
export function flagFilter(
  help: string,
  shows?: (record: JsonRecord) => boolean | undefined,
): Filter<boolean> {
  const decides: Decides<boolean> = (record, wanted) => {
    const shown = shows?.(record);
    return shown === undefined ? undefined : shown === wanted;
  };
  return { kind: 'flag', help, value: 'true|false', known: WELL_FORMED, ...(shows ? { decides } : {}) };
}

/** A decimal string. The client sends the string unchanged. */
export function decimalFilter(help: string, decides?: Decides<string>): Filter<string> {
  return { kind: 'decimal', help, value: 'decimal', known: WELL_FORMED, ...(decides ? { decides } : {}) };
}

/** Unix milliseconds. */
export function timeFilter(help: string, decides?: Decides<number>): Filter<number> {
  return { kind: 'time', help, value: 'ms', known: WELL_FORMED, ...(decides ? { decides } : {}) };
}

/** Any text. If `choices` is set, flags and TypeScript types accept only these values. To send other values, use `extra`. */
export function textFilter<const T extends string = string>(
  help: string,
  value: string,
  options: ValuesOf<T> & { readonly decides?: Decides<string> },
): Filter<T> {
  return { kind: 'text', help, value, known: CHOSEN, ...options };
}

/** One of the values in `choices`. */
export function choiceFilter<const T extends string>(
  help: string,
  value: string,
  choices: readonly T[],
  options: { readonly default?: T; readonly decides?: Decides<string> } = {},
): Filter<T> {
  return { kind: 'choice', help, value, known: CHOSEN, choices, ...options };
}

/** A whole number. */
export function countFilter(help: string, min: number, max?: number): Filter<number> {
  return { kind: 'count', help, value: 'n', known: WELL_FORMED, min, ...(max === undefined ? {} : { max }) };
}

/**
 * Returns the values of declared filters in a query. The values in `extra` are texts, such as `fee,incoming`. A text that is
 * not valid for the kind of its filter is omitted.
 */
export function readFilters(declared: Filters, query: object): Readonly<Record<string, unknown>> {
  const { extra = {}, ...named } = query as { extra?: Readonly<Record<string, string>> };
  const values: Record<string, unknown> = {};
  for (const [name, { kind }] of Object.entries(declared)) {
    const text = Object.hasOwn(extra, name) ? extra[name] : undefined;
    const value =
      (named as Readonly<Record<string, unknown>>)[name] ??
      (text === undefined ? text : readValue(kind, text));
    if (value !== undefined && !Number.isNaN(value)) values[name] = value;
  }
  return values;
}

function readValue(kind: FilterKind, text: string): unknown {
  if (kind === 'list') return text.split(',').filter((item) => item !== '');
  if (kind === 'flag') return text === 'true' ? true : text === 'false' ? false : undefined;
  return kind === 'time' || kind === 'count' ? Number(text) : text;
}

/** Returns only the values of the declared filters. Other properties of `values` are ignored. */
export function pickFilters<F extends Filters>(declared: F, values: FilterValues<F>): FilterValues<F> {
  return Object.fromEntries(Object.keys(declared).map((name) => [name, values[name]])) as FilterValues<F>;
}
