import { usageError } from '../../base/errors.ts';
import { nearest } from '../../base/nearest.ts';
import { figureColumns, hasQuantities, keyColumns, type SumKey, Sums, sumKeys } from '../../books/sums.ts';
import type { Context } from '../../context.ts';
import type { SumsOf } from '../../export/summed-file.ts';
import type { Column, Columns } from '../../output/columns.ts';
import { isoText } from '../../output/moments.ts';
import type { Note, Rows } from '../../output/outcome.ts';
import { list } from '../flags.ts';
import { LEDGER_COLUMNS } from './columns.ts';

export const sumByFlag = list(
  '--sum-by <keys>',
  'exact sums in the place of the rows: by asset, day, month, quarter, year, or any field, as in asset,month',
);

/** For the help of commands that take the flag. */
export const SUMS_HELP =
  'With --sum-by asset,month the result is a row for each asset and month: how many legs, what came in, went out and was paid in fees, net (incoming less outgoing less fee), their values by type, cost basis, proceeds and profit, each exact to the last digit. A figure that a leg does not have is no 0: legs without one are counted beside the sum (profitUnknown), and a sum of nothing known is empty. Quantities are summed where the asset is a key, and amounts of two currencies never together. Days are those of --tz.';

/** What `--sum-by` means. */
export interface SummedBy extends SumsOf {
  readonly columns: Columns;
  /** Whose days they are. */
  readonly timeZone: string;
  /** Asked once the sums are written. */
  notes(): Note[];
}

/**
 * @param by the keys; undefined where no sums are asked for
 * @param chosen values of `--columns`
 * @throws usage error `BAD_SUM_KEY`, and for a column that sums do not have
 */
export async function summedBy(
  context: Context,
  by: readonly string[] | undefined,
  chosen: readonly string[] = [],
): Promise<SummedBy | undefined> {
  if (by === undefined) return undefined;
  const fields = LEDGER_COLUMNS.csv.flatMap(({ key, derive }) => (derive ? [] : key));
  const keys = sumKeys(by, fields);
  const columns = columnsOf(keys);
  checkColumns(chosen, columns.csv);
  const { timeZone } = await context.view();
  // As days of --period: those of the machine's zone where no other is set.
  const zone = timeZone ?? Intl.DateTimeFormat().resolvedOptions().timeZone;
  let sums: Sums | undefined;
  return {
    by,
    columns,
    timeZone: zone,
    begin() {
      sums = new Sums(keys, (timestamp) => isoText(timestamp, zone));
      return {
        add: (row) => sums?.add(row),
        rows: () => sums?.rows() ?? [],
        get size() {
          return sums?.size ?? 0;
        },
      };
    },
    notes: () => unresolvedNote(sums?.unresolved ?? 0),
  };
}

/** The sums of all rows of a list, in its place. */
export function sumRows(outcome: Rows, sums: SummedBy, chosen: readonly string[] | undefined): Rows {
  async function* groups() {
    const gathering = sums.begin();
    for await (const row of outcome.rows) gathering.add(row);
    yield* gathering.rows();
  }
  return {
    ...outcome,
    rows: groups(),
    columns: sums.columns,
    chosen,
    notes: () => [...(outcome.notes?.() ?? []), ...sums.notes()],
  };
}

/** In a table those that people read; files have all. */
function columnsOf(keys: readonly SumKey[]): Columns {
  const names = keyColumns(keys);
  const figures = figureColumns(keys);
  const inTable = hasQuantities(keys)
    ? ['legs', 'incoming', 'outgoing', 'fee', 'net', 'costbasis', 'proceeds', 'profit', 'profitUnknown']
    : ['legs', 'incomingValue', 'outgoingValue', 'feeValue', 'valueUnknown', 'profit', 'profitUnknown'];
  const figure = (key: string): Column => ({ key, figure: true });
  return {
    table: [
      ...names.map((key) => ({ key, ...HEADERS[key] })),
      ...inTable.map((key) => ({ ...figure(key), ...HEADERS[key] })),
    ],
    csv: [...names.map((key) => ({ key })), ...figures.map(figure)],
  };
}

const HEADERS: Readonly<Record<string, { readonly header: string }>> = {
  walletId: { header: 'wallet' },
  baseCurrency: { header: 'currency' },
  incomingValue: { header: 'incoming value' },
  outgoingValue: { header: 'outgoing value' },
  feeValue: { header: 'fee value' },
  valueUnknown: { header: 'value unknown' },
  profitUnknown: { header: 'profit unknown' },
};

function checkColumns(chosen: readonly string[], columns: readonly Column[]): void {
  const names = columns.map(({ key }) => key);
  for (const given of chosen) {
    const name = given.replace(/^\+/, '');
    if (names.includes(name)) continue;
    const near = nearest(name, names);
    throw usageError(
      `Sums have no column ${JSON.stringify(name)}`,
      near === undefined ? `They have ${names.join(', ')}.` : `Did you mean ${near}?`,
      'BAD_COLUMN',
    );
  }
}

function unresolvedNote(legs: number): Note[] {
  if (legs === 0) return [];
  const some = legs === 1 ? '1 leg has' : `${legs.toLocaleString('en')} legs have`;
  const text = `${some} no resolved asset: what has one symbol is summed together.`;
  return [{ text, warning: true }];
}
