import { accountingFields } from '../api/ledgers.ts';
import type { Exact } from '../core/decimal.ts';
import { usageError } from '../core/errors.ts';
import { fieldAt, type JsonRecord, stringifyJson } from '../core/json.ts';
import { nearest } from '../core/nearest.ts';
import { Amount } from './amount.ts';
import { type Coverages, coverages, FIGURES, gapsIn } from './coverage.ts';
import { LegFaults } from './faults.ts';
import { DIRECTIONS, type Direction, Leg } from './leg.ts';

export const PERIODS = ['day', 'month', 'quarter', 'year'] as const;
type Period = (typeof PERIODS)[number];

/** A key for grouping legs. */
export type SumKey =
  | { readonly kind: 'asset' }
  | { readonly kind: 'period'; readonly period: Period }
  | { readonly kind: 'field'; readonly path: string };

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
  if (FIGURES.some((field) => field === name)) {
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

/** Whether the fiscal year determines a key. */
export function hasFiscalYear(keys: readonly SumKey[]): boolean {
  return keys.some((key) => key.kind === 'period' && (key.period === 'year' || key.period === 'quarter'));
}

/** Column names of the keys. */
export function keyColumns(keys: readonly SumKey[]): string[] {
  return keys.flatMap((key) =>
    key.kind === 'asset' ? ['asset', 'assetId'] : key.kind === 'period' ? [key.period] : [key.path],
  );
}

/**
 * Whether the sums include quantities. This requires the asset as a key, because quantities of different assets must not be
 * added up.
 */
export function hasQuantities(keys: readonly SumKey[]): boolean {
  return keys.some(({ kind }) => kind === 'asset');
}

const QUANTITIES = ['incoming', 'outgoing', 'fee', 'net', 'quantityUnknown'] as const;
const VALUES = ['incomingValue', 'outgoingValue', 'feeValue', 'valueUnknown'] as const;

/** Column names of the sums. */
export function figureColumns(keys: readonly SumKey[]): string[] {
  const results = accountingFields.flatMap((name) => [name, `${name}Unknown`]);
  return ['legs', ...(hasQuantities(keys) ? QUANTITIES : []), ...VALUES, ...results, 'incomplete'];
}

type ByType = Readonly<Record<Direction, Amount>>;
const byType = (): ByType => ({ incoming: new Amount(), outgoing: new Amount(), fee: new Amount() });

interface Group {
  readonly keys: readonly unknown[];
  /** The first leg. All legs of a group have the same asset if the asset is a key. */
  readonly asset: Pick<Leg, 'assetId' | 'isNameless'>;
  readonly quantities: ByType;
  readonly values: ByType;
  /** All legs. The quantity is the net change of the balance. */
  readonly covered: Coverages;
  legs: number;
  /** The first of the group's symbols in sort order, so that the result does not depend on the order of the legs. */
  symbol: string;
}

/**
 * Computes exact sums of legs, grouped by keys. Legs can be added in any order. Memory use grows with the number of groups. A
 * value that is null or not a decimal counts as unknown, not as 0.
 */
export class Sums {
  readonly #keys: readonly SumKey[];
  readonly #readers: readonly ((leg: Leg) => unknown)[];
  readonly #byAsset: boolean;
  readonly #dateOf: (timestamp: number) => string;
  readonly #groups = new Map<string, Group>();
  /** Number of legs without an `assetId`. Such legs are grouped by symbol. */
  unresolved = 0;
  readonly faults = new LegFaults();
  untimed = 0;

  /**
   * @param dateOf converts Unix milliseconds to text that starts with the ISO 8601 date, or to '' for an invalid time
   * @param yearStart the first day of the fiscal year, such as `04-06`
   */
  constructor(keys: readonly SumKey[], dateOf: (timestamp: number) => string, yearStart = '01-01') {
    this.#keys = keys;
    this.#byAsset = hasQuantities(keys);
    this.#dateOf = dateOf;
    this.#readers = keys.map((key) => {
      if (key.kind === 'asset') return ({ asset }) => asset;
      // Files do not distinguish an empty text from a missing value.
      if (key.kind === 'field') return ({ record }) => shownField(fieldAt(record, key.path));
      return ({ time }) => (time === undefined ? null : periodOf(dateOf(time), key.period, yearStart));
    });
  }

  /** Number of groups. */
  get size(): number {
    return this.#groups.size;
  }

  add(added: Leg | JsonRecord): void {
    const leg = Leg.of(added);
    const { time } = leg;
    const group = this.#groupOf(leg);
    const { covered, quantities, values } = group;
    group.legs += 1;
    // If a leg has no direction, the net quantity is unknown, and the leg counts as a leg without a value.
    const type = leg.direction;
    this.faults.add(leg);
    if (time === undefined) this.untimed += 1;
    if (this.#byAsset) {
      if (leg.assetId === null) this.unresolved += 1;
      if (group.symbol === '' || (leg.symbol !== '' && leg.symbol < group.symbol)) group.symbol = leg.symbol;
      if (type) quantities[type].add(leg.quantity);
      covered.quantity.add(leg.change, time);
      // Several nameless legs may belong to different assets, so the sum of their quantities is unknown.
      if (leg.isNameless && group.legs > 1) covered.quantity.forget();
    }
    const value = type ? leg.money('value') : null;
    if (type) values[type].add(value);
    covered.value.add(value, time);
    for (const name of accountingFields) covered[name].add(leg.money(name), time);
  }

  /**
   * Returns a sentence for each incomplete sum over all groups, such as `profit is known for 236 of 327 legs, none after
   * 2025-09-30`.
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

  #groupOf(leg: Leg): Group {
    const keys = this.#readers.map((read) => read(leg) ?? null);
    const identity = stringifyJson(keys);
    let group = this.#groups.get(identity);
    if (!group) {
      const { assetId, isNameless } = leg;
      const sums = { quantities: byType(), values: byType(), covered: coverages() };
      group = { keys, asset: { assetId, isNameless }, ...sums, legs: 0, symbol: '' };
      this.#groups.set(identity, group);
    }
    return group;
  }

  #shownKeys({ keys, asset, symbol }: Group): unknown[] {
    return this.#keys.flatMap(({ kind }, at) =>
      kind === 'asset' ? [symbol || null, asset.assetId] : [keys[at]],
    );
  }

  #figures({ legs, asset, quantities, values, covered }: Group): JsonRecord {
    const figures: JsonRecord = { legs };
    if (this.#byAsset) {
      const isKnown = !asset.isNameless || legs === 1;
      for (const type of DIRECTIONS) figures[type] = isKnown ? decimal(quantities[type].whole) : null;
      figures['net'] = decimal(covered.quantity.whole);
      figures['quantityUnknown'] = covered.quantity.unknown;
    }
    for (const type of DIRECTIONS) figures[`${type}Value`] = decimal(values[type].part);
    figures['valueUnknown'] = covered.value.unknown;
    for (const name of accountingFields) {
      figures[name] = decimal(covered[name].part);
      figures[`${name}Unknown`] = covered[name].unknown;
    }
    figures['incomplete'] = gapsIn(covered, this.#dateOf).join('; ') || null;
    return figures;
  }
}

function shownField(field: unknown): unknown {
  return field === '' ? null : field;
}

function decimal(figure: Exact | null): string | null {
  return figure?.toFixed() ?? null;
}

/** Returns the year, quarter, month or day of a date, in the format of `--period`; null for an invalid date. */
function periodOf(date: string, period: Period, yearStart: string): string | null {
  const [, year, month = '', day = ''] = /^([+-]?\d+)-(\d\d)-(\d\d)/.exec(date) ?? [];
  if (year === undefined) return null;
  if (period === 'month') return `${year}-${month}`;
  if (period === 'day') return `${year}-${month}-${day}`;
  return yearOrQuarterOf({ year: Number(year), month: Number(month), day: Number(day) }, period, yearStart);
}

/**
 * Returns the name of the year or the quarter that contains a day, in the format of `--period`.
 *
 * @param date the ISO 8601 date
 * @param start the first day of the fiscal year, `04-06`
 */
export function yearOrQuarterOf(
  date: { readonly year: number; readonly month: number; readonly day: number },
  unit: 'year' | 'quarter',
  start: string,
): string {
  const [startMonth = 1, startDay = 1] = start.split('-').map(Number);
  // As in `periodSpan`, a quarter starts on the last day of the month if the month is too short for the start day.
  const first = Math.min(startDay, daysIn(date.year, date.month));
  const month = date.year * 12 + date.month - startMonth - (date.day < first ? 1 : 0);
  const of = Math.floor(month / 12);
  const year = yearText(of);
  return unit === 'year' ? year : `${year}-Q${Math.floor((month - of * 12) / 3) + 1}`;
}

/** A year before 0 or after 9999 has a sign and six digits, as in ISO 8601. */
function yearText(year: number): string {
  if (year >= 0 && year <= 9999) return String(year).padStart(4, '0');
  return (year < 0 ? '-' : '+') + String(Math.abs(year)).padStart(6, '0');
}

function daysIn(year: number, month: number): number {
  const end = new Date(Date.UTC(2000, month, 0));
  end.setUTCFullYear(year, month, 0);
  return end.getUTCDate();
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
