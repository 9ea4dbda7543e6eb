import type { List } from '../api/endpoint.ts';
import { type Filter, type Known, readFilters, type ValueSource } from '../api/filters.ts';
import { labelJoin } from '../api/labels.ts';
import { symbolOf, textOf } from '../api/ledgers.ts';
import { flagName } from '../cli/flags.ts';
import type { ServiceClient } from '../client/client.ts';
import type { ListQuery } from '../client/filters.ts';
import type { Listing } from '../client/listing.ts';
import type { ListPage } from '../client/response.ts';
import type { Context } from '../context.ts';
import { UnverifiedError, usageError } from '../core/errors.ts';
import { isRecord, type JsonRecord } from '../core/json.ts';
import { showNamedAsset } from '../core/look-alikes.ts';
import { type Named, nearMatches, showNamed } from '../core/nearest.ts';
import { once } from '../core/once.ts';
import { showText } from '../core/text.ts';
import { Accounts, isRefusal } from './accounts.ts';
import { legFlags } from './leg-flags.ts';
import { firstRows, newestLegs } from './seen.ts';

/** Maximum number of values to check. Each check is one request, so a long list from a file would cause many requests. */
const MOST_CHECKED = 100;
const AT_ONCE = 8;

/** A value that no record has. A service that returns rows for this value ignores the filter. */
const NO_VALUE = 'no-such-value';

/** The number of rows that match one value of a filter. Other filters are ignored. */
export interface ValueCount {
  readonly flag: string;
  readonly value: string;
  /** The number of rows; undefined if the service reports no total. */
  readonly rows: number | undefined;
}

type CheckedKnown = Exclude<Known, { readonly unchecked: string }>;

interface GivenValue {
  readonly name: string;
  readonly filter: Filter;
  readonly known: CheckedKnown;
  readonly value: string;
}

/**
 * Checks that each id, name and word in the filters is known. A misspelt value would make the list empty or incomplete. If a
 * value to exclude were misspelt, the filter would exclude nothing. An unknown value is an error if it is similar to a known
 * value, or if the list of known values is complete. Otherwise, the unknown value causes a warning.
 *
 * @param query the filters; other parameters are ignored
 * @param request returns the list for a query
 * @returns a function that counts the rows for each value
 * @throws usage error `UNKNOWN_VALUE`
 */
export async function checkValues<L extends List>(
  context: Context,
  declared: L,
  query: object,
  request: (query: ListQuery<L>) => Listing<unknown>,
): Promise<() => Promise<readonly ValueCount[]>> {
  // With --curl, the tool must print only the list request, so it does not check the values.
  if (context.curl) return async () => [];
  const check = new ValueCheck(context, declared, (query) => request(query as ListQuery<L>).asServed());
  const given = givenValues(declared, query).slice(0, MOST_CHECKED);
  const warnings = await inBatches(given, (one) => check.check(one));
  for (const warning of warnings) if (warning !== undefined) context.say(warning);
  return () => inBatches(given, (one) => check.count(one));
}

async function inBatches<T, R>(items: readonly T[], work: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  for (let at = 0; at < items.length; at += AT_ONCE)
    results.push(...(await Promise.all(items.slice(at, at + AT_ONCE).map(work))));
  return results;
}

/** Returns the given values that are compared with known values. */
function givenValues({ filters }: List, query: object): GivenValue[] {
  const values = readFilters(filters, query);
  return Object.entries(filters).flatMap(([name, filter]) => {
    const { known } = filter;
    const given = new Set([values[name] ?? []].flat().map(textOf));
    return 'unchecked' in known ? [] : [...given].map((value) => ({ name, filter, known, value }));
  });
}

/** Known values from one source, such as the labels in use. */
interface Found {
  readonly values: readonly Named[];
  /** Whether `values` contains every possible value. */
  readonly complete: boolean;
  /** Sentence with the number of rows that were searched; empty if all rows were searched. */
  readonly partial?: string;
}

type Find = (given: GivenValue) => Promise<Found>;

class ValueCheck {
  readonly #context: Context;
  readonly #declared: List;
  readonly #request: (query: object) => Listing<unknown>;
  readonly #pages = new Map<string, Promise<ListPage>>();
  readonly #row: string;

  constructor(context: Context, declared: List, request: (query: object) => Listing<unknown>) {
    this.#context = context;
    this.#declared = declared;
    this.#request = request;
    this.#row = declared.noun;
  }

  /**
   * @returns a warning if the value may be misspelt
   * @throws usage error `UNKNOWN_VALUE`
   */
  async check(given: GivenValue): Promise<string | undefined> {
    const { name, known, value } = given;
    const { word, values = [], from, opposite = name, isOpen } = known;
    if (values.includes(value)) return undefined;
    if (opposite !== null && (await this.#isMatched(opposite, value))) return undefined;
    const candidates = values.map(named);
    const source = from === undefined ? undefined : this.#sources[from];
    // Without a source, only the declared values are known, and further values may exist.
    let complete = source !== undefined;
    let partial = '';
    for (const find of source?.find ?? []) {
      const found = await this.#allowed(find, given);
      const isFound = found.values.some((candidate) => candidate.value === value);
      // Continue for values from the rows of the list itself, because the service returned no row for the given value.
      if (isFound && from !== 'rows') return undefined;
      candidates.push(...found.values.filter((candidate) => candidate.value !== value));
      complete &&= found.complete;
      partial ||= found.partial ?? '';
    }
    // A value that can exist only in rows is certainly unknown if the service returns no row with the value.
    if (source?.isInRows && (await this.#page(name, value)).rows.length === 0) complete = true;
    if (isOpen) complete = false;
    const shown = from === 'assets' ? showNamedAsset : showNamed;
    const near = nearMatches(value, distinct(candidates)).map(shown).join(' or ');
    const consequence = opposite === name ? '' : `, so ${flagName(name)} excludes nothing`;
    const message = `No ${this.#row} has the ${word} ${showText(value)}${consequence}`;
    if (near === '' && !complete) return `warning: ${message}.${partial}`;
    const next =
      near === '' ? (source?.next(name, await legFlags(this.#context, {})) ?? '') : `Did you mean ${near}?`;
    throw usageError(message, `${next}${partial}`.trim() || undefined, 'UNKNOWN_VALUE');
  }

  async count({ name, value }: GivenValue): Promise<ValueCount> {
    return { flag: flagName(name), value, rows: (await this.#page(name, value)).total };
  }

  /** Whether the service applies the filter and returns a row for the value. */
  async #isMatched(name: string, value: string): Promise<boolean> {
    const [row] = (await this.#page(name, value)).rows;
    if (row === undefined) return false;
    const filter = this.#declared.filters[name];
    const shown = isRecord(row) ? filter?.decides?.(row, valueFor(filter, value)) : undefined;
    return shown ?? (await this.#applies(name));
  }

  /** Whether the service applies the filter: for a value that does not exist, it returns no row or an error. */
  async #applies(name: string): Promise<boolean> {
    try {
      return (await this.#page(name, NO_VALUE)).rows.length === 0;
    } catch (error) {
      if (!isRefusal(error)) throw error;
      return true;
    }
  }

  /** Requests one row for a value. Sends each request only once. */
  #page(name: string, value: string): Promise<ListPage> {
    const key = JSON.stringify([name, value]);
    const query = { [name]: valueFor(this.#declared.filters[name], value), limit: 1 };
    const page = this.#pages.get(key) ?? this.#request(query).page();
    this.#pages.set(key, page);
    return page;
  }

  /** Reads known values. If the service refuses the request or the list ends early, further values may exist. */
  async #allowed(find: Find, given: GivenValue): Promise<Found> {
    try {
      return await find(given);
    } catch (error) {
      if (!isRefusal(error) && !(error instanceof UnverifiedError)) throw error;
      return { values: [], complete: false };
    }
  }

  readonly #client = once(() => this.#context.client());
  readonly #accounts = once(() => Accounts.read(this.#context));
  readonly #legs = once(async () => newestLegs(await this.#client(), this.#context.signal));
  readonly #rows = once(() => firstRows(this.#request({}), this.#declared.nouns));
  readonly #labels = once(async () => labelsOf(await this.#client(), this.#context.signal));
  readonly #catalogue = once(async () => catalogueOf(await this.#client(), this.#context.signal));

  /** Finds the values in a field of the newest legs. */
  async #inLegs(field: string, nameOf: (leg: JsonRecord) => string = () => ''): Promise<Found> {
    const { legs, complete, partial } = await this.#legs();
    const values = legs.map((leg) => ({ value: textOf(leg[field]), names: [nameOf(leg)] }));
    return { values, complete: complete && legs.every((leg) => leg[field] !== undefined), partial };
  }

  /** Finds values that pass the filter, in the rows of the unfiltered list. */
  async #inRows({ filter }: GivenValue): Promise<Found> {
    const { rows, complete, partial } = await this.#rows();
    const decides = (row: JsonRecord, value: string) => filter.decides?.(row, valueFor(filter, value));
    const values = new Set<string>();
    for (const row of rows) {
      for (const text of textsIn(row)) if (!values.has(text) && decides(row, text)) values.add(text);
    }
    const isShown = rows.every((row) => decides(row, NO_VALUE) !== undefined);
    return { values: [...values].map(named), complete: complete && isShown, partial };
  }

  /** The places in which the values of each source are found. If one place contains the value, later places are not read. */
  readonly #sources: Readonly<
    Record<
      ValueSource,
      {
        readonly find: readonly Find[];
        /** Whether each existing value occurs in at least one row. */
        readonly isInRows?: boolean;
        /** Advice on how to list the values. */
        readonly next: (name: string, flags: string) => string;
      }
    >
  > = {
    accounts: {
      find: [
        async () => {
          const { all, refusal } = await this.#accounts();
          const values = all.map(({ walletId, names }) => ({ value: walletId, names }));
          return { values, complete: refusal === undefined };
        },
        // Also search the legs, because the legs of disconnected accounts still exist.
        () => this.#inLegs('walletId'),
      ],
      next: (_, flags) => `List the accounts with: cryptodata integrations${flags}.`,
    },
    assets: {
      find: [() => this.#inLegs('assetId', symbolOf)],
      isInRows: true,
      next: (_, flags) => `Find the id of an asset with: cryptodata assets TEXT${flags}.`,
    },
    labels: {
      // The service may have labels that are not in use.
      find: [async () => ({ values: await this.#labels(), complete: false }), () => this.#inLegs('label')],
      next: (_, flags) => `List the labels with: cryptodata labels${flags}.`,
    },
    providers: {
      // The catalogue does not contain the providers of manual accounts and of removed accounts.
      find: [
        async () => {
          const { all } = await this.#accounts();
          const values = all.map(({ provider: [value = '', ...names] }) => ({ value, names }));
          return { values, complete: false };
        },
        async () => ({ values: await this.#catalogue(), complete: false }),
      ],
      next: (_, flags) => `List the providers with: cryptodata providers --all${flags}.`,
    },
    rows: {
      find: [(given) => this.#inRows(given)],
      isInRows: true,
      next: (name) => `To list all ${this.#declared.nouns}, omit ${flagName(name)}.`,
    },
  };
}

function valueFor(filter: Filter | undefined, value: string): unknown {
  return filter?.kind === 'list' ? [value] : value;
}

function named(value: string): Named {
  return { value, names: [] };
}

/**
 * Merges entries with the same value, and joins their names. Removes duplicates and empty texts, because an empty text would be
 * similar to every short text.
 */
function distinct(candidates: readonly Named[]): Iterable<Named> {
  const byValue = new Map<string, Named>();
  for (const { value, names } of candidates) {
    const all = [...(byValue.get(value)?.names ?? []), ...names].filter((name) => name !== '');
    if (value !== '') byValue.set(value, { value, names: [...new Set(all)] });
  }
  return byValue.values();
}

function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : [];
}

/**
 * Reads the labels in use. If a record has none of the fields of {@link labelJoin}, any text in the record may be the label.
 */
async function labelsOf(client: ServiceClient, signal: AbortSignal): Promise<Named[]> {
  const found: Named[] = [];
  for await (const record of client.labels.list({}, { signal }).asServed())
    found.push(...labelTextsIn(record).map(named));
  return found;
}

function labelTextsIn(record: unknown): readonly string[] {
  if (!isRecord(record)) return textsIn(record);
  const fields = labelJoin.fields.filter((field) => typeof record[field] === 'string');
  const texts = fields.length > 0 ? fields.map((field) => record[field]) : Object.values(record);
  return texts.filter((text) => typeof text === 'string');
}

export async function catalogueOf(client: ServiceClient, signal: AbortSignal): Promise<Named[]> {
  const found: Named[] = [];
  for await (const record of client.providers.list({}, { signal }).asServed()) {
    if (!isRecord(record)) continue;
    const { id, publicName, name, slug } = record;
    const names = [publicName, name, slug].map(textOf).filter((text) => text !== '');
    found.push({ value: textOf(id), names });
  }
  return found;
}
