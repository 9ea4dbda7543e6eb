import { ledgers } from '../../api/ledgers.ts';
import type { Columns } from '../../formats/columns.ts';
import { isoText } from '../../formats/moments.ts';

/** `time` is `timestamp` as ISO 8601. */
const csv = ledgers.columns.csv.map((column) =>
  column.key === 'time'
    ? {
        ...column,
        derive: (
          { timestamp }: Readonly<Record<string, unknown>>,
          { timeZone }: { readonly timeZone: string },
        ) => isoText(timestamp, timeZone),
      }
    : column,
);

export const LEDGER_COLUMNS: Columns = { table: ledgers.columns.table, csv };

/** Returns the name of an account. */
export type NameOf = (walletId: unknown) => string | undefined;

/** Columns of ledgers whose tables show accounts by name. */
export function ledgerColumns(nameOf: NameOf): Columns {
  const table = ledgers.columns.table.map((column) =>
    column.key === 'wallet'
      ? {
          ...column,
          derive: ({ walletId }: Readonly<Record<string, unknown>>) => nameOf(walletId) ?? walletId,
        }
      : column,
  );
  return { table, csv };
}
