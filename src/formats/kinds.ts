import type { Column } from './columns.ts';

/**
 * The type of a column in a Parquet or XLSX file.
 *
 * - `decimal`: a decimal string from the service
 * - `number`: a JSON number from the service
 * - `moment`: Unix milliseconds
 * - `count`: a whole number computed by the tool
 * - `time`, `day`: an ISO 8601 string in the export's time zone
 * - `text`: any value, as cell text
 * - `json`: JSON text from this tool
 */
export type ColumnKind =
  | 'decimal'
  | 'number'
  | 'count'
  | 'moment'
  | 'time'
  | 'day'
  | 'boolean'
  | 'text'
  | 'json';

/** Returns the kind of a column. The kind `text` can represent any value without loss. */
export type KindOf = (column: Column) => ColumnKind;

/**
 * The kinds of ledger fields, according to "Ledger" in the service's specification. Fields that are not listed here are text.
 */
const LEDGER: ReadonlyMap<string, ColumnKind> = new Map([
  ['quantity', 'decimal'],
  ['beforeBalance', 'decimal'],
  ['afterBalance', 'decimal'],
  ['costbasis', 'decimal'],
  ['proceeds', 'decimal'],
  ['profit', 'decimal'],
  ['price.price', 'number'],
  ['value', 'number'],
  ['timestamp', 'moment'],
  ['price.timestamp', 'moment'],
  ['isEdited', 'boolean'],
  ['isDebitCoaEdited', 'boolean'],
  ['isCreditCoaEdited', 'boolean'],
]);

export const ledgerKind: KindOf = ({ key, derive, isTime }) =>
  isTime ? 'time' : derive ? 'text' : (LEDGER.get(key) ?? 'text');

/** Like the given kinds, but JSON numbers become text, because a double cannot represent every digit. */
export function exactKind(kindOf: KindOf): KindOf {
  return (column) => {
    const kind = kindOf(column);
    return kind === 'number' ? 'text' : kind;
  };
}

export const exactLedgerKind = exactKind(ledgerKind);

/** Treats every column as text. Used for records with fields that are not specified. */
export const textKind: KindOf = () => 'text';

/** Recognises times and numbers in XLSX columns whose fields are not specified. All other columns are text. */
export const openKind: KindOf = ({ key, figure, isTime }) => {
  if (isTime) return 'time';
  if (/(^|\.)timestamp$/i.test(key)) return 'count';
  return figure && !/(id|hash|code)$/i.test(key) ? 'decimal' : 'text';
};
