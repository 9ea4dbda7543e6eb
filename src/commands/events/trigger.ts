import { randomBytes } from 'node:crypto';
import { columnsFlag } from '../../cli/common-flags.ts';
import { type Flag, verb } from '../../cli/define.ts';
import { text, toggle } from '../../cli/flags.ts';
import type { Note } from '../../cli/outcome.ts';
import type { Context } from '../../context.ts';
import { CryptodataError, usageError } from '../../core/errors.ts';
import { isRecord, type JsonRecord, stringifyJson } from '../../core/json.ts';
import { nearest } from '../../core/nearest.ts';
import { showText } from '../../core/text.ts';
import { type Assignment, assign, readAssignment, valueAt } from '../../events/assign.ts';
import { checkDelivery } from '../../events/check.ts';
import { deliver, parseTarget, shownTarget } from '../../events/deliver.ts';
import { KIND_NAMES } from '../../events/kinds.ts';
import { sample } from '../../events/sample.ts';
import { type Signature, signed } from '../../events/signature.ts';
import { openColumns } from '../../formats/open.ts';
import { givenData } from '../integrations/data.ts';
import { findSandbox } from './sandbox.ts';
import { signatureFlags, signatureOf } from './shared.ts';
import { counted } from './text.ts';

const setFlag: Flag<readonly Assignment[] | undefined> = {
  written: '--set <path=value>',
  describe: 'set a field of the delivery, as in data.status=FAILED; may be repeated',
  parse: (given, previous) => [...(previous ?? []), readAssignment(given)],
};

export const trigger = verb({
  name: 'trigger',
  summary: 'Make the sandbox, or an address of yours, see one webhook event',
  about: `KIND is one of:
${KIND_NAMES.join(', ')}

Without --to the sandbox emits it, to every receiver that it was given, with its own retries, faults and signature. base_url must be that of a sandbox: nothing is sent to anything else. With --to the delivery is made up here, and posted once; signed where all three signature flags are given (HMAC-SHA-256 of the body: the specification shows none).

The envelope is that of the specification, with believable data. --set changes one field by its path: what stands there as a number, true or false is given as JSON, null where the specification allows it, and anything else is text. A path that the delivery does not have is an error that names those that are near. What the specification does not allow is sent all the same, and told.`,
  operands: [{ written: '<kind>', describe: 'kind of event, as in integration.updated' }],
  flags: {
    to: text('--to <url>', 'post it to this address, in the place of the sandbox'),
    set: setFlag,
    data: text(
      '-d, --data <json>',
      'the whole of data, in the place of what is made up; @FILE for a file, - for stdin',
    ),
    ...signatureFlags,
    dryRun: toggle('--dry-run', 'print the delivery and send nothing'),
    columns: columnsFlag,
  },
  examples: [
    { says: 'The sandbox says that a sync failed', line: 'cryptodata events trigger integration.failed' },
    {
      says: 'To an application of your own, with a field set',
      line: 'cryptodata events trigger integration.updated --to http://localhost:3000/webhooks --set data.status=SYNCING',
    },
    {
      says: 'The delivery alone, for a test of your own',
      line: 'cryptodata events trigger costbasis.failed --dry-run --json > costbasis-failed.json',
    },
  ],
  prints: `The envelope as it was sent, as one record.
On stderr: who gets it, and what in it is not as the specification says.`,
  exits: [0, 2, 7, 9, 13, 130],
  async run(context, flags, [given = '']) {
    const { to, set = [], data, dryRun, columns } = flags;
    const signature = signatureOf(context, flags);
    if (signature && to === undefined) throw sandboxSigns();
    const kind = readKind(given);
    const target = to === undefined ? undefined : parseTarget(to, '--to');
    const own = data === undefined ? undefined : readData(await givenData(context, data));
    const unique = () => randomBytes(10).toString('hex');
    const made = sample(kind, { now: context.now(), unique });
    const before = own === undefined ? made : { ...made, data: own };
    const envelope = assign(before, set);
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
      chosen: columns,
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
  const set = Object.fromEntries(assignments.map(({ path }) => [path, valueAt(envelope, path)]));
  const sent = await sandbox.trigger({ event, ...(data === undefined ? {} : { data }), set });
  const count = await sandbox.receivers();
  const to = count === undefined ? 'its receivers' : counted(count, 'receiver', 'receivers');
  const note =
    count === 0
      ? {
          text: `The sandbox at ${sandbox.url} has no receiver, so that nobody gets it. Start it with --receiver URL, or post it there: --to URL.`,
          warning: true,
        }
      : { text: `The sandbox at ${sandbox.url} sends it to ${to}.` };
  return { envelope: sent, notes: [note] };
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
  const where = shownTarget(to);
  if (ok) return { envelope, notes: [{ text: `Posted to ${where}, which answered ${last}.` }] };
  return { envelope, notes: [], failure: refused(where, last) };
}

function sandboxSigns(): Error {
  return usageError(
    'The sandbox signs what it sends by flags of its own',
    'Give them to cryptodata sandbox, or --to URL here.',
    'SANDBOX_SIGNS',
  );
}

function refused(where: string, last: number | string): CryptodataError {
  if (typeof last === 'string') {
    return new CryptodataError('network', 'NOT_DELIVERED', showText(last), {
      hint: 'Is the application that is to get it running, and is that its address?',
    });
  }
  const kind = last >= 500 ? 'service' : 'rejected';
  return new CryptodataError(kind, 'NOT_DELIVERED', `${where} answered ${last} to the delivery`, {
    status: last,
    hint: 'Any status from 200 to 299 says that a delivery was taken. What the receiver has against it is in its own log.',
  });
}

function readKind(given: string): string {
  if (KIND_NAMES.includes(given)) return given;
  const near = nearest(given, KIND_NAMES);
  throw usageError(
    `There is no kind of event ${JSON.stringify(given)}`,
    `${near === undefined ? '' : `Did you mean ${near}? `}There are ${KIND_NAMES.join(', ')}. To send another name: --set event=NAME.`,
    'UNKNOWN_EVENT',
  );
}

function readData(value: unknown): JsonRecord {
  if (isRecord(value)) return value;
  throw usageError(
    '--data is no JSON object',
    'It is what stands in "data" of the envelope: { … }.',
    'BAD_DATA',
  );
}

function problemsOf(envelope: JsonRecord): Note[] {
  return checkDelivery(Buffer.from(stringifyJson(envelope))).problems.map((problem) => ({
    text: showText(`Not as the specification says: ${problem}.`),
    warning: true,
  }));
}
