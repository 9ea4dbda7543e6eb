import { accountingFields } from '../api/ledgers.ts';
import type { Exact } from '../core/decimal.ts';
import { usageError } from '../core/errors.ts';
import { isRecord, type JsonRecord, stringifyJson } from '../core/json.ts';
import { nearest } from '../core/nearest.ts';
import { type Coverages, coverages, FIGURES, gapsIn } from './coverage.ts';
import { figureOf, moneyOf } from './figure.ts';
import { Total } from './total.ts';

export const PERIODS = ['day', 'month', 'quarter', 'year'] as const;
type Period = (typeof PERIODS)[number];

/** A key for grouping legs. */
export type SumKey =
  | { readonly kind: 'asset' }
  | { readonly kind: 'period'; readonly period: Period }
  | { readonly kind: 'field'; readonly path: string };

/** Fields that are summed and therefore cannot be keys. */
const SUMMED = ['quantity', 'value', 'costbasis', 'proceeds', 'profit'] as const;

/**
 * Parses key names and removes duplicates. Appends `baseCurrency` if it is missing, because a sum never mixes values in
 * different currencies. Replaces `assetId` with `asset`, which also shows the symbol.
 *
 * @param fields dotted names of the fields of a leg
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
      `Cannot sum by ${name}: ${name} is one of the summed fields`,
      'Use other fields, for example --sum-by asset,month.',
      'BAD_SUM_KEY',
    );
  }
  if (fields.includes(name)) return { kind: 'field', path: name };
  const near = nearest(name, ['asset', ...PERIODS, ...fields]);
  throw usageError(
    `Unknown field ${JSON.stringify(name)} in --sum-by`,
    near === undefined
      ? `Use asset, ${PERIODS.join(', ')}, or the name of a leg field, for example --sum-by asset,month.`
      : `Did you mean ${near}?`,
    'BAD_SUM_KEY',
  );
}

/** Column names of the keys. */
export function keyColumns(keys: readonly SumKey[]): string[] {
  return keys.flatMap((key) =>
    key.kind === 'asset' ? ['asset', 'assetId'] : key.kind === 'period' ? [key.period] : [key.path],
  );
}

/**
 * Whether the sums include quantities. The asset must then be a key, because a sum never mixes quantities of different assets.
 */
export function hasQuantities(keys: readonly SumKey[]): boolean {
  return keys.some(({ kind }) => kind === 'asset');
}

const QUANTITIES = ['incoming', 'outgoing', 'fee', 'net', 'quantityUnknown'] as const;
const VALUES = ['incomingValue', 'outgoingValue', 'feeValue', 'valueUnknown'] as const;
const RESULTS = accountingFields;
const COVERED = { costbasis: 'cost basis', proceeds: 'proceeds', profit: 'profit' } as const;

/** Column names of the sums. */
export function figureColumns(keys: readonly SumKey[]): string[] {
  const results = RESULTS.flatMap((name) => [name, `${name}Unknown`]);
  return ['legs', ...(hasQuantities(keys) ? QUANTITIES : []), ...VALUES, ...results, 'incomplete'];
}

const TYPES = ['incoming', 'outgoing', 'fee'] as const;
type Type = (typeof TYPES)[number];

interface Group {
  readonly keys: readonly unknown[];
  readonly ofType: Readonly<Record<Type, { readonly quantity: Total; readonly value: Total }>>;
  readonly results: readonly Total[];
  readonly covered: Coverages;
  legs: number;
  /** The first of the group's symbols in sort order, so that the result does not depend on the order of the legs. */
  symbol: string | null;
  rawSymbol: string | null;
}

/**
 * Computes exact sums of legs, grouped by keys. Legs can be added in any order. Memory use grows with the number of groups. A
 * value that is null or not a decimal counts as unknown, not as 0.
 */
export class Sums {
  readonly #keys: readonly SumKey[];
  readonly #readers: readonly ((row: JsonRecord) => unknown)[];
  readonly #byAsset: boolean;
  readonly #dateOf: (timestamp: number) => string;
  readonly #groups = new Map<string, Group>();
  /** Number of legs without an `assetId`. Such legs are grouped by symbol. */
  unresolved = 0;

  /** @param dateOf converts Unix milliseconds to text that starts with the ISO 8601 date, or to '' for an invalid time */
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

  /** Number of groups. */
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
    // The sums of quantities and values exclude legs of an unknown type.
    const quantity = this.#byAsset && type !== undefined ? figureOf(row['quantity']) : null;
    const value = type === undefined ? null : moneyOf(row, 'value');
    if (type !== undefined) {
      if (this.#byAsset) group.ofType[type].quantity.add(quantity);
      group.ofType[type].value.add(value);
    }
    if (this.#byAsset) covered.quantity.add(quantity !== null, timestamp);
    covered.value.add(value !== null, timestamp);
    RESULTS.forEach((name, at) => {
      const figure = moneyOf(row, name);
      group.results[at]?.add(figure);
      covered[COVERED[name]].add(figure !== null, timestamp);
    });
  }

  /**
   * Describes each incomplete sum, for all groups together: `profit is known for 236 of 327 legs, none after 2025-09-30`.
   */
  gaps(): string[] {
    const all = coverages();
    for (const { covered } of this.#groups.values())
      for (const figure of FIGURES) all[figure].merge(covered[figure]);
    return gapsIn(all, this.#dateOf);
  }

  /** Yields one record per group, sorted by keys. Missing keys come last. */
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
      // Legs with neither id nor symbol may belong to different assets, so their quantities are not summed.
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

function textOf(figure: Exact | null | undefined): string | null {
  return figure?.toFixed() ?? null;
}

/** Identifies the asset of a leg by its id or, without an id, by its symbol. */
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

/**
 * A time in 1973, in Unix milliseconds. Since then, all time zone offsets have been multiples of 15 minutes, so each quarter of
 * an hour lies within one day.
 */
const QUARTERS_SINCE = 100_000_000_000;
const QUARTER = 900_000;

function dayReader(dateOf: (timestamp: number) => string): (timestamp: unknown) => string {
  let lastQuarter: number | undefined;
  let lastDay = '';
  return (timestamp) => {
    if (typeof timestamp !== 'number') return '';
    if (timestamp < QUARTERS_SINCE) return dateOf(timestamp);
    const quarter = Math.floor(timestamp / QUARTER);
    // Cache the last day, because date arithmetic takes longer than adding the sums. Legs are mostly ordered by time, so
    // consecutive legs usually have the same day.
    if (quarter !== lastQuarter) [lastQuarter, lastDay] = [quarter, dateOf(timestamp)];
    return lastDay;
  };
}

/** Returns the year, quarter, month or day of a date, in the format of `--period`; null for an invalid date. */
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
