import { isRecord, type JsonRecord } from '../base/json.ts';
import { openColumns } from '../output/open.ts';
import type { One, Part } from '../output/outcome.ts';

/**
 * The answer to a write that lists what failed in it: `data.failed[]`, `data.failures[]`. A table shows that list item
 * by item, below the rest. Nothing is known of the items.
 */
export function answerWith(record: JsonRecord, list: string): One {
  const { csv } = openColumns([record]);
  const parts = listed(record, list);
  const items = parts.map(({ rows }) => (rows.length === 1 ? '1 item' : `${rows.length} items`));
  const counted = { key: list, derive: () => items.join() };
  const table = csv.map((column) => (column.key === list && items.length > 0 ? counted : column));
  return { kind: 'record', record, columns: { table, csv }, parts };
}

function listed(record: JsonRecord, name: string): Part[] {
  const list = record[name];
  if (!Array.isArray(list) || list.length === 0) return [];
  const rows = list.map((item) => (isRecord(item) ? item : { item }));
  return [{ title: name, rows, columns: openColumns }];
}
