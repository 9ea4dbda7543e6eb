import { keys } from '../api/columns.ts';
import { anything, int, nullable, text, word } from '../api/records.ts';
import type { Note, Outcome } from '../cli/outcome.ts';
import { made } from '../cli/output.ts';
import type { Context } from '../context.ts';
import type { JsonRecord } from '../core/json.ts';
import { count } from '../core/text.ts';
import type { Comparison } from '../export/compare.ts';
import { readOnce, type Spooled } from '../export/spool.ts';
import type { Columns, View } from '../formats/columns.ts';
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
/** Schema of a changed sum. Each sum covers the legs of one asset in one month. */
export const SUM_CHANGE = made({
  month: nullable(text),
  assetId: nullable(text),
  symbol: nullable(text),
  baseCurrency: nullable(text),
  ...{ quantity: nullable(text), value: nullable(text) },
  ...{ costbasis: nullable(text), proceeds: nullable(text), profit: nullable(text) },
  ...{ added: int, removed: int, changed: int, quantityChanged: int, priceChanged: int },
  ...{ costBasisChanged: int, labelChanged: int, accountCodeChanged: int },
});
/** Maximum number of differences in a table. */
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

/** JSON is one record with all changes and sums. CSV and JSON Lines have one row for each change, or for each changed sum. */
export async function changesOutcome(
  context: Context,
  { record, shown, changes, sums, view }: LegChanges,
  onlySums: boolean,
  ending: Pick<Extract<Outcome, { kind: 'rows' }>, 'chosen' | 'notes' | 'found' | 'failed'>,
): Promise<Outcome> {
  const format = await context.format();
  const none = 'Nothing changed.';
  if (format === 'csv' || format === 'jsonl') {
    if (!onlySums) return { kind: 'rows', rows: readOnce(changes), columns: CHANGE_COLUMNS, none, ...ending };
    await changes.remove();
    return { kind: 'rows', rows: sums, columns: SUM_COLUMNS, none, ...ending };
  }
  const listed: JsonRecord[] = [];
  let rows = 0;
  for await (const change of readOnce(changes)) {
    rows += 1;
    if (format === 'json' || listed.length < MOST_LISTED) listed.push(change);
  }
  if (format === 'json') {
    return { kind: 'record', record: { ...record, sums, changes: listed }, columns: openColumns, ...ending };
  }
  return {
    kind: 'record',
    record: shown,
    columns: openColumns,
    parts: [
      { title: 'Sums that changed (new minus old)', rows: sums, columns: SUM_COLUMNS },
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

export function differences({ added, removed, changed, duplicates }: Comparison): number {
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
      { key: 'from', header: from },
      { key: 'to', header: to },
    ],
    csv: keys('change', 'id', 'timestamp', 'field', 'from', 'to'),
  };
}

export const CHANGE_COLUMNS = changeColumns('old', 'new');

const FIGURES = ['quantity', 'value', 'costbasis', 'proceeds', 'profit'] as const;

const SUM_COLUMNS: Columns = {
  table: [
    { key: 'month' },
    { key: 'symbol', header: 'asset' },
    ...FIGURES.map((key) => ({ key, figure: true })),
    { key: 'baseCurrency', header: 'currency' },
    { key: 'legs', derive: legsOf },
    { key: 'changed fields', derive: kindsOf },
  ],
  csv: keys(
    ...['month', 'assetId', 'symbol', 'baseCurrency', ...FIGURES, 'added', 'removed', 'changed'],
    ...['quantityChanged', 'priceChanged', 'costBasisChanged', 'labelChanged', 'accountCodeChanged'],
  ),
};

function legsOf(record: JsonRecord): string {
  return `+${record['added']} −${record['removed']} ~${record['changed']}`;
}

function kindsOf(record: JsonRecord): string {
  const kinds = {
    quantity: 'quantityChanged',
    price: 'priceChanged',
    'cost basis': 'costBasisChanged',
    label: 'labelChanged',
    'account code': 'accountCodeChanged',
  };
  return Object.entries(kinds)
    .filter(([, name]) => record[name] !== 0)
    .map(([kind]) => kind)
    .join(', ');
}
