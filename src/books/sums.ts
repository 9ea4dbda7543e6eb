import { type Exact, exact } from '../core/decimal.ts';
import { usageError } from '../core/errors.ts';
import { isExactNumber, isRecord, type JsonRecord, stringifyJson } from '../core/json.ts';
import { nearest } from '../core/nearest.ts';
import { type Coverages, coverages, FIGURES, gapsIn } from './coverage.ts';

const PERIODS = ['day', 'month', 'quarter', 'year'] as const;
type Period = (typeof PERIODS)[number];

/** What legs are put together by. */
export type SumKey =
  | { readonly kind: 'asset' }
  | { readonly kind: 'period'; readonly period: Period }
  | { readonly kind: 'field'; readonly path: string };

/** Fields that are summed, so that they cannot be what is summed by. */
const SUMMED = ['quantity', 'value', 'costbasis', 'proceeds', 'profit'] as const;

/**
 * The keys that these names mean, once each. `baseCurrency` comes last where it is not named: figures of two
 * currencies are never added together. `assetId` means `asset`, which shows the symbol beside it.
 *
 * @param fields paths of the fields that a leg has
 * @throws usage error `BAD_SUM_KEY`
 */
export function sumKeys(names: readonly string[], fields: readonly string[]): readonly SumKey[] {
  const keys = new Map<string, SumKey>();
  for (const given of [...names, 'baseCurrency']) {
    const name = given === 'assetId' ? 'asset' : given;
    keys.set(name, keyOf(name, fields));
  }
  return [...keys.values()];
}

function keyOf(name: string, fields: readonly string[]): SumKey {
  if (name === 'asset') return { kind: 'asset' };
  const period = PERIODS.find((word) => word === name);
  if (period) return { kind: 'period', period };
  if (SUMMED.some((field) => field === name)) {
    throw usageError(
      `${name} cannot be summed by: it is one of the figures that are summed`,
      'As in --sum-by asset,month',
      'BAD_SUM_KEY',
    );
  }
  if (fields.includes(name)) return { kind: 'field', path: name };
  const near = nearest(name, ['asset', ...PERIODS, ...fields]);
  throw usageError(
    `There is no ${JSON.stringify(name)} to sum by`,
    near === undefined
      ? `As in --sum-by asset,month: asset, ${PERIODS.join(', ')}, or a field of a leg.`
      : `Did you mean ${near}?`,
    'BAD_SUM_KEY',
  );
}

/** Names of the columns that the keys are shown in. */
export function keyColumns(keys: readonly SumKey[]): string[] {
  return keys.flatMap((key) =>
    key.kind === 'asset' ? ['asset', 'assetId'] : key.kind === 'period' ? [key.period] : [key.path],
  );
}

/** Quantities of two assets are never added together: without the asset among the keys there are none. */
export function hasQuantities(keys: readonly SumKey[]): boolean {
  return keys.some(({ kind }) => kind === 'asset');
}

const QUANTITIES = ['incoming', 'outgoing', 'fee', 'net', 'quantityUnknown'] as const;
const VALUES = ['incomingValue', 'outgoingValue', 'feeValue', 'valueUnknown'] as const;
const RESULTS = ['costbasis', 'proceeds', 'profit'] as const;
const COVERED = { costbasis: 'cost basis', proceeds: 'proceeds', profit: 'profit' } as const;

/** Names of the columns of the figures. */
export function figureColumns(keys: readonly SumKey[]): string[] {
  const results = RESULTS.flatMap((name) => [name, `${name}Unknown`]);
  return ['legs', ...(hasQuantities(keys) ? QUANTITIES : []), ...VALUES, ...results, 'incomplete'];
}

const TYPES = ['incoming', 'outgoing', 'fee'] as const;
type Type = (typeof TYPES)[number];

/** The sum of the figures that are known. */
class Total {
  #sum = ZERO;
  #known = 0;
  #unknown = 0;

  add(figure: Exact | null): void {
    if (figure === null) {
      this.#unknown += 1;
      return;
    }
    this.#known += 1;
    this.#sum = this.#sum.plus(figure);
  }

  /** Null where there are figures and not one of them is known: unknown is not 0. */
  get sum(): Exact | null {
    return this.#known === 0 && this.#unknown > 0 ? null : this.#sum;
  }
}

interface Group {
  readonly keys: readonly unknown[];
  readonly ofType: Readonly<Record<Type, { readonly quantity: Total; readonly value: Total }>>;
  readonly results: readonly Total[];
  readonly covered: Coverages;
  legs: number;
  /** The smallest of the symbols that came, so that the order of the legs says nothing. */
  symbol: string | null;
  rawSymbol: string | null;
}

/**
 * Exact sums of legs by keys, in any order of the legs; memory grows with the groups. Figures are added as the decimals
 * that they were served as. A figure that is null or no decimal is no 0: it is counted as unknown.
 */
export class Sums {
  readonly #keys: readonly SumKey[];
  readonly #readers: readonly ((row: JsonRecord) => unknown)[];
  readonly #byAsset: boolean;
  readonly #dateOf: (timestamp: number) => string;
  readonly #groups = new Map<string, Group>();
  /** Legs that have no `assetId`: those of one symbol are added together. */
  unresolved = 0;

  /** @param dateOf the day of a moment in Unix milliseconds, as ISO 8601, more behind it; '' where it is none */
  constructor(keys: readonly SumKey[], dateOf: (timestamp: number) => string) {
    this.#keys = keys;
    this.#byAsset = hasQuantities(keys);
    this.#dateOf = dateOf;
    const day = dayReader(dateOf);
    this.#readers = keys.map((key) => {
      if (key.kind === 'asset') return assetIdentity;
      if (key.kind === 'field') return fieldReader(key.path);
      const { period } = key;
      return (row) => periodOf(day(row['timestamp']), period);
    });
  }

  /** How many groups there are. */
  get size(): number {
    return this.#groups.size;
  }

  add(row: JsonRecord): void {
    const group = this.#groupOf(row);
    group.legs += 1;
    if (this.#byAsset) this.#learnSymbol(group, row);
    const type = TYPES.find((name) => name === row['type']);
    const { covered } = group;
    const { timestamp } = row;
    // The quantity and the value of a leg of another type are in no sum.
    const quantity = this.#byAsset && type !== undefined ? figureOf(row['quantity']) : null;
    const value = type === undefined ? null : figureOf(row['value']);
    if (type !== undefined) {
      if (this.#byAsset) group.ofType[type].quantity.add(quantity);
      group.ofType[type].value.add(value);
    }
    if (this.#byAsset) covered.quantity.add(quantity !== null, timestamp);
    covered.value.add(value !== null, timestamp);
    RESULTS.forEach((name, at) => {
      const figure = figureOf(row[name]);
      group.results[at]?.add(figure);
      covered[COVERED[name]].add(figure !== null, timestamp);
    });
  }

  /** What is incomplete over all groups, a sentence each: `profit is known for 236 of 327 legs, none after 2025-09-30`. */
  gaps(): string[] {
    const all = coverages();
    for (const { covered } of this.#groups.values())
      for (const figure of FIGURES) all[figure].merge(covered[figure]);
    return gapsIn(all, this.#dateOf);
  }

  /** A record for each group, in the order of the keys; what has no value of a key stands last. */
  *rows(): Generator<JsonRecord> {
    const groups = [...this.#groups.values()].map((group) => ({ group, keys: this.#shownKeys(group) }));
    groups.sort((left, right) => compareKeys(left.keys, right.keys));
    const names = keyColumns(this.#keys);
    for (const { group, keys } of groups) {
      yield {
        ...Object.fromEntries(names.map((name, at) => [name, keys[at] ?? null])),
        ...this.#figures(group),
      };
    }
  }

  #groupOf(row: JsonRecord): Group {
    const keys = this.#readers.map((read) => read(row) ?? null);
    const identity = stringifyJson(keys);
    let group = this.#groups.get(identity);
    if (!group) {
      const totals = () => ({ quantity: new Total(), value: new Total() });
      group = {
        keys,
        ofType: { incoming: totals(), outgoing: totals(), fee: totals() },
        results: RESULTS.map(() => new Total()),
        covered: coverages(),
        ...{ legs: 0, symbol: null, rawSymbol: null },
      };
      this.#groups.set(identity, group);
    }
    return group;
  }

  #learnSymbol(group: Group, row: JsonRecord): void {
    if (typeof row['assetId'] !== 'string') this.unresolved += 1;
    group.symbol = smaller(group.symbol, symbolIn(row['asset']));
    group.rawSymbol = smaller(group.rawSymbol, symbolIn(row['assetRaw']));
  }

  #shownKeys({ keys, symbol, rawSymbol }: Group): unknown[] {
    return this.#keys.flatMap(({ kind }, at) =>
      kind === 'asset' ? [symbol ?? rawSymbol, Object(keys[at]).assetId ?? null] : [keys[at] ?? null],
    );
  }

  #figures({ legs, ofType, results, covered, symbol, rawSymbol, keys }: Group): JsonRecord {
    const figures: JsonRecord = { legs };
    if (this.#byAsset) {
      // Legs of which not even a symbol is known may be of several assets.
      const at = this.#keys.findIndex(({ kind }) => kind === 'asset');
      const nameless = symbol === null && rawSymbol === null && Object(keys[at]).assetId === undefined;
      const [incoming, outgoing, fee] = TYPES.map((type) => (nameless ? null : ofType[type].quantity.sum));
      const net = incoming && outgoing && fee ? incoming.minus(outgoing).minus(fee) : null;
      Object.assign(figures, {
        ...{ incoming: textOf(incoming), outgoing: textOf(outgoing), fee: textOf(fee), net: textOf(net) },
        quantityUnknown: nameless ? legs : covered.quantity.unknown,
      });
    }
    for (const type of TYPES) figures[`${type}Value`] = textOf(ofType[type].value.sum);
    figures['valueUnknown'] = covered.value.unknown;
    RESULTS.forEach((name, at) => {
      figures[name] = textOf(results[at]?.sum);
      figures[`${name}Unknown`] = covered[COVERED[name]].unknown;
    });
    figures['incomplete'] = gapsIn(covered, this.#dateOf).join('; ') || null;
    return figures;
  }
}

const ZERO = exact('0') as Exact;
/** Digits before and behind the point up to which every sum is exact (see core/decimal.ts). */
const MOST_DIGITS = 400;

/** The exact value of a decimal string or of a JSON number; null where there is none, or none that can be summed. */
function figureOf(value: unknown): Exact | null {
  const text = typeof value === 'number' ? String(value) : isExactNumber(value) ? value.value : value;
  const figure = exact(text);
  if (figure === null || typeof text !== 'string') return null;
  if (text.length < MOST_DIGITS && !/e/i.test(text)) return figure;
  return Math.abs(figure.e) < MOST_DIGITS && figure.decimalPlaces() < MOST_DIGITS ? figure : null;
}

function textOf(figure: Exact | null | undefined): string | null {
  return figure?.toFixed() ?? null;
}

/** What tells assets apart: the id, and without one the symbol of its source. */
function assetIdentity(row: JsonRecord): JsonRecord {
  const { assetId } = row;
  if (typeof assetId === 'string') return { assetId };
  return { symbol: symbolIn(row['asset']) ?? symbolIn(row['assetRaw']) };
}

function symbolIn(asset: unknown): string | null {
  const symbol = isRecord(asset) ? asset['symbol'] : undefined;
  return typeof symbol === 'string' && symbol !== '' ? symbol : null;
}

function smaller(left: string | null, right: string | null): string | null {
  if (left === null || right === null) return left ?? right;
  return right < left ? right : left;
}

function fieldReader(path: string): (row: JsonRecord) => unknown {
  const parts = path.split('.');
  return (row) => {
    let value: unknown = row;
    for (const part of parts) {
      value = isRecord(value) && Object.hasOwn(value, part) ? value[part] : undefined;
    }
    return value;
  };
}

/** Offsets of zones are whole quarters of an hour since this moment, so that a quarter is of one day. */
const QUARTERS_SINCE = 100_000_000_000;
const QUARTER = 900_000;

function dayReader(dateOf: (timestamp: number) => string): (timestamp: unknown) => string {
  let lastQuarter: number | undefined;
  let lastDay = '';
  return (timestamp) => {
    if (typeof timestamp !== 'number') return '';
    if (timestamp < QUARTERS_SINCE) return dateOf(timestamp);
    const quarter = Math.floor(timestamp / QUARTER);
    // Legs mostly come in the order of time, and the calendar costs more than the sums.
    if (quarter !== lastQuarter) [lastQuarter, lastDay] = [quarter, dateOf(timestamp)];
    return lastDay;
  };
}

/** A period as `--period` takes it; null where there is no day. */
function periodOf(date: string, period: Period): string | null {
  const [, year, month = '', day] = /^([+-]?\d+)-(\d\d)-(\d\d)/.exec(date) ?? [];
  if (year === undefined) return null;
  if (period === 'year') return year;
  if (period === 'month') return `${year}-${month}`;
  return period === 'day' ? `${year}-${month}-${day}` : `${year}-Q${Math.ceil(Number(month) / 3)}`;
}

function compareKeys(left: readonly unknown[], right: readonly unknown[]): number {
  for (let at = 0; at < left.length; at++) {
    const order = compare(left[at] ?? null, right[at] ?? null);
    if (order !== 0) return order;
  }
  return 0;
}

function compare(left: unknown, right: unknown): number {
  if (left === null || right === null) return Number(left === null) - Number(right === null);
  if (typeof left === 'number' && typeof right === 'number') return left - right;
  const [a, b] = [left, right].map((value) => (typeof value === 'string' ? value : stringifyJson(value)));
  return (a ?? '') < (b ?? '') ? -1 : (a ?? '') > (b ?? '') ? 1 : 0;
}
