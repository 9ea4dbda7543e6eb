import { legacyPost } from '../../api/legacy.ts';
import { requireCredential } from '../../app/credential.ts';
import { confirmed, dryRun, writeFlags } from '../../app/writes.ts';
import { type Values, verb } from '../../cli/define.ts';
import { SERVICE_EXITS } from '../../cli/exits.ts';
import { choiceFlag, textFlag, toggle } from '../../cli/flags.ts';
import { inputName, readInput } from '../../cli/json-input.ts';
import type { Note, Outcome } from '../../cli/outcome.ts';
import { listOf, oneOf, served } from '../../cli/output.ts';
import { parameterFlag, parametersOf } from '../../cli/parameters.ts';
import type { Query } from '../../client/address.ts';
import type { ServiceClient } from '../../client/client.ts';
import type { ServiceAnswer } from '../../client/request.ts';
import { requestTo } from '../../client/request.ts';
import type { Context } from '../../context.ts';
import { CryptodataError } from '../../core/errors.ts';
import { showText } from '../../core/text.ts';
import { checkSource, type Payload, summarise } from '../../legacy/check.ts';
import { COLUMNS } from '../../legacy/fields.ts';
import type { PayloadProblem } from '../../legacy/problems.ts';
import { decodePayload, readSource } from '../../legacy/source.ts';
import { PROBLEM } from './columns.ts';
import {
  acceptedPost,
  checkAccepted,
  countTransactions,
  failedPost,
  invalidRows,
  postedRows,
  type SentBatch,
  summaryLines,
  timeNotes,
  warningLines,
} from './post-result.ts';
import { postedBefore, Receipt, refuseExisting } from './receipt.ts';
import { checkAtService } from './service-checks.ts';

const flags = {
  walletId: textFlag(
    '--wallet-id <id>',
    'id of the wallet to post to (see "cryptodata legacy integrations")',
  ),
  label: textFlag('--label <label>', 'label for transactions that have no label'),
  format: choiceFlag('--format <format>', 'json or csv (default: detected from the content)', [
    'json',
    'csv',
  ]),
  timeUnit: choiceFlag('--time-unit <unit>', 'unit of timestamps that are numbers: s or ms (default: ms)', [
    's',
    'ms',
  ]),
  allowLongNumbers: toggle(
    '--allow-long-numbers',
    'send amounts with more digits than a double-precision number can represent',
  ),
  force: toggle('--force', 'also send one-sided trades, zero or negative amounts, and repeated transactions'),
  receipt: textFlag(
    '--receipt <file>',
    'new file for the request and the response; transactions in earlier receipts in the same folder are refused',
  ),
  parameters: parameterFlag,
  ...writeFlags,
} as const;

export const post = verb({
  name: 'post',
  summary: 'Post transactions from JSON or CSV to a wallet',
  about: `The command first checks every field. If a row is invalid, nothing is sent. Otherwise, the command prints a summary (count, types, time range, sums per currency), asks for confirmation, and sends the whole batch in one request. The command needs an enterprise API key with the permission write:transactions.

A JSON file contains the payload { "walletId": …, "transactions": [ … ] }. With --wallet-id, the file may contain only the list of transactions.

A CSV file requires --wallet-id. The separator is a comma, semicolon or tab. An empty cell means that the field is missing. However, if only one of description.title and description.desc is set, the other is sent as empty text. The header may contain these columns, in any order:
${[...COLUMNS.keys()].join(', ')}

The required fields are timestamp, transactionType (deposit, withdrawal, trade, payment) and transactionId. sender.name and receiver.name are internal names in upper case.

A timestamp is a number of Unix milliseconds (or seconds, with --time-unit s), or an ISO 8601 date such as 2025-01-31T14:30:00Z, 2025-01-31 14:30 +01 or 20250131T143000,25Z. Fractions of a millisecond are dropped. A number before 2001 or after 2099 is an error, because its unit is probably wrong. A time without an offset requires --tz. A local time is an error if it was skipped or repeated when the clocks changed. A day without a time means the start of this day.

Without --force, these are errors: a trade with one side, a deposit without receivedCurrency, a withdrawal without sentCurrency, a zero or negative amount, a transactionId that occurs twice in the file (such as the hash of a transaction with several movements), and a transactionId that was posted to this wallet before. The receipts in the folder of --receipt show which transactions were posted.

Amounts are sent as JSON numbers with the same digits as in the file. An amount with more digits than a double can represent (about 17) is an error, because the service may lose digits. To send an amount with more digits, use --allow-long-numbers.

With --dry-run, nothing is posted, but the wallet and the labels are checked against the service.`,
  operands: [{ written: '<file>', describe: 'JSON or CSV file, or - for stdin' }],
  flags,
  examples: {
    'Check the file, the wallet and the labels without posting':
      'cryptodata legacy post trades.csv --wallet-id WALLET_ID --tz Europe/Berlin --dry-run',
    'Post from a script, with a receipt': 'cryptodata legacy post batch.json --yes --receipt receipt.json',
    'List the invalid rows': 'cryptodata legacy post trades.csv --wallet-id WALLET_ID --dry-run --csv',
  },
  prints: `The accepted transactions, as records { timestamp, transactionType, transactionId, source }.
For invalid rows: records { row, line, field, problem, hint }. The first row is row 1. line is the line in a CSV file.
On stderr: a summary of the batch, and warnings.`,
  output: [
    listOf(served({}), 'the accepted transactions'),
    listOf(PROBLEM, 'for invalid rows'),
    oneOf(served({}), { when: 'the response, if it lists no transactions; with --dry-run, the request' }),
  ],
  exits: [...SERVICE_EXITS, 5, 11],
  async run(context, flags, [file = '']) {
    const { force, receipt, yes } = flags;
    const query = parametersOf(flags.parameters);
    const { source, name, zone, checked } = await readBatch(context, flags, file);
    const { payload, problems } = checked;
    if (problems.length > 0) return invalidRows(context, problems, source, name);
    const request = requestTo(legacyPost, { body: payload, query });
    const summary = summarise(payload.transactions);
    const notes = [
      ...summaryLines(summary, payload),
      ...timeNotes(checked.times, zone),
      ...warningLines(checked.doubts),
    ];
    const repeated = async (isBegun: boolean): Promise<readonly PayloadProblem[]> => {
      if (receipt === undefined || force) return [];
      const url = `${(await context.settings()).require('legacy_base_url')}/${request.path.join('/')}`;
      return postedBefore(receipt, url, payload.walletId, source.rows, isBegun);
    };
    const before = await repeated(false);
    if (before.length > 0) return postedRows(context, before, source, name);
    if (flags.dryRun) {
      const { problems, notes: unchecked } = await checkAtService(context, payload, source.rows);
      if (problems.length > 0) return invalidRows(context, problems, source, name);
      return withDigits(await dryRun(context, request), payload, [...notes, ...unchecked]);
    }

    await requireCredential(context, legacyPost, 'Posting transactions');
    if (receipt !== undefined) await refuseExisting(receipt);
    const client = await context.client();
    const preview = await client.preview(request);
    for (const { text, warning } of notes) (warning || !yes ? context.say : context.note)(text);
    const question = `Post ${countTransactions(summary.count)} to wallet ${showText(payload.walletId)}?`;
    if (!(await confirmed(context, question, yes))) {
      return { kind: 'silent', notes: () => [{ text: 'Nothing was sent.' }] };
    }
    const written =
      receipt === undefined ? undefined : await Receipt.begin(receipt, preview, payload, context.now());
    // Another command may be posting the same rows. Each command writes its receipt before this check, so each finds the
    // other's receipt.
    const meanwhile = await repeated(true);
    if (meanwhile.length > 0) {
      await written?.finish('not sent', { status: null, body: null });
      return postedRows(context, meanwhile, source, name);
    }
    return send(context, client, query, payload, { receipt: written, source, summary });
  },
});

/** Reads the file, and checks every field of its rows. */
async function readBatch(context: Context, given: Values<typeof flags>, file: string) {
  const name = inputName(file);
  const content = decodePayload(await readInput(context, file, 'transactions'), name);
  const source = readSource(content, name, given.format);
  const { readTime } = await import('../../legacy/times.ts');
  const zone = (await context.settings()).get('tz');
  const now = context.now();
  const checked = checkSource(source, {
    ...{ walletId: given.walletId, label: given.label, force: given.force },
    allowLong: given.allowLongNumbers === true,
    readTime: (value) => readTime(value, { zone, unit: given.timeUnit ?? 'ms', now }),
  });
  return { source, name, zone, checked };
}

async function send(
  context: Context,
  client: ServiceClient,
  query: Query,
  payload: Payload,
  batch: SentBatch,
): Promise<Outcome> {
  let answer: ServiceAnswer;
  try {
    answer = await client.legacy.postAsServed(payload, query);
    checkAccepted(answer);
  } catch (error) {
    if (error instanceof CryptodataError) return failedPost(context, error, batch);
    throw error;
  }
  return acceptedPost(context, answer, payload, batch.receipt);
}

/** Puts the payload into the result of a dry run as `body`, because numbers in the payload keep all their digits. */
function withDigits(outcome: Outcome, payload: Payload, notes: readonly Note[]): Outcome {
  if (outcome.kind !== 'record') return outcome;
  const record = { ...outcome.record, body: payload };
  return { ...outcome, record, notes: () => [...notes, ...(outcome.notes?.() ?? [])] };
}
