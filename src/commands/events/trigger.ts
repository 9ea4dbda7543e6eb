import { randomBytes } from 'node:crypto';
import { columnsFlag } from '../../cli/common-flags.ts';
import { type Flag, verb } from '../../cli/define.ts';
import { textFlag, toggle } from '../../cli/flags.ts';
import { readDataFlag } from '../../cli/json-input.ts';
import { type Note, warning } from '../../cli/outcome.ts';
import { oneOf, served } from '../../cli/output.ts';
import type { Context } from '../../context.ts';
import { withoutQuery } from '../../core/address.ts';
import { type CryptodataError, createError, NetworkError, usageError } from '../../core/errors.ts';
import { fieldAt, isRecord, type JsonRecord, stringifyJson } from '../../core/json.ts';
import { nearest } from '../../core/nearest.ts';
import { plural, showText } from '../../core/text.ts';
import { checkDelivery } from '../../events/check.ts';
import { deliver, parseForwardTarget } from '../../events/deliver.ts';
import { KIND_NAMES } from '../../events/kinds.ts';
import { type Assignment, assign, parseAssignment, sample } from '../../events/sample.ts';
import { type Signature, signed } from '../../events/signature.ts';
import { ColumnCheck } from '../../formats/column-check.ts';
import { openColumns } from '../../formats/open.ts';
import { findSandbox } from './sandbox-control.ts';
import { forwardFlag, signatureFlags, signatureOf } from './shared.ts';

const setFlag: Flag<readonly Assignment[] | undefined> = {
  written: '--set <path=value>',
  describe: 'field to set: data.status=FAILED; repeatable',
  parse: (given, previous) => [...(previous ?? []), parseAssignment(given)],
};

export const trigger = verb({
  name: 'trigger',
  summary: 'Send a sample webhook event through the sandbox or directly',
  about: `KIND is one of:
${KIND_NAMES.join(', ')}

Without --forward-to, the sandbox at base_url sends the event to its receivers. The retries, faults and signature that are configured in the sandbox apply to this event. If base_url is not a sandbox, nothing is sent.

With --forward-to, the command creates the delivery and posts it once. With all three signature flags, the command signs the delivery with an HMAC-SHA-256 of the body. The specification does not describe signatures.

The envelope follows the specification and contains realistic data. --set changes the field at a path. For a text field, the value is text (or null, if the field may be null). For any other field, the value is JSON. If the path is unknown, the error lists similar paths. Differences from the specification are reported, but the event is still sent.`,
  operands: [{ written: '<kind>', describe: 'event kind: integration.updated', suggests: () => KIND_NAMES }],
  flags: {
    forwardTo: { ...forwardFlag('address to post to, instead of the sandbox'), alias: '--to <url>' },
    set: setFlag,
    data: textFlag(
      '-d, --data <json>',
      'data of the envelope as JSON; @FILE reads a file, - reads stdin (default: sample data)',
    ),
    ...signatureFlags,
    dryRun: toggle('--dry-run', 'print the delivery without sending it'),
    columns: columnsFlag,
  },
  examples: {
    'Make the sandbox send an event about a failed sync': 'cryptodata events trigger integration.failed',
    'Send an event to your application and set one field':
      'cryptodata events trigger integration.updated --forward-to http://localhost:3000/webhooks --set data.status=SYNCING',
    'Save a delivery as a file for your tests':
      'cryptodata events trigger costbasis.failed --dry-run --json > costbasis-failed.json',
  },
  prints: `The envelope that was sent, as one record.
On stderr: the receivers of the event, and differences from the specification.`,
  output: [oneOf(served({}))],
  exits: [0, 2, 7, 9, 13, 130],
  async run(context, flags, [given = '']) {
    const { forwardTo, set = [], data, dryRun, columns } = flags;
    const signature = signatureOf(context, flags);
    if (signature && forwardTo === undefined) {
      throw usageError(
        'Signature flags cannot be used when the sandbox sends the event',
        'Pass the signature flags to cryptodata sandbox instead, or add --forward-to URL to this command.',
        'SANDBOX_SIGNS',
      );
    }
    const kind = checkKind(given);
    const target = forwardTo === undefined ? undefined : parseForwardTarget(forwardTo);
    const own = data === undefined ? undefined : checkData(await readDataFlag(context, data));
    const unique = () => randomBytes(10).toString('hex');
    const made = sample(kind, { now: context.now(), unique });
    const envelope = assign(own === undefined ? made : { ...made, data: own }, set);
    // Check the columns before anything is sent.
    await new ColumnCheck(columns ?? [], []).over([envelope]).next();
    const warnings = problemsOf(envelope);
    const sent =
      dryRun === true
        ? { envelope, notes: [{ text: 'Nothing was sent.' }] }
        : target === undefined
          ? await bySandbox(context, kind, own, envelope, set)
          : await byPost(context, target, envelope, signature);
    return {
      kind: 'record',
      record: sent.envelope,
      columns: openColumns,
      notes: () => [...warnings, ...sent.notes],
      failed: () => sent.failure,
    };
  },
});

interface Sent {
  readonly envelope: JsonRecord;
  readonly notes: readonly Note[];
  readonly failure?: CryptodataError;
}

async function bySandbox(
  context: Context,
  event: string,
  data: JsonRecord | undefined,
  envelope: JsonRecord,
  assignments: readonly Assignment[],
): Promise<Sent> {
  const sandbox = await findSandbox(context);
  const set = Object.fromEntries(assignments.map(({ path }) => [path, fieldAt(envelope, path)]));
  const sent = await sandbox.trigger({ event, ...(data === undefined ? {} : { data }), set });
  const number = await sandbox.receivers();
  const to = number === undefined ? 'its receivers' : plural(number, 'receiver', 'receivers');
  const text =
    number === 0
      ? `The sandbox at ${sandbox.url} has no receivers. Start the sandbox with --receiver URL, or post the event directly with --forward-to URL.`
      : `The sandbox at ${sandbox.url} sends the event to ${to}.`;
  return { envelope: sent, notes: [{ text, warning: number === 0 }] };
}

async function byPost(
  context: Context,
  to: string,
  envelope: JsonRecord,
  signature: Signature | undefined,
): Promise<Sent> {
  const body = Buffer.from(stringifyJson(envelope));
  const headers = { 'content-type': 'application/json', ...(signature ? signed(body, signature) : {}) };
  const dispatcher = await context.dispatcher();
  const { ok, last } = await deliver(to, body, headers, { dispatcher, attempts: 1, signal: context.signal });
  const where = withoutQuery(to);
  if (ok) return { envelope, notes: [{ text: `Posted to ${where}, which answered with ${last}.` }] };
  return { envelope, notes: [], failure: refused(where, last) };
}

function refused(where: string, last: number | string): CryptodataError {
  if (typeof last === 'string') {
    return new NetworkError('NOT_DELIVERED', showText(last), {
      hint: 'Check that your application is running, and that the address is correct.',
    });
  }
  const kind = last >= 500 ? 'service' : 'rejected';
  return createError(kind, 'NOT_DELIVERED', `${where} responded to the delivery with ${last}`, {
    status: last,
    hint: 'To accept a delivery, an application must respond with a status from 200 to 299. The log of your application may show the reason.',
  });
}

function checkKind(given: string): string {
  if (KIND_NAMES.includes(given)) return given;
  const near = nearest(given, KIND_NAMES);
  throw usageError(
    `Unknown event kind ${JSON.stringify(given)}`,
    `${near === undefined ? '' : `Did you mean ${near}? `}Valid kinds: ${KIND_NAMES.join(', ')}. To send any other kind, use --set event=NAME.`,
    'UNKNOWN_EVENT',
  );
}

function checkData(value: unknown): JsonRecord {
  if (isRecord(value)) return value;
  throw usageError(
    '--data must be a JSON object',
    'The object replaces "data" in the envelope: { … }',
    'BAD_DATA',
  );
}

function problemsOf(envelope: JsonRecord): Note[] {
  return checkDelivery(Buffer.from(stringifyJson(envelope))).problems.map((problem) =>
    warning(showText(`The event differs from the specification: ${problem}.`)),
  );
}
