import { ledgers } from '../../api/ledgers.ts';
import type { Columns } from '../../formats/columns.ts';
import { LEDGER_COLUMNS } from '../../formats/ledger-columns.ts';

/** Returns the name of an account. */
export type NameOf = (walletId: unknown) => string | undefined;

/** Ledger columns; tables show accounts by name. */
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
