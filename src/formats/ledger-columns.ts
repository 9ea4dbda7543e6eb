import { ledgers } from '../api/ledgers.ts';
import type { Columns } from './columns.ts';
import { isoText } from './moments.ts';

/** The column `time` contains the field `timestamp` in ISO 8601. */
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
