import { ledgers, textOf } from '../api/ledgers.ts';
import type { JsonRecord } from '../core/json.ts';
import { type Column, type Columns, valueAt } from './columns.ts';
import { isoText } from './moments.ts';

/** Returns the name of the account with this id; undefined if the account has no name. */
export type NameOf = (walletId: unknown) => string | undefined;

/**
 * Returns the columns of ledgers. In a table, an account without a name is shown by its id. In a file, the column `wallet` of
 * such an account is empty, because the column `walletId` contains the id.
 */
export function ledgerColumns(nameOf: NameOf): Columns {
  const table = ledgers.columns.table.map((column) =>
    column.names === 'account'
      ? { ...column, derive: ({ walletId }: JsonRecord) => nameOf(walletId) ?? walletId }
      : column,
  );
  const csv = ledgers.columns.csv.map((column): Column => {
    const { isTime, names, from = [] } = column;
    if (isTime) return { ...column, derive: ({ timestamp }, { timeZone }) => isoText(timestamp, timeZone) };
    if (names === 'account') return { ...column, derive: ({ walletId }) => nameOf(walletId) };
    return names === 'asset' ? { ...column, derive: (leg) => firstText(leg, from) } : column;
  });
  return { table, csv };
}

/** The columns of ledgers, without the names of accounts. */
export const LEDGER_COLUMNS: Columns = ledgerColumns(() => undefined);

function firstText(leg: JsonRecord, paths: readonly string[]): string | undefined {
  for (const path of paths) {
    const text = textOf(valueAt(leg, path));
    if (text !== '') return text;
  }
  return undefined;
}
