import { holdings } from '../api/holdings.ts';
import { integrations } from '../api/integrations.ts';
import { labels } from '../api/labels.ts';
import type { Fields } from '../api/records.ts';
import { spam } from '../api/spam.ts';
import { transactions } from '../api/transactions.ts';
import type { Columns } from '../formats/columns.ts';
import type { ColumnKind } from '../formats/kinds.ts';
import { exactOf, LEG_COLUMNS, legKind, POSITION, snakeCase } from './leg-rows.ts';
import type { SnapshotName, TableName } from './manifest.ts';

/** The column that contains the workspace of a row. Tables are partitioned by this column, so data files do not contain it. */
export const PARTITION = 'workspace_id';

export interface FileColumn {
  readonly name: string;
  readonly kind: ColumnKind;
}

export interface ListColumn extends FileColumn {
  readonly key: string;
  /**
   * `decimal` for fields specified as numbers, `boolean` for fields specified as booleans, `json` for the whole record, and
   * `text` for all other fields.
   */
  readonly kind: 'decimal' | 'boolean' | 'text' | 'json';
}

/** The columns that describe a change, as keys. In the history, the columns of the old leg follow these columns. */
export const CHANGE_KEYS = ['change', 'legKey', 'seenAt', 'timestampAfter'] as const;
const CHANGES: readonly FileColumn[] = CHANGE_KEYS.map((key) => ({
  ...{ name: snakeCase(key), kind: key === 'seenAt' || key === 'timestampAfter' ? 'moment' : 'text' },
}));
const LEGS: readonly FileColumn[] = LEG_COLUMNS.map((column) => ({
  ...{ name: snakeCase(column.key), kind: legKind(column) },
}));

/** The column with the whole record of a list, as JSON. */
export const RECORD = 'record';
const LISTS: Readonly<Record<SnapshotName, { readonly record: Fields; readonly columns: Columns }>> = {
  ...{ transactions, integrations, holdings, labels, spam },
};

/** The columns of a list: the fields in the specification, then the whole record. The columns never change. */
export function listColumns(name: SnapshotName): readonly ListColumn[] {
  const { columns, record } = LISTS[name];
  const named = columns.csv.map(({ key }) => ({ key, name: snakeCase(key), kind: kindOf(record, key) }));
  return [...named, { key: RECORD, name: RECORD, kind: 'json' }];
}

function kindOf(record: Fields, key: string): ListColumn['kind'] {
  const type = Object.hasOwn(record, key) ? record[key]?.schema['type'] : undefined;
  const types = Array.isArray(type) ? type : [type];
  return types.includes('number') ? 'decimal' : types.includes('boolean') ? 'boolean' : 'text';
}

/**
 * The columns in the data files of a table. The columns never change, because all workspaces share the table. Each decimal is
 * followed by a column for values that do not fit.
 */
export function tableColumns(table: TableName): readonly FileColumn[] {
  if (table === 'ledgers') return [...LEGS, { name: POSITION, kind: 'count' }];
  if (table === 'ledgers_history') return [...CHANGES, ...LEGS];
  return listColumns(table).flatMap((column): FileColumn[] =>
    column.kind === 'decimal' ? [column, { name: exactOf(column.name), kind: 'text' }] : [column],
  );
}
