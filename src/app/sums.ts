import { money } from '../api/columns.ts';
import { int, nullable, text } from '../api/records.ts';
import {
  figureColumns,
  hasFiscalYear,
  hasQuantities,
  keyColumns,
  PERIODS,
  type SumKey,
  Sums,
  sumKeys,
} from '../books/sums.ts';
import { listFlag } from '../cli/flags.ts';
import { type Note, type RowStep, warning } from '../cli/outcome.ts';
import { served } from '../cli/output.ts';
import type { Context } from '../context.ts';
import type { JsonRecord } from '../core/json.ts';
import { isOfYear, type TimeValues } from '../core/period.ts';
import { plural } from '../core/text.ts';
import { requireColumns } from '../formats/column-check.ts';
import type { Column, Columns } from '../formats/columns.ts';
import { LEDGER_COLUMNS, type NameOf } from '../formats/ledger-columns.ts';
import { isoText } from '../formats/moments.ts';
import { PARTIAL_HELP, partialText } from '../formats/sum-text.ts';
import type { SumsOf } from '../formats/summed-file.ts';
import { ShownNames } from './accounts.ts';
import { faultNotes } from './fault-notes.ts';
import { fiscalYearOf } from './period.ts';

export const sumByFlag = {
  ...listFlag(
    '--sum-by <keys>',
    'exact sums instead of rows, by asset, day, month, quarter, year or any field; for example asset,month',
  ),
  suggests: () => ['asset', ...PERIODS, 'walletId', 'type'],
};

export const SUMS_HELP = `With --sum-by asset,month the result has one row per asset and month: the number of legs, incoming, outgoing and fee quantities, net (incoming minus outgoing minus fee), values by type, cost basis, proceeds and profit. Sums are exact to the last digit. Missing values are not treated as 0: profitUnknown and the other *Unknown columns count them, and "incomplete" lists their dates. In a table, ${PARTIAL_HELP} If no value is known, the sum is empty. Quantities are summed only if the asset is a key. A quantity is empty if any of its legs has an unknown quantity. The net quantity is also empty if a leg is neither incoming nor outgoing nor a fee. quantityUnknown counts all of these legs. If a leg has such a type, its value is in no column, so valueUnknown counts the leg. Several legs without asset id and symbol may be of different assets, so their quantities are empty. Amounts in different currencies are never added up. Days are in the time zone of --tz. Years and quarters follow the fiscal year.`;

/** The fields of a `--sum-by` record, except the keys. Quantities are present only if the asset is a key. */
export const SUM = served({
  legs: { ...int, required: true },
  ...{ incoming: nullable(text), outgoing: nullable(text), fee: nullable(text), net: nullable(text) },
  quantityUnknown: int,
  ...{ incomingValue: nullable(text), outgoingValue: nullable(text), feeValue: nullable(text) },
  valueUnknown: int,
  ...{ costbasis: nullable(text), proceeds: nullable(text), profit: nullable(text) },
  ...{ costbasisUnknown: int, proceedsUnknown: int, profitUnknown: int },
  incomplete: nullable(text),
});

export interface SummedBy extends SumsOf, RowStep {
  readonly columns: Columns;
  /** The time zone in which days and months begin. */
  readonly timeZone: string;
  /** Yields the sums of the rows. If the sums are by wallet, first reads the account names for the table. */
  over(rows: AsyncIterable<JsonRecord>): AsyncIterable<JsonRecord>;
  notes(): Note[];
}

interface SumFlags {
  readonly sumBy: readonly string[] | undefined;
  readonly columns: readonly string[] | undefined;
  readonly fiscalYearStart: string | undefined;
}

/**
 * @param nameOf returns the text for the column `wallet` of an exported file
 * @returns undefined without `--sum-by`
 * @throws usage error `BAD_SUM_KEY` for an unknown key, or `BAD_COLUMN` for an unknown column
 */
export async function summedBy(
  context: Context,
  { sumBy: by, columns: chosen = [], fiscalYearStart }: SumFlags,
  nameOf?: NameOf,
): Promise<SummedBy | undefined> {
  if (by === undefined) return undefined;
  const fields = LEDGER_COLUMNS.csv.flatMap(({ key, derive }) => (derive ? [] : key));
  const keys = sumKeys(by, fields);
  const yearStart = hasFiscalYear(keys) ? (fiscalYearStart ?? (await fiscalYearOf(context))) : undefined;
  const wallets = keyColumns(keys).filter(isWallet);
  const names = new ShownNames(context, chosen, { keys: wallets });
  const columns = columnsOf(keys, nameOf ?? names.shown);
  requireColumns(chosen, [...columns.csv, ...columns.table]);
  const { timeZone } = await context.view();
  let sums: Sums | undefined;
  const begin = () => {
    sums = new Sums(keys, (timestamp) => isoText(timestamp, timeZone), yearStart);
    return sums;
  };
  async function* groups(rows: AsyncIterable<JsonRecord>) {
    const gathering = begin();
    for await (const row of rows) gathering.add(row);
    yield* gathering.rows();
  }
  return {
    by,
    ...(yearStart === undefined ? {} : { yearStart }),
    columns,
    timeZone,
    begin,
    over: (rows) => (wallets.length > 0 ? names.over(groups(rows)) : groups(rows)),
    gaps: () => sums?.gaps() ?? [],
    notes: () => [
      ...(yearStart === undefined
        ? []
        : [{ text: `Years and quarters follow the fiscal year that starts on ${yearStart}.` }]),
      ...(sums?.gaps() ?? []).map((gap) => warning(`Partial sums: ${gap}.`)),
      ...faultNotes(sums?.faults),
      ...unresolvedNote(sums?.unresolved ?? 0),
      ...untimedNote(sums?.untimed ?? 0),
      ...names.notes(),
    ],
  };
}

/**
 * Returns the flags that select the legs. Omits the fiscal year if only the sums need it. The reason is that a fiscal year is
 * accepted only with a year, a half-year or a quarter.
 */
export function selectingFlags<F extends Pick<TimeValues, 'period' | 'fiscalYearStart'>>(
  flags: F,
  sums: SummedBy | undefined,
): F {
  if (sums?.yearStart === undefined || isOfYear(flags.period)) return flags;
  return { ...flags, fiscalYearStart: undefined };
}

/** Tables show some of the columns. Files contain all columns. */
function columnsOf(keys: readonly SumKey[], walletOf: (walletId: unknown) => unknown): Columns {
  const names = keyColumns(keys);
  const figures = figureColumns(keys);
  const inTable = hasQuantities(keys)
    ? ['legs', 'incoming', 'outgoing', 'fee', 'net', 'costbasis', 'proceeds', 'profit']
    : ['legs', 'incomingValue', 'outgoingValue', 'feeValue', 'valueUnknown', 'profit'];
  const figure = (key: string): Column =>
    MONEY.test(key)
      ? money(key, { unit: 'baseCurrency' })
      : { key, figure: true, ...(QUANTITY.test(key) ? { unit: 'symbol' } : {}) };
  const shown = (key: string): Column =>
    key in PARTIAL ? { ...figure(key), derive: (record) => partial(record, key) } : figure(key);
  return {
    table: [
      ...names.map((key) =>
        isWallet(key) ? walletColumn(key, walletOf) : { key, ...HEADERS[key], ...dropOf(key) },
      ),
      ...inTable.map((key) => ({ ...shown(key), ...HEADERS[key], ...dropOf(key) })),
    ],
    csv: [...names, ...figures].map((key) => ({ key })),
  };
}

const MONEY = /Value$|^(costbasis|proceeds|profit)$/;
const QUANTITY = /^(incoming|outgoing|fee|net)$/;

/** The columns to omit if a table is too wide for the terminal, in this order. */
const DROPPED = ['assetId', 'legs', 'valueUnknown', 'fee', 'feeValue', 'costbasis', 'proceeds'].concat(
  'incoming',
  'outgoing',
  'incomingValue',
  'outgoingValue',
);

function dropOf(key: string): Pick<Column, 'drop'> {
  const drop = DROPPED.indexOf(key);
  return drop < 0 ? {} : { drop };
}

const HEADERS: Readonly<Record<string, { readonly header: string }>> = {
  baseCurrency: { header: 'currency' },
  incomingValue: { header: 'incoming value' },
  outgoingValue: { header: 'outgoing value' },
  feeValue: { header: 'fee value' },
  valueUnknown: { header: 'value unknown' },
};

function isWallet(key: string): boolean {
  return /(^|\.)walletId$/.test(key);
}

/** Replaces the column `walletId` with a column `wallet`, which shows the account name, as in ledger tables. */
function walletColumn(key: string, walletOf: (walletId: unknown) => unknown): Column {
  return { key: key.replace(/Id$/, ''), names: 'account', derive: ({ [key]: id }) => walletOf(id) };
}

/**
 * Maps each column with sums to the column that counts the legs without a value. If that count is not 0, the sum is partial.
 */
const PARTIAL: Readonly<Record<string, string>> = {
  costbasis: 'costbasisUnknown',
  proceeds: 'proceedsUnknown',
  profit: 'profitUnknown',
};

/** Marks a sum if some legs have no value. */
function partial(record: JsonRecord, key: string): unknown {
  const { [key]: sum, [PARTIAL[key] ?? '']: unknown, legs } = record;
  if (sum === null || typeof unknown !== 'number' || typeof legs !== 'number') return sum;
  return partialText(String(sum), legs - unknown, unknown);
}

function untimedNote(legs: number): Note[] {
  if (legs === 0) return [];
  return [
    warning(
      `${plural(legs, 'leg has', 'legs have')} no time. The sums include ${legs === 1 ? 'it' : 'them'}.`,
    ),
  ];
}

function unresolvedNote(legs: number): Note[] {
  if (legs === 0) return [];
  const some = plural(legs, 'leg has', 'legs have');
  const text = `${some} no resolved asset. Such legs are summed together if they have the same symbol.`;
  return [warning(text)];
}
