import type { ColumnKind } from '../formats/kinds.ts';
import { HISTORY_COLUMNS, historyKind } from './history.ts';
import { LEDGER_TABLE, ledgerColumnKind, snakeCase } from './leg-rows.ts';
import { listFileColumns } from './list-rows.ts';
import type { TableName } from './manifest.ts';

/** The column that contains the workspace of a row. Tables are partitioned by it, so that data files do not contain it. */
export const PARTITION = 'workspace_id';

export interface FileColumn {
  readonly name: string;
  readonly kind: ColumnKind;
}

/** The columns in the data files of a table. They never change, because all workspaces share the table. */
export function tableColumns(table: TableName): readonly FileColumn[] {
  if (table === 'ledgers')
    return LEDGER_TABLE.map((column) => ({ name: snakeCase(column.key), kind: ledgerColumnKind(column) }));
  if (table === 'ledgers_history')
    return HISTORY_COLUMNS.map((column) => ({ name: snakeCase(column.key), kind: historyKind(column) }));
  return listFileColumns(table);
}
