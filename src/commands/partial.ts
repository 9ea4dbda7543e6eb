import { CryptodataError } from '../base/errors.ts';
import { isExactNumber, isRecord, type JsonRecord } from '../base/json.ts';
import { openColumns } from '../output/open.ts';
import type { One, Part } from '../output/outcome.ts';

/** Where a 2xx lists what failed in it ("Partial success is not an error"). */
const LISTS = ['failed', 'failures'];

/** How many items failed inside a success: `data.errorCount`, `data.failed[]`, `data.failures[]`; 0 where none is told. */
export function failuresIn(answer: unknown): number | bigint {
  const holders = isRecord(answer) ? [answer, answer['data']].filter(isRecord) : [];
  for (const holder of holders) {
    const count = countOf(holder['errorCount']);
    if (count !== undefined && count > 0) return count;
    for (const name of LISTS) {
      const told = toldIn(holder[name]);
      if (told > 0) return told;
    }
  }
  return 0;
}

/** A list, an object with an entry for each, or a mere number. */
function toldIn(value: unknown): number | bigint {
  if (Array.isArray(value)) return value.length;
  if (isRecord(value)) return Object.keys(value).length;
  return countOf(value) ?? 0;
}

/** Whether the answer tells a count of failures at all. */
export function tellsErrorCount(answer: JsonRecord): boolean {
  return countOf(answer['errorCount']) !== undefined;
}

function countOf(value: unknown): number | bigint | undefined {
  if (typeof value === 'number') return value >= 0 ? value : undefined;
  const digits = isExactNumber(value) ? value.value : value;
  return typeof digits === 'string' && /^\d+$/.test(digits) ? BigInt(digits) : undefined;
}

/** The end of a command whose result stands, although some of it failed. */
export function partialFailure(count: number | bigint, what: string, hint?: string): CryptodataError {
  const items = Number(count) === 1 ? '1 item' : `${count.toLocaleString('en')} items`;
  return new CryptodataError('partial', 'PARTIAL_FAILURE', `${items} of the ${what} failed`, {
    hint: hint ?? 'The answer above says what there is to say of them. Send only those again.',
  });
}

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
