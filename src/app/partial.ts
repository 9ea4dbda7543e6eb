import type { One, Part } from '../cli/outcome.ts';
import type { CallPromise } from '../client/call-promise.ts';
import { CryptodataError, partialError, ServiceError, unverifiedError } from '../core/errors.ts';
import { isExactNumber, isJsonNumber, isRecord, type JsonRecord, stringifyJson } from '../core/json.ts';
import { plural, showText, someOf } from '../core/text.ts';
import { openColumns } from '../formats/open.ts';

/** Names of fields that list failed items in a 2xx response ("Partial success is not an error" in the specification). */
const LISTS = ['failed', 'failures', 'errors'];

/** Counts the failed items in a 2xx response, from a field such as `data.errorCount`, `data.failed[]` or `data.failures[]`. */
export function failuresIn(answer: unknown): number | bigint {
  for (const holder of holdersOf(answer)) {
    const count = countOf(holder['errorCount']);
    if (count !== undefined && count > 0) return count;
    for (const name of LISTS) {
      const size = sizeOf(holder[name]);
      if (size > 0) return size;
    }
  }
  return 0;
}

function holdersOf(answer: unknown): JsonRecord[] {
  return isRecord(answer) ? [answer, answer['data']].filter(isRecord) : [];
}

/** The length of a list, the number of fields in an object, or the value of a number. */
function sizeOf(value: unknown): number | bigint {
  if (Array.isArray(value)) return value.length;
  if (isRecord(value)) return Object.keys(value).length;
  return countOf(value) ?? 0;
}

function countOf(value: unknown): number | bigint | undefined {
  if (typeof value === 'number') return value >= 0 ? value : undefined;
  const digits = isExactNumber(value) ? value.value : value;
  return typeof digits === 'string' && /^\d+$/.test(digits) ? BigInt(digits) : undefined;
}

/** A failed item. The specification does not describe the format of failed items. */
export interface FailedItem {
  readonly id: string | null;
  readonly name: string | null;
  readonly reason: string | null;
  /** The unchanged item. */
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

/** The known name and status of an item. Used if the response does not contain the name or the reason. */
export interface KnownItem {
  readonly name: string;
  readonly status: unknown;
}

/**
 * Reads the failed items in a response: a list of strings or objects, or an object whose keys are the ids of the items.
 *
 * @param known names and statuses by id; used if the response lacks the name or the reason of an item
 */
export function failedItems(
  answer: unknown,
  known: ReadonlyMap<string, KnownItem> = new Map(),
): FailedItem[] {
  const lists = holdersOf(answer).flatMap((holder) => LISTS.map((name) => holder[name]));
  const list = lists.find((value) => typeof value === 'object' && sizeOf(value) > 0);
  const entries: [string | null, unknown][] = Array.isArray(list)
    ? list.map((item) => [null, item])
    : Object.entries(isRecord(list) ? list : {});
  return entries.map(([key, item]) => readItem(key, item, known));
}

function readItem(key: string | null, item: unknown, known: ReadonlyMap<string, KnownItem>): FailedItem {
  const record = isRecord(item) ? item : {};
  const alone = isRecord(item) ? null : textOf(item);
  const id = key ?? firstText(record, IDS) ?? otherId(record) ?? alone;
  const found = id === null ? undefined : known.get(id);
  const name = firstText(record, NAMES) ?? found?.name ?? null;
  const given = key === null || isRecord(item) ? firstText(record, REASONS) : alone;
  // An INACTIVE account never syncs. According to the specification, syncing is disabled or the integration is suspended.
  const reason = given ?? (found?.status === 'INACTIVE' ? 'the account is INACTIVE' : null);
  return { id, name, reason, item };
}

function firstText(record: JsonRecord, fields: readonly string[]): string | null {
  for (const field of fields) {
    const text = Object.hasOwn(record, field) ? textOf(record[field]) : null;
    if (text !== null) return text;
  }
  return null;
}

/** The value of a field whose name ends with `Id` or `_id`, such as `accountId`. */
function otherId(record: JsonRecord): string | null {
  const field = Object.keys(record).find((name) => /(Id|_id)$/.test(name));
  return field === undefined ? null : textOf(record[field]);
}

/** Converts text, a number or an error object to text. Returns null for a value that contains no information. */
function textOf(value: unknown): string | null {
  if (value === null || value === undefined || value === '' || typeof value === 'boolean') return null;
  if (typeof value === 'string') return value;
  if (isJsonNumber(value)) return String(value);
  if (!isRecord(value)) return Array.isArray(value) && value.length === 0 ? null : stringifyJson(value);
  const message = firstText(value, ['message', 'reason', 'error', 'description']);
  const code = firstText(value, ['code']);
  if (message !== null) return code === null ? message : `${message} (${code})`;
  return code ?? stringifyJson(value);
}

const MAX_LENGTH = 200;

/**
 * Returns text such as `Yoroi (wal_1): the account is suspended; wal_2: not found; and 3 more`. The output of the command lists
 * all failed items.
 */
function listItems(items: readonly FailedItem[]): string {
  const texts = items.map(({ id, name, reason, item }) => {
    const both = name !== null && id !== null && name !== id ? `${name} (${id})` : (name ?? id);
    const label = both ?? stringifyJson(item);
    return clip(`${label}: ${reason ?? 'the service reports no reason'}`);
  });
  return someOf(texts, { by: '; ' });
}

function clip(text: string): string {
  return showText(text.length > MAX_LENGTH ? `${text.slice(0, MAX_LENGTH)}…` : text);
}

export function partialFailure(
  message: string,
  items: readonly FailedItem[],
  hint = 'The result above lists every failed item. Send only the failed items again.',
): CryptodataError {
  const text = items.length === 0 ? message : `${message}: ${listItems(items)}`;
  const details = items.map(({ id, name, reason, item }) => ({ id, name, reason, item }));
  return partialError(text, { hint, details: items.length === 0 ? undefined : details });
}

/** Returns text such as `1 item of the batch failed`. */
export function itemsFailed(number: number | bigint, what: string): string {
  return `${plural(number, 'item', 'items')} of the ${what} failed`;
}

/**
 * How to report the result of a write. If the write succeeds, `done` is the note. If items fail, `failed` returns the error
 * message.
 */
export interface WriteReport {
  /** The response field that lists or counts failures. Without this field, a response does not confirm the write. */
  readonly field: 'failed' | 'failures' | 'errorCount';
  readonly done: string;
  /** Returns text such as `2 of 3 accounts could not be deleted`. */
  readonly failed: (count: number | bigint) => string;
  readonly hint?: string;
  /** Returns the names and statuses of items by id. Called only if an item failed. */
  readonly known?: () => Promise<ReadonlyMap<string, KnownItem>>;
}

/**
 * Reports the result of a write. If items failed, reports a partial failure (exit 11). If the response has no `field`, reports
 * that the write is unverified (exit 12). Otherwise, reports a success.
 */
export async function reportWrite(write: CallPromise<JsonRecord>, report: WriteReport): Promise<One> {
  const { record, hint: ofSandbox } = await answerOf(write);
  const { field, done, failed, hint, known } = report;
  const notes = ofSandbox === null ? [] : [{ text: showText(ofSandbox) }];
  const count = failuresIn(record);
  if (count > 0) {
    const items = failedItems(record, await known?.().catch(withoutKnown));
    const error = partialFailure(failed(count), items, hint);
    return { ...outcomeOf(record, items), notes: () => notes, failed: () => error };
  }
  const isExpected = holdersOf(record).some((holder) =>
    field === 'errorCount' ? countOf(holder[field]) !== undefined : isListed(holder[field]),
  );
  if (isExpected) return { ...outcomeOf(record, []), notes: () => [{ text: done }, ...notes] };
  const error = unverifiedError(
    `The service accepted the request, but the response has no ${field} field, so it is unknown whether any items failed`,
    "The result above is the service's response. Check what was applied before you send the request again.",
    'ANSWER_NOT_UNDERSTOOD',
  );
  return { ...outcomeOf(record, []), failed: () => error };
}

/** The response to a write. A response that is not JSON becomes `{ answer: text }`. */
async function answerOf(write: CallPromise<JsonRecord>) {
  try {
    const { data, response } = await write.withResponse();
    // If the service is a sandbox, this header says which effects of the write the sandbox does not simulate.
    return { record: data, hint: response.headers.get('x-cryptodata-sandbox') };
  } catch (error) {
    if (!(error instanceof ServiceError) || error.code !== 'BAD_ANSWER') throw error;
    if (typeof error.body !== 'string') throw error;
    return { record: { answer: error.body }, hint: null };
  }
}

/** Unreadable names do not make the command fail, because the write has already succeeded. */
function withoutKnown(error: unknown): undefined {
  if (!(error instanceof CryptodataError) || error.kind === 'interrupted') throw error;
}

function isListed(value: unknown): boolean {
  return typeof value === 'object' && value !== null;
}

/** Table output shows the failed items below the rest of the response. */
function outcomeOf(record: JsonRecord, items: readonly FailedItem[]): One {
  const { csv } = openColumns([record]);
  const titles = Object.keys(record).filter((key) => LISTS.includes(key) && sizeOf(record[key]) > 0);
  const [title = 'failed'] = titles;
  const rows = items.map(({ name, id, reason, item }) =>
    isRecord(item)
      ? { ...(name === null || NAMES.some((field) => item[field] === name) ? {} : { name }), ...item }
      : { ...(name === null ? {} : { name }), item: id ?? item, ...(reason === null ? {} : { reason }) },
  );
  const parts: Part[] = rows.length === 0 ? [] : [{ title, rows, columns: openColumns }];
  const counted = { key: title, derive: () => plural(rows.length, 'item', 'items') };
  const own = csv.filter(({ key }) => key !== title && !key.startsWith(`${title}.`));
  const table = rows.length === 0 || titles.length === 0 ? csv : [...own, counted];
  return { kind: 'record', record, columns: { table, csv }, parts };
}
