import { ledgers } from '../../api/ledgers.ts';
import type { Columns } from '../../formats/columns.ts';
import { LEDGER_COLUMNS } from '../../formats/ledger-columns.ts';

/** Returns the name of the account with this id. */
export type NameOf = (walletId: unknown) => string | undefined;

/** The columns of ledgers. Tables show the names of accounts instead of their ids. */
export function ledgerColumns(nameOf: NameOf): Columns {
  const table = ledgers.columns.table.map((column) =>
    column.key === 'wallet'
      ? {
          ...column,
          derive: ({ walletId }: Readonly<Record<string, unknown>>) => nameOf(walletId) ?? walletId,
        }
      : column,
  );
  return { table, csv: LEDGER_COLUMNS.csv };
}
