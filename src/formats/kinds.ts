import type { Column } from './columns.ts';

/**
 * The type of a column in a typed file.
 *
 * - `decimal`: a decimal string of the service
 * - `number`: a JSON number of the service
 * - `moment`: Unix milliseconds
 * - `count`: a whole number that the tool computes
 * - `time`, `day`: ISO 8601 in the zone of the export
 * - `text`: any value, as the text of a cell
 */
export type Kind = 'decimal' | 'number' | 'count' | 'moment' | 'time' | 'day' | 'boolean' | 'text';

/** The kind of a column; `text` can represent any value without loss. */
export type KindOf = (column: Column) => Kind;

/** Fields of "Ledger" in the service's specification; all others are text. */
const LEDGER: ReadonlyMap<string, Kind> = new Map([
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

/** As {@link ledgerKind}, with JSON numbers as text: a double cannot represent all digits. */
export const exactLedgerKind: KindOf = (column) => {
  const kind = ledgerKind(column);
  return kind === 'number' ? 'text' : kind;
};

/** The kind of columns whose fields are not specified. */
export const textKind: KindOf = () => 'text';

/** As {@link textKind}, but fields with only numbers become numbers, with the exact text in a second column. */
export const openKind: KindOf = ({ key, figure, isTime }) => {
  if (isTime) return 'time';
  if (/(^|\.)timestamp$/i.test(key)) return 'count';
  return figure && !/(id|hash|code)$/i.test(key) ? 'decimal' : 'text';
};
