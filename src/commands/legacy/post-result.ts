import { type Note, type Outcome, warning } from '../../cli/outcome.ts';
import { serviceErrorOf } from '../../client/errors.ts';
import type { ServiceAnswer } from '../../client/request.ts';
import type { Context } from '../../context.ts';
import {
  CryptodataError,
  createError,
  partialError,
  ServiceError,
  UpstreamError,
  usageError,
} from '../../core/errors.ts';
import { isRecord, type JsonRecord } from '../../core/json.ts';
import { count, plural, showText } from '../../core/text.ts';
import { openColumns } from '../../formats/open.ts';
import type { Payload, ReadTimes, Summary } from '../../legacy/check.ts';
import { clip, kindsOf, type PayloadProblem } from '../../legacy/problems.ts';
import type { PayloadSource } from '../../legacy/source.ts';
import { digitsOf, iso } from '../../legacy/values.ts';
import { POSTED_COLUMNS, PROBLEM_COLUMNS, PROBLEM_KIND_COLUMNS } from './columns.ts';
import { explainError, outcomeOf, problemsIn } from './post-errors.ts';
import type { Receipt } from './receipt.ts';

/** Maximum number of problems that a table shows in full. */
const MAX_PROBLEMS = 20;

/** Shows all problems. For more than `MAX_PROBLEMS`, a table shows only one problem of each kind. */
async function problemRows(context: Context, problems: readonly PayloadProblem[]) {
  if (problems.length <= MAX_PROBLEMS || (await context.format()) !== 'table')
    return { kind: 'rows', rows: problems.map(asRow), columns: PROBLEM_COLUMNS } as const;
  const text = `The table shows the first problem of each kind. To list all ${count(problems.length)} problems, use -o csv.`;
  return {
    kind: 'rows',
    rows: kindsOf(problems).map(({ first, count: found }) => ({ problems: found, ...asRow(first) })),
    columns: PROBLEM_KIND_COLUMNS,
    notes: () => [warning(text)],
  } as const;
}

/** Shows the invalid rows of a file, and fails with an error that contains their number. */
export async function invalidRows(
  context: Context,
  problems: readonly PayloadProblem[],
  source: PayloadSource,
  name: string,
): Promise<Outcome> {
  const invalid = countRows(problems);
  const rows = `${count(invalid)} of ${count(source.rows.length)} rows ${invalid === 1 ? 'is' : 'are'} invalid`;
  const message = `${invalid === 0 ? `${name} is invalid` : `${rows} in ${name}`}; nothing was sent`;
  const hint = 'Correct the rows above. Nothing is sent until every row is valid.';
  const failed = () => usageError(message, hint, 'INVALID_TRANSACTIONS');
  return { ...(await problemRows(context, problems)), failed };
}

export async function postedRows(
  context: Context,
  problems: readonly PayloadProblem[],
  source: PayloadSource,
  name: string,
): Promise<Outcome> {
  const [posted, all] = [countRows(problems), source.rows.length];
  const what =
    posted === all ? `All ${countTransactions(all)}` : `${count(posted)} of ${countTransactions(all)}`;
  const message = `${what} in ${name} were posted before; nothing was sent`;
  const hint = 'Remove these rows, or post them again with --force.';
  const failed = () => usageError(message, hint, 'ALREADY_POSTED');
  return { ...(await problemRows(context, problems)), failed };
}

function countRows(problems: readonly PayloadProblem[]): number {
  return new Set(problems.flatMap(({ row }) => (row === null ? [] : [row]))).size;
}

function asRow({ row, line, field, problem, hint }: PayloadProblem): JsonRecord {
  return { row, line: line ?? null, field, problem, hint: hint ?? null };
}

export function countTransactions(number: number): string {
  return plural(number, 'transaction', 'transactions');
}

export function summaryLines(
  { count: number, types, first, last, sums }: Summary,
  { walletId }: Payload,
): Note[] {
  const kinds = [...types].map(([type, each]) => `${count(each)} ${type}`).join(', ');
  const lines = [
    `${countTransactions(number)} for wallet ${walletId}: ${kinds}`,
    number === 1 ? `at ${iso(first)}` : `from ${iso(first)} to ${iso(last)}`,
    ...sums.map(
      ({ side, currency, total, count: each }) =>
        `  ${side.padEnd(8)} ${total} ${currency} in ${countTransactions(each)}`,
    ),
  ];
  return lines.map((line) => ({ text: showText(line) }));
}

/** Returns notes on times without an offset, on truncated timestamps, and on dates without a time of day. */
export function timeNotes({ local, cut, days, firstDay }: ReadTimes, zone: string | undefined): Note[] {
  return [
    ...(local > 0 ? [{ text: showText(`Times without an offset are read as times in ${zone}.`) }] : []),
    ...(cut > 0
      ? [
          {
            text: `${plural(cut, 'timestamp is', 'timestamps are')} truncated to whole milliseconds, as the service requires.`,
          },
        ]
      : []),
    ...(days > 0
      ? [
          warning(
            `${plural(days, 'date has', 'dates have')} no time of day, so the start of the day is sent, as in ${firstDay}.`,
          ),
        ]
      : []),
  ];
}

const MAX_WARNINGS = 10;

/** Returns one line for each warning. If there are many warnings, returns one line for each kind of warning. */
export function warningLines(doubts: readonly PayloadProblem[]): Note[] {
  const kinds = doubts.length > MAX_WARNINGS ? kindsOf(doubts) : doubts.map((first) => ({ first, count: 1 }));
  const lines = kinds.slice(0, MAX_WARNINGS).map(({ first: { row, line, field, problem }, count: found }) => {
    const where = line === undefined ? `Row ${row}` : `Row ${row} (line ${line})`;
    const more =
      found === 1 ? '' : ` ${plural(found - 1, 'more row has', 'more rows have')} a similar warning.`;
    return `${where}: ${field === '' ? 'it' : field} ${problem}.${more}`;
  });
  const more = kinds.length - lines.length;
  if (more > 0) lines.push(`And ${count(more)} more kinds of warnings.`);
  return lines.map((text) => warning(showText(text)));
}

export interface SentBatch {
  readonly receipt: Receipt | undefined;
  readonly source: PayloadSource;
  readonly summary: Summary;
}

/** Writes the outcome and the response to the receipt. An error becomes a warning, so that the result is still printed. */
async function completeReceipt(
  receipt: Receipt | undefined,
  ...result: Parameters<Receipt['finish']>
): Promise<Note[]> {
  if (receipt === undefined) return [];
  try {
    await receipt.finish(...result);
    return [{ text: showText(`Receipt: ${receipt.path}`) }];
  } catch (error) {
    if (!(error instanceof CryptodataError)) throw error;
    const text = `The receipt could not be completed: ${error.message}. The outcome in the receipt is still "unknown".`;
    return [warning(showText(text))];
  }
}

/**
 * Shows the rows that the service rejected.
 *
 * @throws CryptodataError if the service did not name any row of the file
 */
export async function failedPost(
  context: Context,
  error: CryptodataError,
  { receipt, source, summary }: SentBatch,
): Promise<Outcome> {
  const outcome = outcomeOf(error);
  const { status = null, code, message } = error;
  const body = error instanceof ServiceError ? (error.body ?? null) : null;
  const notes = await completeReceipt(receipt, outcome, { status, body, error: { code, message } });
  const end = explainError(error, outcome, summary);
  const rows = outcome === 'refused' ? problemsIn(error.details, source.rows) : [];
  if (rows.length === 0) {
    for (const { text, warning } of notes) (warning ? context.say : context.note)(text);
    // Print the explanation here. After Ctrl-C, the final error says only "Interrupted".
    if (error.kind === 'interrupted') context.say(`${end.message}. ${end.hint ?? ''}`);
    throw end;
  }
  const shown = await problemRows(context, rows);
  return {
    ...shown,
    notes: () => [...(shown.notes?.() ?? []), ...notes],
    failed: () =>
      createError(end.kind, end.code, `The service rejected the transactions: ${messageIn(error)}`, {
        hint: end.hint,
        status: end.status,
        details: end.details,
        cause: error,
      }),
  };
}

/** The service's error message. The details of the error are printed separately, as rows. */
function messageIn(error: CryptodataError): string {
  const body = error instanceof ServiceError && isRecord(error.body) ? error.body : {};
  const { message } = body;
  return `${typeof message === 'string' ? clip(message, 200) : error.code} (status ${error.status})`;
}

/**
 * Throws an error if a 2xx response does not confirm the transactions. According to the specification, the response is
 * `{ message, data, count, … }`. A response from a gateway has none of these fields.
 */
export function checkAccepted({ status, headers, body }: ServiceAnswer): void {
  const request = 'POST /api/v0/transactions';
  const record = isRecord(body) ? body : {};
  if (Array.isArray(record['data'])) return;
  if (record['success'] === false || (record['error'] ?? null) !== null) {
    throw serviceErrorOf({ status, headers, body, text: '', request });
  }
  // According to the specification, the status is 201. A gateway may answer with another 2xx status.
  if (status === 201 || digitsOf(record['count']) !== undefined) return;
  throw new UpstreamError(
    'BAD_ANSWER',
    `The response does not confirm the transactions (${request}: status ${status})`,
    { status, details: body },
  );
}

/** Shows the accepted transactions. The command fails if the response does not list every transaction that was sent. */
export async function acceptedPost(
  context: Context,
  { status, body = null }: ServiceAnswer,
  { transactions: sent }: Payload,
  receipt: Receipt | undefined,
): Promise<Outcome> {
  const kept = await completeReceipt(receipt, 'accepted', { status, body });
  const record = isRecord(body) ? body : {};
  const { data } = record;
  const listed = Array.isArray(data) ? data.filter(isRecord) : undefined;
  const number = Number(digitsOf(record['count']) ?? listed?.length ?? Number.NaN);
  const missing = withoutEach(
    sent.map(({ transactionId }) => transactionId),
    listed?.map(({ transactionId }) => transactionId) ?? [],
  );
  const isPartial = (listed !== undefined && missing.length > 0) || number < sent.length;
  const accepted = Number.isNaN(number)
    ? 'The response does not contain the number of accepted transactions'
    : `${number} accepted`;
  const notes: Note[] = [
    ...(isPartial ? [] : [{ text: `${accepted} (of ${sent.length} sent, status ${status}).` }]),
    ...kept,
  ];
  // Print the notes now, because the output may fail after the transactions are posted.
  for (const { text, warning } of notes) (warning ? context.say : context.note)(text);
  const failed = () => {
    if (!isPartial) return undefined;
    const names = clip(missing.slice(0, 5).join(', '), 200);
    const more = missing.length > 5 ? `, and ${missing.length - 5} more` : '';
    return partialError(
      `The response lists only ${listed?.length ?? number} of ${countTransactions(sent.length)} sent`,
      {
        status,
        hint: `Missing from the response: ${names}${more}. Before you post these transactions again, search for them in: cryptodata txns list --all --json`,
        details: { missing },
      },
      'POSTED_PARTLY',
    );
  };
  if (listed !== undefined) return { kind: 'rows', rows: listed, columns: POSTED_COLUMNS, failed };
  return { kind: 'record', record, columns: openColumns, failed };
}

/** Removes each of `others` from `values` once. Several transactions may have the same id, so further copies stay. */
function withoutEach(values: readonly unknown[], others: readonly unknown[]): unknown[] {
  const left = new Map<unknown, number>();
  for (const other of others) left.set(other, (left.get(other) ?? 0) + 1);
  return values.filter((value) => {
    const found = left.get(value) ?? 0;
    left.set(value, found - 1);
    return found <= 0;
  });
}
