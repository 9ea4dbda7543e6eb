import { stat } from 'node:fs/promises';
import { columnsFlag, sameColumns } from '../../cli/common-flags.ts';
import { verb } from '../../cli/define.ts';
import { integer, integerOr, list, text, toggle } from '../../cli/flags.ts';
import type { Note } from '../../cli/outcome.ts';
import type { Context } from '../../context.ts';
import { usageError } from '../../core/errors.ts';
import type { JsonRecord } from '../../core/json.ts';
import { parseTarget, shownTarget } from '../../events/deliver.ts';
import { Pending } from '../../events/pending.ts';
import { requireColumns } from '../../formats/column-check.ts';
import { periodIn, timeFlags } from '../period.ts';
import { type Choice, chosenOf, survey } from './chosen.ts';
import { failureOf, type Run, rowOf, sendAll, summary } from './sending.ts';
import { checkTypes, DEFAULT_STORE, signatureFlags, signatureOf, storeFlag } from './shared.ts';
import { counted } from './text.ts';

export const replay = verb({
  name: 'replay',
  summary: 'Send stored webhook deliveries again, to any address',
  about: `Reads the store of events listen, and posts what is chosen by id, type and time of receipt: the same bytes, the same delivery id, and the signature that came with it (or a new one, where all three signature flags are given); one after the other, in the order in which they were received. Without a choice, all of them. A receiver that obeys delivery ids drops what it has already.

What is answered 408, 425, 429 or 5xx, or not at all, is tried again; other answers are final, and the next is sent. Where one was not answered at all in the end, nothing listens there: the rest is not sent, unless --keep-going says so.

--undelivered sends the deliveries that events listen has not forwarded, and removes each from FILE.pending.json once it is delivered. Stop a listener that forwards from the same store first, or it will list them again.`,
  flags: {
    store: storeFlag,
    to: text('--to <url>', 'address to post them to'),
    id: list('--id <ids>', 'delivery ids: a,b,c'),
    types: list('--types <kinds>', 'only these: integration.failed,costbasis.*'),
    since: text(
      '--since <time>',
      'received from this day (2025-07-01) or moment (2025-07-01T12:00, or with Z or +02:00)',
    ),
    until: text('--until <time>', 'received up to this day, the whole of it, or this moment'),
    period: timeFlags.period,
    fiscalYearStart: timeFlags.fiscalYearStart,
    undelivered: toggle('--undelivered', 'only deliveries that events listen has not forwarded'),
    retries: integerOr(
      '--retries <n>',
      'repetitions of one that fails for the moment',
      { min: 0, max: 20 },
      2,
    ),
    rate: integer('--rate <n>', 'at most so many in a second', { min: 1, max: 10_000 }),
    ...signatureFlags,
    keepGoing: toggle('--keep-going', 'go on where one was not answered at all'),
    dryRun: toggle('--dry-run', 'list them and send nothing'),
    columns: columnsFlag,
  },
  examples: [
    {
      says: 'What came while your application was down',
      line: 'cryptodata events replay --store deliveries.jsonl --to http://localhost:3000/webhooks --since 2025-07-01T12:00',
    },
    {
      says: 'One delivery',
      line: 'cryptodata events replay --store deliveries.jsonl --to http://localhost:3000/webhooks --id whd_1',
    },
    {
      says: 'What was not forwarded',
      line: 'cryptodata events replay --store deliveries.jsonl --undelivered --to http://localhost:3000/webhooks',
    },
    {
      says: 'Look first',
      line: 'cryptodata events replay --store deliveries.jsonl --types integration.failed --dry-run',
    },
  ],
  prints: `Records { line, id, event, received, result, status, attempts, error }: result is delivered or failed, or chosen with --dry-run.
On stderr: how many were delivered, and how many were not. 11 where some failed.`,
  exits: [0, 2, 5, 11, 13, 130],
  async run(context, flags) {
    const { store = DEFAULT_STORE, to, id, types, undelivered, dryRun, columns } = flags;
    if (to === undefined && !dryRun) {
      throw usageError('--to URL is missing', 'It says where they are to be sent; --dry-run lists them.');
    }
    requireColumns(columns ?? [], COLUMNS.csv);
    if (types) checkTypes(context, types);
    const signature = signatureOf(context, flags);
    const target = to === undefined ? undefined : parseTarget(to, '--to');
    const { since, until, period, fiscalYearStart } = flags;
    const times = { from: since, to: until, period, fiscalYearStart };
    const span = await periodIn(context, times, { from: '--since', to: '--until' });
    if (flags.store === undefined && (await isAbsent(store))) {
      throw usageError(
        `There is no ${store} here`,
        'Name the file of events listen: --store FILE.',
        'BAD_INPUT',
      );
    }
    if (await isPipe(store)) {
      throw usageError(
        `--store must be a file: ${store} can be read once only`,
        'It is looked through before anything is sent. Save it first.',
        'BAD_INPUT',
      );
    }
    const pending = undelivered && !(await isAbsent(store)) ? await pendingOf(store) : undefined;
    const choice: Choice = { ids: id && new Set(id), types, span, pending };
    const { chosen, broken, inOrder } = await survey(context, store, choice);
    const none = undelivered ? 'No undelivered delivery matches.' : 'No delivery is chosen.';
    const warnings = broken === 0 ? [] : [brokenNote(store, broken)];
    if (target === undefined || dryRun) {
      return {
        kind: 'rows',
        rows: listed(context, store, choice),
        columns: COLUMNS,
        chosen: columns,
        none,
        notes: () => [...warnings, ...(chosen === 0 ? [] : [chosenNote(chosen)])],
      };
    }
    const run: Run = { delivered: 0, failed: 0, chosen, inOrder, where: shownTarget(target) };
    const { retries, rate, keepGoing } = flags;
    const options = { target, retries, rate, keepGoing: keepGoing === true, signature, pending };
    return {
      kind: 'rows',
      rows: sendAll(context, chosenOf(context, store, choice), options, run),
      columns: COLUMNS,
      chosen: columns,
      none,
      notes: () => [...warnings, ...summary(run)],
      failed: () => failureOf(run),
    };
  },
});

const COLUMNS = sameColumns(
  { key: 'line', figure: true },
  'received',
  'id',
  'event',
  'result',
  { key: 'status', figure: true },
  { key: 'attempts', figure: true },
  'error',
);

async function* listed(context: Context, file: string, choice: Choice): AsyncGenerator<JsonRecord> {
  for await (const chosen of chosenOf(context, file, choice)) yield rowOf(chosen, { result: 'chosen' });
}

function chosenNote(chosen: number): Note {
  return { text: `${counted(chosen, 'delivery is', 'deliveries are')} chosen. Nothing was sent.` };
}

function brokenNote(file: string, broken: number): Note {
  const lines = counted(broken, 'line', 'lines');
  return {
    text: `${lines} of ${file} hold no delivery: cryptodata events verify ${file} says which.`,
    warning: true,
  };
}

async function pendingOf(store: string): Promise<Pending> {
  return Pending.open(store, (await stat(store)).size);
}

async function isPipe(path: string): Promise<boolean> {
  if (path === '-') return true;
  return stat(path).then(
    (about) => !about.isFile() && !about.isDirectory(),
    () => false,
  );
}

async function isAbsent(path: string): Promise<boolean> {
  return stat(path).then(
    () => false,
    () => true,
  );
}
