import type { One, Part } from '../cli/outcome.ts';
import { ServiceError } from '../client/errors.ts';
import { CryptodataError } from '../core/errors.ts';
import { isExactNumber, isRecord, type JsonRecord, stringifyJson } from '../core/json.ts';
import { showText } from '../core/text.ts';
import { openColumns } from '../formats/open.ts';

/** Lists of failed items in a 2xx answer ("Partial success is not an error"). */
const LISTS = ['failed', 'failures', 'errors'];

/** How many items failed inside a success: `data.errorCount`, `data.failed[]`, `data.failures[]`; 0 if none is listed. */
export function failuresIn(answer: unknown): number | bigint {
  for (const holder of holdersOf(answer)) {
    const count = countOf(holder['errorCount']);
    if (count !== undefined && count > 0) return count;
    for (const name of LISTS) {
      const told = toldIn(holder[name]);
      if (told > 0) return told;
    }
  }
  return 0;
}

function holdersOf(answer: unknown): JsonRecord[] {
  return isRecord(answer) ? [answer, answer['data']].filter(isRecord) : [];
}

/** A list, an object with an entry for each item, or a mere number. */
function toldIn(value: unknown): number | bigint {
  if (Array.isArray(value)) return value.length;
  if (isRecord(value)) return Object.keys(value).length;
  return countOf(value) ?? 0;
}

function countOf(value: unknown): number | bigint | undefined {
  if (typeof value === 'number') return value >= 0 ? value : undefined;
  const digits = isExactNumber(value) ? value.value : value;
  return typeof digits === 'string' && /^\d+$/.test(digits) ? BigInt(digits) : undefined;
}

/** An item that failed, as far as its shape can be read: the specification does not show it. */
export interface FailedItem {
  readonly id: string | null;
  readonly name: string | null;
  readonly reason: string | null;
  /** As served. */
  readonly item: unknown;
}

const NAMES = [
  'name',
  'alias',
  'fileName',
  'filename',
  'file',
  'originalName',
  'providerPublicName',
  'title',
];
const IDS = ['walletId', 'integrationId', 'id', 'transactionId', 'ledgerId', 'uid', 'key', 'index', 'row'];
const REASONS = [
  'reason',
  'error',
  'errorMessage',
  'message',
  'description',
  'detail',
  'details',
  'code',
  'status',
];

/**
 * The failed items of an answer: texts, objects, or an object with an entry for each id.
 *
 * @param names by id, for items that the answer does not name
 */
export function failedItems(answer: unknown, names: ReadonlyMap<string, string> = new Map()): FailedItem[] {
  const lists = holdersOf(answer).flatMap((holder) => LISTS.map((name) => holder[name]));
  const list = lists.find((value) => typeof value === 'object' && toldIn(value) > 0);
  const entries: [string | null, unknown][] = Array.isArray(list)
    ? list.map((item) => [null, item])
    : Object.entries(isRecord(list) ? list : {});
  return entries.map(([key, item]) => readItem(key, item, names));
}

function readItem(key: string | null, item: unknown, names: ReadonlyMap<string, string>): FailedItem {
  const record = isRecord(item) ? item : {};
  const alone = isRecord(item) ? null : textOf(item);
  const id = key ?? firstText(record, IDS) ?? otherId(record) ?? alone;
  const name = firstText(record, NAMES) ?? (id === null ? null : (names.get(id) ?? null));
  const reason = key === null || isRecord(item) ? firstText(record, REASONS) : alone;
  return { id, name, reason, item };
}

function firstText(record: JsonRecord, fields: readonly string[]): string | null {
  for (const field of fields) {
    const text = Object.hasOwn(record, field) ? textOf(record[field]) : null;
    if (text !== null) return text;
  }
  return null;
}

/** A field that names an id in its own way: `accountId`, `wallet_id`. */
function otherId(record: JsonRecord): string | null {
  const field = Object.keys(record).find((name) => /(Id|_id)$/.test(name));
  return field === undefined ? null : textOf(record[field]);
}

/** Text, digits, or what an error object says; null for what says nothing. */
function textOf(value: unknown): string | null {
  if (value === null || value === undefined || value === '' || typeof value === 'boolean') return null;
  if (typeof value === 'string') return value;
  if (isExactNumber(value) || typeof value === 'number') return String(value);
  if (!isRecord(value)) return Array.isArray(value) && value.length === 0 ? null : stringifyJson(value);
  const said = firstText(value, ['message', 'reason', 'error', 'description']);
  const code = firstText(value, ['code']);
  if (said !== null) return code === null ? said : `${said} (${code})`;
  return code ?? stringifyJson(value);
}

/** Items that stand in the message itself; the result lists all of them. */
const SHOWN = 5;
const LONGEST = 200;

/** `Yoroi (wal_1): the account is suspended; wal_2: the service gives no reason; and 3 more`. */
function listed(items: readonly FailedItem[]): string {
  const told = items.slice(0, SHOWN).map(({ id, name, reason, item }) => {
    const both = name !== null && id !== null && name !== id ? `${name} (${id})` : (name ?? id);
    const label = both ?? stringifyJson(item);
    return clip(`${label}: ${reason ?? 'the service gives no reason'}`);
  });
  const more = items.length - told.length;
  return [...told, ...(more > 0 ? [`and ${more.toLocaleString('en')} more`] : [])].join('; ');
}

function clip(text: string): string {
  return showText(text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text);
}

/** The error of a command whose result stands although some items failed. */
export function partialFailure(
  message: string,
  items: readonly FailedItem[],
  hint = 'The result above lists every failed item. Send only these again.',
): CryptodataError {
  const said = items.length === 0 ? message : `${message}: ${listed(items)}`;
  const details = items.map(({ id, name, reason, item }) => ({ id, name, reason, item }));
  return new CryptodataError('partial', 'PARTIAL_FAILURE', said, {
    hint,
    details: items.length === 0 ? undefined : details,
  });
}

/** `1 item of the batch failed`. */
export function itemsFailed(count: number | bigint, what: string): string {
  return `${Number(count) === 1 ? '1 item' : `${count.toLocaleString('en')} items`} of the ${what} failed`;
}

/** The answer to a write, whatever its shape: a text that is not JSON becomes `{ answer: text }`. */
export async function answerTo(write: Promise<JsonRecord>): Promise<JsonRecord> {
  try {
    return await write;
  } catch (error) {
    if (!(error instanceof ServiceError) || error.code !== 'BAD_ANSWER') throw error;
    if (typeof error.body !== 'string') throw error;
    return { answer: error.body };
  }
}

/** How the answer to a write says what failed, and what the command says about it. */
export interface Judgement {
  /** The field that the specification shows: without it, nothing says that the items were accepted. */
  readonly field: 'failed' | 'failures' | 'errorCount';
  readonly done: string;
  /** `2 of 3 accounts could not be deleted`. */
  readonly failed: (count: number | bigint) => string;
  readonly hint?: string;
  /** Names of items by id; asked for only if items failed. */
  readonly names?: () => Promise<ReadonlyMap<string, string>>;
}

/** The answer to a write as the result of a command: done, failed in part (exit 11), or not understood (exit 12). */
export async function judged(record: JsonRecord, judgement: Judgement): Promise<One> {
  const { field, done, failed, hint, names } = judgement;
  const count = failuresIn(record);
  if (count > 0) {
    const items = failedItems(record, await names?.());
    const error = partialFailure(failed(count), items, hint);
    return { ...shown(record, items), failed: () => error };
  }
  const holders = holdersOf(record);
  const understood = holders.some((holder) =>
    field === 'errorCount' ? countOf(holder[field]) !== undefined : isListed(holder[field]),
  );
  if (understood) return { ...shown(record, []), notes: () => [{ text: done }] };
  return { ...shown(record, []), failed: () => notUnderstood(field) };
}

function isListed(value: unknown): boolean {
  return typeof value === 'object' && value !== null;
}

function notUnderstood(field: string): CryptodataError {
  return new CryptodataError(
    'unverified',
    'ANSWER_NOT_UNDERSTOOD',
    `The service accepted the request, but its answer has no ${field}: nothing says what failed`,
    {
      hint: 'The result above is the answer of the service. Check what was applied before you send it again.',
    },
  );
}

/** A table shows the failed items one by one, below the rest of the answer. */
function shown(record: JsonRecord, items: readonly FailedItem[]): One {
  const { csv } = openColumns([record]);
  const titles = Object.keys(record).filter((key) => LISTS.includes(key) && toldIn(record[key]) > 0);
  const [title = 'failed'] = titles;
  const rows = items.map(({ name, id, reason, item }) =>
    isRecord(item)
      ? { ...(name === null || NAMES.some((field) => item[field] === name) ? {} : { name }), ...item }
      : { ...(name === null ? {} : { name }), item: id ?? item, ...(reason === null ? {} : { reason }) },
  );
  const parts: Part[] = rows.length === 0 ? [] : [{ title, rows, columns: openColumns }];
  const counted = { key: title, derive: () => (rows.length === 1 ? '1 item' : `${rows.length} items`) };
  const own = csv.filter(({ key }) => key !== title && !key.startsWith(`${title}.`));
  const table = rows.length === 0 || titles.length === 0 ? csv : [...own, counted];
  return { kind: 'record', record, columns: { table, csv }, parts };
}
