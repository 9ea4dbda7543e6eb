import { legacyPost } from '../../api/legacy.ts';
import { verb } from '../../cli/define.ts';
import { SERVICE_EXITS } from '../../cli/exits.ts';
import { choice, text, toggle } from '../../cli/flags.ts';
import { nameOf, readInput } from '../../cli/json-input.ts';
import type { Note, Outcome } from '../../cli/outcome.ts';
import { parameterFlag, parametersOf } from '../../cli/parameters.ts';
import { errorOf, ServiceError } from '../../client/errors.ts';
import { requestTo } from '../../client/service.ts';
import type { ServiceAnswer } from '../../client/transport.ts';
import type { Context } from '../../context.ts';
import { CryptodataError } from '../../core/errors.ts';
import { isRecord } from '../../core/json.ts';
import { showText } from '../../core/text.ts';
import { openColumns } from '../../formats/open.ts';
import { digitsOf } from '../../legacy/amounts.ts';
import { checkSource, type Payload } from '../../legacy/check.ts';
import { COLUMNS } from '../../legacy/fields.ts';
import { iso } from '../../legacy/moments.ts';
import { clip, type Problem, type Source } from '../../legacy/problems.ts';
import { readCsvSource } from '../../legacy/read-csv.ts';
import { readJsonSource } from '../../legacy/read-json.ts';
import { type Summary, summarise } from '../../legacy/summary.ts';
import { decodeText } from '../../legacy/text.ts';
import { confirmed, dryRun, writeFlags } from '../writes.ts';
import { POSTED_COLUMNS, PROBLEM_COLUMNS } from './columns.ts';
import { complaints, explained, fateOf } from './fate.ts';
import { requireApiKey } from './key.ts';
import { postedBefore } from './posted-before.ts';
import { Receipt, refuseExisting } from './receipt.ts';
import { asRow, many, postedAlready, wrongFile } from './refusals.ts';
import { checkAtService } from './service-checks.ts';

export const post = verb({
  name: 'post',
  summary: 'Post transactions from JSON or CSV to a wallet',
  about: `The command checks every field of every row first; if one row is wrong, it sends nothing. Then it prints a summary (count, types, time range, sums per currency), asks, and sends the whole batch once. It needs an enterprise API key with the permission write:transactions.

JSON is the payload { "walletId": …, "transactions": [ … ] }, or the list of transactions alone with --wallet-id.

CSV needs --wallet-id. The header names the columns in any order; an empty cell is a missing field (but half of a description is sent as empty text); the separator is a comma, semicolon or tab:
${[...COLUMNS.keys()].join(', ')}

timestamp, transactionType (deposit, withdrawal, trade, payment) and transactionId are required; a transactionId must be unique in the file. sender.name and receiver.name are internal names in upper case.

timestamp is in Unix milliseconds or an ISO date: 2025-01-31T14:30:00Z, 2025-01-31 14:30+01:00. A time without an offset needs --tz; a time that does not exist there, or that happened twice when the clock changed, is an error.

These are errors unless --force is given: a trade with one side, a deposit without receivedCurrency, a withdrawal without sentCurrency, an amount of zero or below, and a transactionId that an earlier receipt in the folder of --receipt knows for this wallet.

Amounts are sent as JSON numbers with the digits of the file. An amount with more digits than a double holds (about 17) is an error, because the service may lose them; --allow-long-numbers sends it.

With --dry-run nothing is sent, and the wallet and the labels are compared with those of the service.`,
  operands: [{ written: '<file>', describe: 'JSON or CSV file, or - for stdin' }],
  flags: {
    walletId: text('--wallet-id <id>', 'wallet to post to, as in legacy integrations'),
    label: text('--label <label>', 'label for transactions without one'),
    format: choice('--format <format>', 'json or csv (default: detected from the content)', ['json', 'csv']),
    allowLongNumbers: toggle('--allow-long-numbers', 'send amounts with more digits than a double holds'),
    force: toggle('--force', 'send one-sided trades, amounts of zero or below, and repeated transactions'),
    receipt: text(
      '--receipt <file>',
      'new file for the request and the answer; refuses to repeat earlier ones',
    ),
    parameters: parameterFlag,
    ...writeFlags,
  },
  examples: [
    {
      says: 'Check the file, the wallet and the labels',
      line: 'cryptodata legacy post trades.csv --wallet-id WALLET_ID --tz Europe/Berlin --dry-run',
    },
    {
      says: 'From a script, with a receipt',
      line: 'cryptodata legacy post batch.json --yes --receipt receipt.json',
    },
    {
      says: 'List the wrong rows',
      line: 'cryptodata legacy post trades.csv --wallet-id WALLET_ID --dry-run --csv',
    },
  ],
  prints: `Records { timestamp, transactionType, transactionId, source } of the accepted transactions.
For wrong rows: records { row, line, field, problem, hint }; row counts from 1, line is that of a CSV file.
On stderr: a summary of the batch, and warnings.`,
  exits: [...SERVICE_EXITS, 5, 11].sort((a, b) => a - b),
  async run(context, flags, [file = '']) {
    const { walletId, label, format, allowLongNumbers, force, receipt, yes } = flags;
    const query = parametersOf(flags.parameters);
    const name = nameOf(file);
    const content = decodeText(await readInput(context, file, 'transactions'), name);
    const source = readSource(content, name, format);
    const { isoReader } = await import('../../legacy/local-time.ts');
    const zone = (await context.settings()).get('tz');
    const checked = checkSource(source, {
      walletId,
      label,
      allowLong: allowLongNumbers === true,
      now: context.now(),
      force,
      readTime: isoReader(zone),
    });
    if (checked.problems.length > 0) return wrongFile(checked.problems, source, name);
    const { payload } = checked;
    const request = requestTo(legacyPost, { body: payload, query });
    const summary = summarise(payload.transactions);
    const notes = [
      ...summaryLines(summary, payload),
      ...(checked.localTimes > 0 ? [{ text: showText(`Times without an offset are in ${zone}.`) }] : []),
      ...doubtLines(checked.doubts),
    ];
    const repeated = async (isBegun: boolean): Promise<readonly Problem[]> => {
      if (receipt === undefined || force) return [];
      const url = `${(await context.settings()).require('legacy_base_url')}/${request.path.join('/')}`;
      return postedBefore(receipt, url, payload.walletId, source.rows, isBegun);
    };
    const before = await repeated(false);
    if (before.length > 0) return postedAlready(before, source, name);
    if (flags.dryRun) {
      const { problems, notes: unchecked } = await checkAtService(context, payload, source.rows);
      if (problems.length > 0) return wrongFile(problems, source, name);
      return shown(await dryRun(context, request), payload, [...notes, ...unchecked]);
    }

    await requireApiKey(context, 'The legacy API accepts transactions');
    if (receipt !== undefined) await refuseExisting(receipt);
    const client = await context.client();
    const preview = await client.preview(request);
    for (const { text, warning } of notes) (warning || !yes ? context.say : context.note)(text);
    const question = `Post ${many(summary.count)} to wallet ${showText(payload.walletId)}?`;
    if (!(await confirmed(context, question, yes))) {
      return { kind: 'silent', notes: () => [{ text: 'Nothing was sent.' }] };
    }
    const proof =
      receipt === undefined ? undefined : await Receipt.begin(receipt, preview, payload, context.now());
    // Another command may have begun since: each has announced itself by its receipt, so that both see the other.
    const meanwhile = await repeated(true);
    if (meanwhile.length > 0) {
      await proof?.finish('not sent', { status: null, body: null });
      return postedAlready(meanwhile, source, name);
    }
    let answer: ServiceAnswer;
    try {
      answer = await client.legacy.postAsServed(payload, undefined, query);
      checkTaken(answer);
    } catch (error) {
      if (!(error instanceof CryptodataError)) throw error;
      return failed(context, error, { proof, receipt, source, summary });
    }
    const { status, body } = answer;
    const kept = await keep(proof, () => proof?.finish('accepted', { status, body: body ?? null }), receipt);
    return taken(context, answer, payload, kept);
  },
});

function readSource(content: string, name: string, format: 'json' | 'csv' | undefined): Source {
  // No header of the CSV begins so.
  const isJson = format === undefined ? /^\s*[[{]/.test(content) : format === 'json';
  return isJson ? readJsonSource(content, name) : readCsvSource(content, name);
}

/** The request with every digit as it will be sent. */
function shown(outcome: Outcome, payload: Payload, notes: readonly Note[]): Outcome {
  if (outcome.kind !== 'record') return outcome;
  const record = { ...outcome.record, body: payload };
  return { ...outcome, record, notes: () => [...notes, ...(outcome.notes?.() ?? [])] };
}

function summaryLines({ count, types, first, last, sums }: Summary, { walletId }: Payload): Note[] {
  const kinds = [...types].map(([type, number]) => `${number.toLocaleString('en')} ${type}`).join(', ');
  const lines = [
    `${many(count)} for wallet ${walletId}: ${kinds}`,
    count === 1 ? `at ${iso(first)}` : `from ${iso(first)} to ${iso(last)}`,
    ...sums.map(
      ({ side, currency, total, count }) =>
        `  ${side.padEnd(8)} ${total} ${currency} in ${count.toLocaleString('en')}`,
    ),
  ];
  return lines.map((line) => ({ text: showText(line) }));
}

const MOST_DOUBTS = 10;

function doubtLines(doubts: readonly Problem[]): Note[] {
  const lines = doubts.slice(0, MOST_DOUBTS).map(({ row, line, field, problem }) => {
    const where = line === undefined ? `Row ${row}` : `Row ${row} (line ${line})`;
    return `${where}: ${field === '' ? 'it' : field} ${problem}.`;
  });
  const more = doubts.length - lines.length;
  if (more > 0) lines.push(`And ${more.toLocaleString('en')} more such doubts.`);
  return lines.map((text) => ({ text: showText(text), warning: true }));
}

interface Sent {
  readonly proof: Receipt | undefined;
  readonly receipt: string | undefined;
  readonly source: Source;
  readonly summary: Summary;
}

/** The answer is on the disk before anything is said of it; where it cannot be, that is said beside it. */
async function keep(
  proof: Receipt | undefined,
  finish: () => Promise<void> | undefined,
  path: string | undefined,
): Promise<Note[]> {
  if (proof === undefined || path === undefined) return [];
  try {
    await finish();
    return [{ text: showText(`Receipt: ${path}`) }];
  } catch (error) {
    if (!(error instanceof CryptodataError)) throw error;
    return [
      {
        text: showText(`The receipt could not be completed: ${error.message}. It still says "unknown".`),
        warning: true,
      },
    ];
  }
}

async function failed(
  context: Context,
  error: CryptodataError,
  { proof, receipt, source, summary }: Sent,
): Promise<Outcome> {
  const fate = fateOf(error);
  const { status = null, code, message } = error;
  const body = error instanceof ServiceError ? (error.body ?? null) : null;
  const finish = () => proof?.finish(fate, { status, body, error: { code, message } });
  const notes = await keep(proof, finish, receipt);
  const end = explained(error, fate, summary);
  const rows = fate === 'refused' ? complaints(error.details, source.rows) : [];
  if (rows.length === 0) {
    for (const { text, warning } of notes) (warning ? context.say : context.note)(text);
    // After Ctrl-C nothing but "Interrupted" is said at the end.
    if (error.kind === 'interrupted') context.say(`${end.message}. ${end.hint ?? ''}`);
    throw end;
  }
  return {
    kind: 'rows',
    rows: rows.map(asRow),
    columns: PROBLEM_COLUMNS,
    notes: () => notes,
    // The places are listed as rows already, and counted from 1 there.
    failed: () =>
      new CryptodataError(end.kind, end.code, `The service refused the transactions: ${saidBy(error)}`, {
        hint: end.hint,
        status: end.status,
        details: end.details,
        cause: error,
      }),
  };
}

/** The service's own sentence, without the places that its details name. */
function saidBy(error: CryptodataError): string {
  const body = error instanceof ServiceError && isRecord(error.body) ? error.body : {};
  const { message } = body;
  return `${typeof message === 'string' ? clip(message, 200) : error.code} (answered ${error.status})`;
}

/**
 * A success may still say that it is none, and one that names neither rows nor a count, as a gateway gives it, is no
 * proof of anything. The specification shows `{ message, data, count, … }`.
 */
function checkTaken({ status, headers, body }: ServiceAnswer): void {
  const request = 'POST /api/v0/transactions';
  const record = isRecord(body) ? body : {};
  if (Array.isArray(record['data'])) return;
  if (record['success'] === false || (record['error'] ?? null) !== null) {
    throw errorOf({ status, headers, body, text: '', request });
  }
  // 201 is what the specification gives for it; any other success may be that of a gateway.
  if (status === 201 || digitsOf(record['count']) !== undefined) return;
  throw new CryptodataError(
    'service',
    'BAD_ANSWER',
    `The answer does not say what was taken (${request} answered ${status})`,
    { status, details: body },
  );
}

/** What the service took; where it lists less than was sent, the rest is named. */
function taken(
  context: Context,
  { status, body }: ServiceAnswer,
  { transactions }: Payload,
  kept: readonly Note[],
): Outcome {
  const record = isRecord(body) ? body : {};
  const { data } = record;
  const listed = Array.isArray(data) ? data.filter(isRecord) : undefined;
  const count = Number(digitsOf(record['count']) ?? listed?.length ?? Number.NaN);
  const ids = new Set(listed?.map(({ transactionId }) => transactionId));
  const missing = transactions.map(({ transactionId }) => transactionId).filter((id) => !ids.has(id));
  const short = (listed !== undefined && missing.length > 0) || count < transactions.length;
  const said = Number.isNaN(count) ? 'The service took them, and does not say how many' : `${count} taken`;
  const notes: Note[] = [
    ...(short ? [] : [{ text: `${said} (of ${transactions.length} sent, answered ${status}).` }]),
    ...kept,
  ];
  const failure = () =>
    short
      ? new CryptodataError(
          'partial',
          'POSTED_PARTLY',
          `${many(transactions.length)} were sent, and the answer lists ${listed?.length ?? count}`,
          {
            status,
            hint: `Not in the answer: ${clip(missing.slice(0, 5).join(', '), 200)}${missing.length > 5 ? `, and ${missing.length - 5} more` : ''}. Look for them before you post them again: cryptodata txns list --all --json`,
            details: { missing },
          },
        )
      : undefined;
  // At once: whatever becomes of the output, or of this process, what was posted was posted.
  for (const { text, warning } of notes) (warning ? context.say : context.note)(text);
  const ending = { failed: failure };
  if (listed !== undefined) return { kind: 'rows', rows: listed, columns: POSTED_COLUMNS, ...ending };
  return { kind: 'record', record, columns: openColumns, ...ending };
}
