import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { portTaken } from '../../app/sandbox.ts';
import { type Values, verb } from '../../cli/define.ts';
import { integerFlag, listFlag, sizeFlag, textFlag, toggle } from '../../cli/flags.ts';
import type { Outcome } from '../../cli/outcome.ts';
import { listOf } from '../../cli/output.ts';
import type { Context } from '../../context.ts';
import { isLoopback, withoutQuery } from '../../core/address.ts';
import { CryptodataError, InterruptedError, messageOf, systemCode, usageError } from '../../core/errors.ts';
import { makeTemporaryDirectory } from '../../core/file.ts';
import type { JsonRecord } from '../../core/json.ts';
import { plural, showText } from '../../core/text.ts';
import { parseForwardTarget } from '../../events/deliver.ts';
import { isWanted } from '../../events/forward.ts';
import { KIND_NAMES } from '../../events/kinds.ts';
import {
  type DeliveryListener,
  type DeliveryReport,
  type ListenOptions,
  listenForDeliveries as startListener,
} from '../../events/listen.ts';
import { Pending } from '../../events/pending.ts';
import { openStore, type Store } from '../../events/store.ts';
import type { Sandbox } from '../../sandbox/index.ts';
import { marksFor } from './mirror-marks.ts';
import { DeliveryTally, REPORT, REPORT_COLUMNS, ReportQueue, reportLine, reportRecord } from './report.ts';
import { startSandbox } from './sandbox-control.ts';
import { checkTypes, DEFAULT_STORE, signatureFlags, signatureOf, storeFlag } from './shared.ts';

const DEFAULT_PORT = 8978;

const flags = {
  port: integerFlag('--port <n>', `port to listen on; 0 chooses a free port (default: ${DEFAULT_PORT})`, {
    min: 0,
    max: 65_535,
  }),
  host: textFlag('--host <address>', 'address to listen on (default: 127.0.0.1, this machine only)'),
  sandbox: toggle(
    '--sandbox',
    'start a sandbox that posts to this listener: one event of each kind, then every event that you trigger',
  ),
  path: textFlag('--path <path>', 'path to accept (default: any)'),
  forwardTo: textFlag('--forward-to <url>', 'URL to forward stored deliveries to'),
  resume: toggle('--resume', 'forward pending deliveries before new deliveries'),
  store: storeFlag,
  types: {
    ...listFlag('--types <kinds>', 'event kinds to store and forward: integration.failed,costbasis.*'),
    suggests: () => KIND_NAMES,
  },
  mirror: textFlag(
    '--mirror <folder>',
    'mirror in which integration.updated and costbasis.completed mark legs for re-reading',
  ),
  ...signatureFlags,
  maxBody: sizeFlag('--max-body <size>', 'maximum size of a request body (default: 1M)', {
    max: 100_000_000,
  }),
};

export const listenVerb = verb({
  name: 'listen',
  summary: 'Receive webhook deliveries: check, store and forward them',
  about: `Listens for plain http on this machine. The service needs a public https address. Run a tunnel or a proxy, and register its address with the service. The specification does not describe how to register a webhook address.

Each delivery is checked against the specification. Unknown kinds and fields are reported, but still stored. The listener stores a delivery on disk before it responds with 200. The listener also responds with 200 to a delivery whose id is already stored, but does not store it again. It recognises repeated ids even after a restart. If the bodies of two deliveries with the same id differ, the listener reports this. If a delivery cannot be stored (full disk), the response is 503, so that the sender retries. A body that is not JSON is refused with 400.

The specification does not describe signatures. If your deliveries have a header with an HMAC-SHA-256 of the body, set all three signature flags. The listener then refuses deliveries that have no valid signature (401). Without the signature flags, anyone who can reach the listener can send deliveries.

--forward-to sends the body unchanged, with the original content-type and signature header. Deliveries of the same workspace are forwarded in the order of receipt. After network errors, timeouts, 408, 425, 429 and 5xx, a delivery is retried up to five times within about 30 seconds. Meanwhile, later deliveries of the workspace wait. If the last retry gets no response or 5xx, later deliveries are not retried. Retries resume after the first response below 500.

Stored deliveries are pending until they get a 2xx response. FILE.pending.json lists the pending deliveries, also after the listener is killed. With --resume, the listener forwards pending deliveries before new deliveries. Without --resume, the listener only prints the number of pending deliveries, and does not forward them. If the listener was killed, some deliveries may be sent twice, so a receiver should ignore repeated delivery ids.

--sandbox starts a sandbox with its own data. The sandbox posts one event of each kind, then every event that you trigger. The listener prints the command that triggers an event. Without --store, deliveries are stored in a temporary file.

With --mirror, the listener marks legs that may have been edited: integration.updated marks the legs of one account, and costbasis.completed marks all legs of its workspace. The next run of "cryptodata mirror FOLDER" reads the marked legs again. The legs are marked before the response is sent, regardless of --types. If the service sends no event for an edit, no legs are marked.

With --types, deliveries of other kinds also get the response 200, but they are not stored or forwarded. On Ctrl-C, the listener accepts no more deliveries, forwards the accepted deliveries, and exits with 130.`,
  flags,
  examples: {
    'Try webhooks without an account': 'cryptodata events listen --sandbox',
    'Print deliveries as they arrive': 'cryptodata events listen',
    'Forward deliveries to your application':
      'cryptodata events listen --forward-to http://localhost:3000/webhooks --store deliveries.jsonl',
    'After a restart, forward pending deliveries first':
      'cryptodata events listen --forward-to http://localhost:3000/webhooks --store deliveries.jsonl --resume',
    'Print the ids of failure events, for use in a script':
      "cryptodata events listen --types 'integration.failed,costbasis.failed' --jsonl | jq -r .id",
    'Mark edited legs of a mirror for re-reading':
      'cryptodata events listen --mirror books --store deliveries.jsonl',
    'Check the signatures of deliveries':
      'cryptodata events listen --secret-env WEBHOOK_SECRET --signature-header X-Signature --signature-encoding hex',
  },
  prints: `One line per delivery (time, event, id, outcome, problems), and another line when the delivery is forwarded.
Other formats: records { time, outcome, status, attempts, why } plus the stored fields { received, id, event, headers, body, problems }. json is printed at the end. jsonl and csv are printed as deliveries arrive.
outcome: stored, repeat, refused, failed, forwarded, undelivered.
On stderr: the address of the listener and, at the end, the number of deliveries.`,
  output: [listOf(REPORT)],
  exits: [0, 2, 130],
  async run(context, given) {
    checkTypes(context, given.types);
    if (given.resume && given.forwardTo === undefined) {
      throw usageError('--resume needs --forward-to', 'Add --forward-to URL.');
    }
    const setup: Setup = {
      ...given,
      path: given.path === undefined ? undefined : checkPath(given.path),
      signature: signatureOf(context, given),
      before: given.mirror === undefined ? undefined : await marksFor(given.mirror),
      target: given.forwardTo === undefined ? undefined : checkTarget(given.forwardTo, given.port),
    };
    const own = given.sandbox && given.store === undefined ? await temporaryStore() : undefined;
    const store = await openStore(given.store ?? own?.path ?? DEFAULT_STORE, context.signal);
    let sandbox: Sandbox | undefined;
    const closeAll = async () => {
      await sandbox?.close();
      await store.close();
      await own?.remove();
    };
    const queue = new ReportQueue();
    const tally = new DeliveryTally();
    const report = (one: DeliveryReport) => {
      tally.add(one);
      // Skipped deliveries are not printed, because there may be thousands of them.
      if (one.outcome !== 'skipped') queue.push(one);
    };
    try {
      const pending = setup.target === undefined ? undefined : await Pending.open(store.path);
      const missed = (await pending?.count((entry) => isWanted(entry, given.types))) ?? 0;
      const listener = await start(context, setup, store, pending, report);
      greet(context, setup, store, listener, missed);
      if (given.sandbox) {
        const receiver = new URL(setup.path ?? '/webhooks', listener.url).href;
        sandbox = await startSandbox(context, receiver, setup.signature);
      }
      return await outcomeOf(context, { listener, closeAll, queue, tally, path: store.path });
    } catch (error) {
      await closeAll();
      throw error;
    }
  },
});

interface Setup extends Values<typeof flags> {
  readonly signature: ReturnType<typeof signatureOf>;
  readonly before: ListenOptions['before'];
  readonly target: string | undefined;
}

async function start(
  context: Context,
  { host = '127.0.0.1', port = DEFAULT_PORT, maxBody: limit = 1_000_000, target, resume, ...setup }: Setup,
  store: Store,
  pending: Pending | undefined,
  report: (report: DeliveryReport) => void,
): Promise<DeliveryListener> {
  const { path, types, signature, before } = setup;
  const forward =
    target === undefined || pending === undefined
      ? undefined
      : { url: target, dispatcher: await context.dispatcher(), pending, resume };
  const place = { host, port, path, limit, now: context.now };
  try {
    return await startListener({ ...place, types, signature, store, before, forward, report });
  } catch (error) {
    throw cannotListen(error, host, port);
  }
}

function cannotListen(error: unknown, host: string, port: number): unknown {
  const code = systemCode(error);
  if (code === 'EADDRINUSE') return portTaken(port);
  if (code === undefined || error instanceof CryptodataError) return error;
  return usageError(
    `Cannot listen on ${host}, port ${port}: ${messageOf(error)}`,
    code === 'EACCES'
      ? 'Ports below 1024 are reserved for the administrator. Choose a higher port.'
      : 'Set --host to an address of this machine: 127.0.0.1, or 0.0.0.0 for all addresses.',
    'CANNOT_LISTEN',
  );
}

function greet(
  context: Context,
  { host, types, target, signature, resume, sandbox }: Setup,
  store: Store,
  { url }: DeliveryListener,
  missed: number,
): void {
  const { entries, invalid } = store.found;
  const contents = entries === 0 ? 'empty' : plural(entries, 'delivery', 'deliveries');
  const lines = [
    `Listening on ${url}. Deliveries are stored in ${store.path} (${contents}).`,
    ...(target === undefined ? [] : [`Deliveries are forwarded to ${withoutQuery(target)}.`]),
    ...(types === undefined
      ? []
      : [
          `Only these kinds are stored and forwarded: ${types.join(', ')}. Other kinds get the response 200, and are dropped.`,
        ]),
    sandbox
      ? 'Press Ctrl-C to stop.'
      : 'The service needs a public https address: run a tunnel to the address above. Press Ctrl-C to stop.',
  ];
  for (const line of lines) context.note(showText(line));
  if (missed > 0 && resume) {
    context.note(`${plural(missed, 'stored delivery', 'stored deliveries')} will be forwarded first.`);
  } else if (missed > 0) {
    const are = plural(missed, 'stored delivery was', 'stored deliveries were');
    context.say(`warning: ${are} not forwarded. --resume forwards ${missed === 1 ? 'it' : 'them'} first.`);
  }
  if (invalid.length > 0) {
    const which = `${invalid.slice(0, 5).join(', ')}${invalid.length > 5 ? ', …' : ''}`;
    const what = invalid.length === 1 ? 'line' : 'lines';
    context.say(showText(`warning: ignoring invalid ${what} ${which} of ${store.path}.`));
  }
  if (host !== undefined && !isLoopback(host) && !signature) {
    context.say(
      `warning: any machine that can reach ${host} can send deliveries, because the signature flags are not set.`,
    );
  }
}

/** Creates a temporary store, so that sandbox deliveries do not mix with deliveries from the service. */
async function temporaryStore(): Promise<{ readonly path: string; remove(): Promise<void> }> {
  const folder = await makeTemporaryDirectory('cryptodata-events-');
  return { path: join(folder, DEFAULT_STORE), remove: () => rm(folder, { recursive: true, force: true }) };
}

interface Parts {
  readonly listener: DeliveryListener;
  /** Path of the store. */
  readonly path: string;
  /** Closes the sandbox and the store, and deletes a temporary store. The listener stays open. */
  readonly closeAll: () => Promise<void>;
  readonly queue: ReportQueue;
  readonly tally: DeliveryTally;
}

async function outcomeOf(
  context: Context,
  { listener, path, closeAll, queue, tally }: Parts,
): Promise<Outcome> {
  const { timeZone } = await context.view();
  let closing: Promise<void> | undefined;
  const close = () => {
    closing ??= listener
      .close()
      .finally(closeAll)
      .finally(() => queue.end());
    closing.catch(() => undefined);
    return closing;
  };
  async function* batches() {
    if (context.signal.aborted) void close();
    context.signal.addEventListener('abort', close, { once: true });
    try {
      for await (const batch of queue.batches()) {
        yield batch;
        const dropped = queue.takeDropped();
        if (dropped > 0) {
          const lines = plural(dropped, 'line is', 'lines are');
          context.say(
            `warning: ${lines} not shown, because the output is read too slowly. The store contains all deliveries.`,
          );
        }
      }
    } finally {
      // Close the listener also after the reader of the output has exited.
      await close();
    }
  }
  async function* lines(): AsyncGenerator<string> {
    for await (const batch of batches()) yield batch.map((one) => reportLine(one, timeZone)).join('');
  }
  async function* records(): AsyncGenerator<JsonRecord> {
    for await (const batch of batches()) for (const one of batch) yield reportRecord(one);
  }
  const ending = {
    notes: () => tally.notes(path),
    failed: () => (context.signal.aborted ? new InterruptedError('INTERRUPTED', 'Interrupted') : undefined),
  };
  if ((await context.format()) === 'table') return { kind: 'stream', chunks: lines(), ...ending };
  return { kind: 'rows', rows: records(), columns: REPORT_COLUMNS, ...ending };
}

/**
 * Throws a usage error if the listener would forward deliveries to itself. The listener cannot recognize a delivery without
 * an id as a duplicate, so it would forward such a delivery to itself forever.
 */
function checkTarget(given: string, port = DEFAULT_PORT): string {
  const target = parseForwardTarget(given);
  const { protocol, hostname, port: to } = new URL(target);
  if (protocol !== 'http:' || !isLoopback(hostname) || Number(to || 80) !== port) return target;
  throw usageError(
    `--forward-to is the address of this listener: ${withoutQuery(target)}`,
    'Use the address of your application, or choose another --port.',
    'BAD_ADDRESS',
  );
}

/** Percent-encodes the path (é becomes %C3%A9), because the path of each request is encoded too. */
function checkPath(path: string): string {
  if (/^\/[^?#\s]*$/.test(path)) return new URL(`http://localhost${path}`).pathname;
  throw usageError(
    `Invalid --path: ${JSON.stringify(path)}`,
    'The path must start with a slash, for example --path /webhooks',
    'BAD_PATH',
  );
}
