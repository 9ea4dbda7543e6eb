import { keys } from '../api/columns.ts';
import { anything, arrayOf, type Fields, int, nullable, text, word } from '../api/records.ts';
import { CHANGE_COUNTS } from '../books/sum-changes.ts';
import { toggle } from '../cli/flags.ts';
import type { Note, Outcome } from '../cli/outcome.ts';
import { made, type Output, ofSchema, oneOf, part } from '../cli/output.ts';
import type { Context } from '../context.ts';
import type { JsonRecord } from '../core/json.ts';
import { isSymbolField, toldApart } from '../core/look-alikes.ts';
import { count, plural } from '../core/text.ts';
import type { Comparison } from '../export/compare.ts';
import { readOnce, type Spooled } from '../export/spool.ts';
import type { Columns, View } from '../formats/columns.ts';
import { momentText } from '../formats/moments.ts';
import { openColumns } from '../formats/open.ts';

/** Schema of a difference: an added, removed or duplicate leg, or one changed field of a leg. */
export const CHANGE = made({
  change: word('added', 'removed', 'changed', 'duplicate'),
  id: text,
  timestamp: nullable(anything),
  field: nullable(text),
  from: anything,
  to: anything,
});
const SUM = part({ from: nullable(text), to: nullable(text), fromUnknown: int, toUnknown: int });
/** Schema of a changed sum. Each sum adds up the legs of one asset in one month. */
const SUM_CHANGE = made({
  month: nullable(text),
  assetId: nullable(text),
  symbol: nullable(text),
  baseCurrency: nullable(text),
  ...{ quantity: SUM, value: SUM, costbasis: SUM, proceeds: SUM, profit: SUM },
  ...{ added: int, removed: int, changed: int, quantityChanged: int, priceChanged: int },
  ...{ costBasisChanged: int, proceedsChanged: int, profitChanged: int },
  ...{ labelChanged: int, accountCodeChanged: int, otherChanged: int },
});
/** @param fields the fields of the JSON record, except `sums` and `changes` */
export function changesOutput(fields: Fields): Output {
  const sums = { sums: arrayOf(ofSchema(SUM_CHANGE)) };
  return [
    oneOf(made({ ...fields, ...sums, changes: arrayOf(ofSchema(CHANGE)) }), { line: CHANGE }),
    oneOf(made({ ...fields, ...sums }), { line: SUM_CHANGE, when: 'with --sums' }),
  ];
}

export const sumsFlag = toggle('--sums', 'print only the changed sums, without the changed legs');

export const SUMS_PRINT =
  'sums: { month, assetId, symbol, baseCurrency, quantity, value, costbasis, proceeds, profit, added, removed, changed, quantityChanged, priceChanged, costBasisChanged, proceedsChanged, profitChanged, labelChanged, accountCodeChanged, otherChanged }, one for each month and asset in which a leg differs. added and removed also count a changed leg that moved to another month, asset or currency: it is removed from one sum and added to another. quantity is incoming minus outgoing minus fees. Each of the five sums is { from, to, fromUnknown, toUnknown }: the sum of all legs before and after, as an exact decimal, and the number of legs without a value. A sum of money contains the known values, and is null if none is known. A quantity is null if one part is unknown. In csv, the columns are quantity.from, quantity.to and so on.';

const MOST_LISTED = 200;

/** The legs and the sums that differ between two states of the books. */
export interface LegChanges {
  /** The fields of the JSON record, except `sums` and `changes`. */
  readonly record: JsonRecord;
  /** The fields that table output shows above the differences. */
  readonly shown: JsonRecord;
  readonly changes: Spooled;
  readonly sums: readonly JsonRecord[];
  readonly view: View;
}

/**
 * In JSON, the output is one record with all changes and sums. In CSV and JSON Lines, the output has one row for each change,
 * or for each changed sum.
 *
 * @param onlySums whether to omit the changed legs
 */
export async function changesOutcome(
  context: Context,
  { record, shown, changes, sums, view }: LegChanges,
  onlySums: boolean,
  ending: Pick<Extract<Outcome, { kind: 'rows' }>, 'notes' | 'found' | 'failed'>,
): Promise<Outcome> {
  const format = await context.format();
  const none = 'Nothing changed.';
  if (onlySums) await changes.remove();
  if (format === 'csv' || format === 'jsonl') {
    return onlySums
      ? { kind: 'rows', rows: sums, columns: SUM_COLUMNS, none, ...ending }
      : { kind: 'rows', rows: readOnce(changes), columns: CHANGE_COLUMNS, none, ...ending };
  }
  const listed: JsonRecord[] = [];
  let rows = 0;
  for await (const change of onlySums ? [] : readOnce(changes)) {
    rows += 1;
    if (format === 'json' || listed.length < MOST_LISTED) listed.push(change);
  }
  if (format === 'json') {
    const found = onlySums ? { sums } : { sums, changes: listed };
    return { kind: 'record', record: { ...record, ...found }, columns: openColumns, ...ending };
  }
  return {
    kind: 'record',
    record: shown,
    columns: openColumns,
    parts: [
      {
        title: 'Sums of the months and assets that changed',
        rows: sums.flatMap(sumLines),
        columns: SUM_COLUMNS,
      },
      { title: 'Legs that changed', rows: listed, columns: CHANGE_COLUMNS, view },
    ].filter((part) => part.rows.length > 0),
    ...ending,
    notes: () => [...(ending.notes?.() ?? []), ...listedNotes(rows)],
  };
}

function listedNotes(rows: number): Note[] {
  if (rows <= MOST_LISTED) return [];
  return [
    { text: `The table shows only ${MOST_LISTED} of ${count(rows)} changes. To list all changes: -o csv` },
  ];
}

export function countDifferences({ added, removed, changed, duplicates }: Comparison): number {
  return added + removed + changed + duplicates;
}

/**
 * @param from header of the column with the old values
 * @param to header of the column with the new values
 */
export function changeColumns(from: string, to: string): Columns {
  return {
    table: [
      { key: 'change' },
      { key: 'id' },
      { key: 'timestamp', header: 'time', moment: true },
      { key: 'field', whole: true },
      { key: 'from', header: from, whole: true, derive: shownValue('from') },
      { key: 'to', header: to, whole: true, derive: shownValue('to') },
    ],
    csv: keys('change', 'id', 'timestamp', 'field', 'from', 'to'),
  };
}

function shownValue(name: 'from' | 'to') {
  return ({ field, [name]: value }: JsonRecord, { timeZone }: View) => {
    if (field === 'timestamp') return momentText(value, timeZone);
    return typeof value === 'string' && isSymbolField(String(field)) ? toldApart(value) : value;
  };
}

export const CHANGE_COLUMNS = changeColumns('old', 'new');

/** The sums of a record, and their names in tables. */
const SUMS = {
  ...{ quantity: 'net quantity', value: 'value', costbasis: 'cost basis' },
  ...{ proceeds: 'proceeds', profit: 'profit' },
};
const PARTS = ['from', 'to', 'fromUnknown', 'toUnknown'];

const SUM_COLUMNS: Columns = {
  table: [
    { key: 'month' },
    { key: 'symbol', header: 'asset' },
    { key: 'sum', whole: true },
    { key: 'from', header: 'old', figure: true },
    { key: 'to', header: 'new', figure: true },
    { key: 'baseCurrency', header: 'currency' },
    { key: 'legs', derive: legsOf, drop: 1 },
    { key: 'changed fields', derive: kindsOf, drop: 0 },
  ],
  csv: keys(
    ...['month', 'assetId', 'symbol', 'baseCurrency'],
    ...Object.keys(SUMS).flatMap((name) => PARTS.map((part) => `${name}.${part}`)),
    ...CHANGE_COUNTS,
  ),
};

/** Returns a line for each sum that differs. Returns one line without sums if only fields without sums differ. */
function sumLines(record: JsonRecord): JsonRecord[] {
  const lines = Object.entries(SUMS).flatMap(([name, sum]) => {
    const { from, to, fromUnknown, toUnknown } = Object(record[name]);
    if (from === to && fromUnknown === toUnknown) return [];
    return { ...record, sum, from: sumText(from, fromUnknown), to: sumText(to, toUnknown) };
  });
  return lines.length > 0 ? lines : [record];
}

/** Formats a sum as `1.5`. If two legs have no value, formats the sum as `1.5 (2 unknown)`. */
function sumText(sum: string | null, unknown: number): string {
  if (sum === null) return `unknown (${plural(unknown, 'leg', 'legs')})`;
  return unknown === 0 ? sum : `${sum} (${count(unknown)} unknown)`;
}

function legsOf(record: JsonRecord): string {
  return `+${record['added']} −${record['removed']} ~${record['changed']}`;
}

function kindsOf(record: JsonRecord): string {
  const kinds = {
    quantity: 'quantityChanged',
    price: 'priceChanged',
    'cost basis': 'costBasisChanged',
    proceeds: 'proceedsChanged',
    profit: 'profitChanged',
    label: 'labelChanged',
    'account code': 'accountCodeChanged',
    others: 'otherChanged',
  };
  return Object.entries(kinds)
    .filter(([, name]) => record[name] !== 0)
    .map(([kind]) => kind)
    .join(', ');
}
