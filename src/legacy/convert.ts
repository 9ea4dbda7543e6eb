import { isRecord, type JsonRecord } from '../core/json.ts';
import { isMarked, type Kind, kindOf, listIn } from './kinds.ts';
import { ADDED_FIELDS } from './renames.ts';
import { type ConvertReport, Reporter } from './report.ts';
import { digitsOf } from './values.ts';

export interface ConvertOptions {
  /** The kind of the records (default: detected from the document). */
  readonly kind?: Kind | undefined;
  /**
   * With `null`, a `roi` of 0 becomes null. In the current format, null means that the return on investment is unknown.
   */
  readonly zeroRoi?: 'keep' | 'null' | undefined;
}

export interface Converted {
  readonly value: unknown;
  readonly report: ConvertReport;
}

/**
 * Converts a response from the legacy API to the current format. Names, envelope and null values change as listed in the
 * specification ("Versioning"). The report lists values without an equivalent in the current API. Fields whose value is unknown
 * are not added. A document in the current format is not changed.
 */
export function convert(document: unknown, options: ConvertOptions = {}): Converted {
  const reporter = new Reporter();
  const kind = options.kind ?? kindOf(document);
  const conversion = new Conversion(kind, options.zeroRoi ?? 'keep', reporter);
  const value = conversion.document(document);
  return { value, report: reporter.report(kind) };
}

type Path = readonly (string | number)[];

class Conversion {
  readonly #kind: Kind;
  readonly #zeroRoi: 'keep' | 'null';
  readonly #report: Reporter;

  constructor(kind: Kind, zeroRoi: 'keep' | 'null', report: Reporter) {
    this.#kind = kind;
    this.#zeroRoi = zeroRoi;
    this.#report = report;
  }

  document(document: unknown): unknown {
    if (Array.isArray(document)) return this.#rows(document, []);
    if (!isRecord(document)) return document;
    const list = listIn(document, this.#kind);
    if (list) return this.#envelope(document, list);
    const { data } = document;
    const wrapped = 'success' in document || 'user_id' in document || isMarked([data], this.#kind);
    if (!isRecord(data) || !wrapped) {
      return this.#record(this.#withoutSender(document, []), []);
    }
    // A single record in an envelope.
    const extras: Fields = new Map();
    this.#addExtras(document, 'data', [], extras);
    return wrap(extras, this.#record(data, ['data']));
  }

  #envelope(document: JsonRecord, name: readonly string[]): unknown {
    const [outer = '', inner] = name;
    const wrapped = inner === undefined ? undefined : document[outer];
    const holder = isRecord(wrapped) ? wrapped : document;
    const rows = holder[inner ?? outer];
    const converted = this.#rows(Array.isArray(rows) ? rows : [], name);
    const extras: Fields = new Map();
    this.#addExtras(document, outer, [], extras);
    // Responses with holdings in the legacy format do not contain `totalValue`, so report this field as missing.
    if (Array.isArray(rows) && rows.some((row) => this.#isOldHolding(row)) && !extras.has('totalValue')) {
      this.#report.miss(['totalValue'], 'the value of all holdings is not in the legacy API');
    }
    // For providers, `{ success, data: { providers, pagination } }` is already the current format.
    const catalogue = this.#kind === 'providers';
    if (inner !== undefined && !catalogue) this.#addExtras(holder, inner, [outer], extras);
    if (catalogue ? inner === undefined : name.join() !== 'data') {
      this.#report.change(name, catalogue ? 'data.providers' : 'data');
    }
    this.#drop(extras, 'data', '"data" now contains the rows');
    if (this.#kind === 'transactions') return this.#transactions(converted, extras);
    const kept = catalogue && inner !== undefined ? holder : {};
    return wrap(extras, catalogue ? { ...kept, [inner ?? 'providers']: converted } : converted);
  }

  /** Returns the envelope `{ data, meta }`, which has no field `success`. */
  #transactions(data: readonly unknown[], extras: Fields): JsonRecord {
    this.#drop(extras, 'success', 'the envelope of transactions is now { data, meta }');
    const before = extras.get('meta')?.value;
    if (!isRecord(before)) this.#drop(extras, 'meta', '"meta" now contains the paging fields');
    const meta: Fields = new Map();
    for (const [key, value] of Object.entries(isRecord(before) ? before : {})) {
      meta.set(key, { value, from: ['meta', key], original: value });
    }
    for (const [name, key] of IN_META) {
      const field = extras.get(name);
      if (field === undefined) continue;
      if (meta.has(key)) this.#report.lose(field.from, field.original, `meta.${key} already exists`);
      else meta.set(key, field);
      extras.delete(name);
    }
    extras.delete('meta');
    return { data, ...(meta.size > 0 ? { meta: plain(meta) } : {}), ...plain(extras) };
  }

  #drop(fields: Fields, key: string, why: string): void {
    const field = fields.get(key);
    if (field === undefined) return;
    this.#report.lose(field.from, field.original, why);
    fields.delete(key);
  }

  /** Adds the fields of the envelope, but not the rows. Uses current names. Reports fields that no longer exist. */
  #addExtras(document: JsonRecord, rows: string, path: Path, into: Fields): void {
    const own = this.#withoutSender(document, path);
    for (const [name, value] of Object.entries(own)) {
      if (name === rows) continue;
      const at = [...path, name];
      const gone = Object.hasOwn(GONE, name) ? GONE[name] : undefined;
      if (name === 'pagination' && isRecord(value)) this.#pagination(value, at, into);
      else if (gone !== undefined) this.#report.lose(at, value, gone);
      else this.#put(into, camelCase(name), this.#value(value, at), at, value);
    }
  }

  #pagination(pagination: JsonRecord, path: Path, into: Fields): void {
    for (const [name, value] of Object.entries(pagination)) {
      const at = [...path, name];
      const now = Object.hasOwn(PAGINATION, name) ? PAGINATION[name] : undefined;
      if (now?.name === undefined) this.#report.lose(at, value, now?.why ?? PAGING_DIFFERS);
      else if (into.has(now.name)) this.#report.lose(at, value, `${now.name} already exists`);
      else this.#put(into, now.name, this.#value(value, at), at, value);
    }
  }

  /** Removes `user_id` and `timestamp`, which the legacy API adds to nearly every response. */
  #withoutSender(document: JsonRecord, path: Path): JsonRecord {
    // Without an envelope, `timestamp` may be a field of the record.
    if (!('user_id' in document) && path.length === 0 && listIn(document, this.#kind) === undefined)
      return document;
    const { user_id, timestamp, ...rest } = document;
    if ('user_id' in document) this.#report.lose([...path, 'user_id'], user_id, NO_USER);
    if ('timestamp' in document) this.#report.lose([...path, 'timestamp'], timestamp, NO_TIME);
    return rest;
  }

  #rows(rows: readonly unknown[], path: Path): unknown[] {
    return rows.map((row, index) =>
      isRecord(row) ? this.#record(row, [...path, index]) : this.#value(row, [...path, index]),
    );
  }

  #record(record: JsonRecord, path: Path): JsonRecord {
    const result: Fields = new Map();
    for (const [name, value] of Object.entries(record)) {
      const at = [...path, name];
      const key = camelCase(name);
      if (this.#kind === 'holdings' && Object.hasOwn(HOLDING, key))
        this.#holding(key, value, at, record, result);
      else if (this.#kind === 'providers' && Object.hasOwn(OLD_PROVIDER, key)) {
        this.#report.lose(at, value, OLD_PROVIDER[key] ?? '');
      } else {
        if (key === 'costbasis' && this.#kind === 'other') {
          this.#report.doubt(
            at,
            value,
            'the current name is costBasis for holdings, but costbasis for ledgers; specify --kind',
          );
        }
        this.#put(result, key, this.#value(value, at), at, value);
      }
    }
    if (this.#isOldHolding(record)) {
      for (const [name] of ADDED_FIELDS) {
        if (!result.has(name)) this.#report.miss([...path, name], 'not in the legacy API');
      }
    }
    return plain(result);
  }

  #isOldHolding(row: unknown): boolean {
    return (
      this.#kind === 'holdings' &&
      isRecord(row) &&
      Object.keys(row).some((name) => Object.hasOwn(HOLDING, camelCase(name)))
    );
  }

  #holding(key: string, value: unknown, at: Path, record: JsonRecord, into: Fields): void {
    const now = HOLDING[key] ?? key;
    if (Object.hasOwn(record, now)) {
      this.#report.lose(at, value, `${now} already exists`);
      return;
    }
    let kept = this.#value(value, at);
    if (key === 'roi' && isZero(value)) {
      if (this.#zeroRoi === 'null') {
        const why =
          '--zero-roi null converted 0 to null; null means that the return on investment is unknown';
        this.#report.lose(at, value, why);
        kept = null;
      } else {
        const why =
          '0 may mean a return of 0 or an unknown return (null in the current format); if it is unknown, use --zero-roi null';
        this.#report.doubt(at, value, why);
      }
    }
    if (key === '24hrChange' && !Object.hasOwn(record, 'change24h')) {
      const why = '24hrChange was a percentage; the absolute change is unknown';
      this.#report.miss([...at.slice(0, -1), 'change24h'], why);
    }
    this.#put(into, now, kept, at, value);
  }

  /** Converts a value inside a record. Only names in snake_case change. */
  #value(value: unknown, path: Path): unknown {
    if (Array.isArray(value)) return value.map((item, index) => this.#value(item, [...path, index]));
    if (!isRecord(value)) return value;
    const result: Fields = new Map();
    // In the functions of a provider, the specification uses the name `public_name` instead of `publicName`.
    const isFunction = this.#kind === 'providers' && path.at(-2) === 'functions';
    for (const [name, member] of Object.entries(value)) {
      const at = [...path, name];
      const key = isFunction ? (name === 'publicName' ? 'public_name' : name) : camelCase(name);
      this.#put(result, key, this.#value(member, at), at, member);
    }
    return plain(result);
  }

  /**
   * Adds a value under its current name. If two fields get the same name, the field with this name in the original document
   * takes precedence.
   */
  #put(into: Fields, key: string, value: unknown, from: Path, original: unknown): void {
    const first = into.get(key);
    const own = from.at(-1) === key;
    if (first && !own) {
      this.#report.lose(from, original, `${key} already exists`);
      return;
    }
    if (first) this.#report.lose(first.from, first.original, `${key} already exists`);
    if (!own) this.#report.change(from, key);
    into.set(key, { value, from, original });
  }
}

/** A converted value, with the path and value in the original document. */
interface Field {
  readonly value: unknown;
  readonly from: Path;
  readonly original: unknown;
}
type Fields = Map<string, Field>;

function plain(fields: Fields): JsonRecord {
  return Object.fromEntries([...fields].map(([key, { value }]) => [key, value]));
}

const IN_META = [
  ['totalCount', 'total'],
  ['total', 'total'],
  ['limit', 'limit'],
  ['offset', 'offset'],
  ['hasMore', 'hasMore'],
] as const;

const HOLDING: Readonly<Record<string, string>> = {
  costbasis: 'costBasis',
  roi: 'roiPercentage',
  '24hrChange': 'change24hPercentage',
};

const PAGING_DIFFERS = 'the pagination object no longer exists; paging differs per domain';
const NO_USER = 'no longer in responses: use the grant record, or GET /v1/users/me';
const NO_TIME = 'time of the response; no longer in responses';

interface PagingName {
  readonly name?: string;
  readonly why: string;
}

const PAGINATION: Readonly<Record<string, PagingName>> = {
  limit: { name: 'limit', why: '' },
  offset: { name: 'offset', why: '' },
  totalCount: { name: 'totalCount', why: '' },
  total_count: { name: 'totalCount', why: '' },
  hasNextPage: { name: 'hasMore', why: '' },
  has_next_page: { name: 'hasMore', why: '' },
  returned_count: { why: 'no longer exists; count the rows instead' },
  hasPreviousPage: { why: 'no longer exists; check whether offset is above 0 instead' },
  has_previous_page: { why: 'no longer exists; check whether offset is above 0 instead' },
};

/** Fields of the legacy envelope that no longer exist, each with its replacement or an explanation. */
const GONE: Readonly<Record<string, string>> = {
  summary:
    'no longer inline: use totalValue, totalEstimatedValueUsd from GET /v1/nfts, and GET /v1/defi/totals',
  total_defi_value: 'moved to GET /v1/defi/totals',
  base_currency: 'no longer in responses, according to the specification',
  sorted_by_highest_value: 'no longer in responses, according to the specification',
};

const NO_FIELD = 'not in the current catalogue';
const OLD_PROVIDER: Readonly<Record<string, string>> = {
  isAPI: `${NO_FIELD}: see importMethods, which distinguishes api and address`,
  isCSV: `${NO_FIELD}: see importMethods`,
  isOAuth: `${NO_FIELD}: see importMethods`,
  isEVM: NO_FIELD,
  communityId: `${NO_FIELD}: metadata may contain an aggregator id`,
  importGuide: `${NO_FIELD}: walletLimitations contains instructions`,
};

/** Converts a snake_case name: `net_usd_value` becomes `netUsdValue`. Other names are not changed. */
export function camelCase(name: string): string {
  return /^[a-z0-9]+(_[a-z0-9]+)+$/.test(name)
    ? name.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase())
    : name;
}

function isZero(value: unknown): boolean {
  const digits = typeof value === 'string' ? value : digitsOf(value);
  return digits !== undefined && digits.trim() !== '' && Number(digits) === 0;
}

/** Adds the envelope `{ success, data, … }`. If there is a field `meta`, the field `success` is not added. */
function wrap(extras: Fields, data: unknown): JsonRecord {
  const { success, ...rest } = plain(extras);
  if (isRecord(rest['meta']) && !extras.has('success')) return { data, ...rest };
  return { success: extras.has('success') ? success : true, data, ...rest };
}
