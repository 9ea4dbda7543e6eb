import { type Values, verb } from '../../cli/define.ts';
import { integer, integerOr, list, text, toggle } from '../../cli/flags.ts';
import type { Outcome } from '../../cli/outcome.ts';
import type { Context } from '../../context.ts';
import { isLoopback } from '../../core/address.ts';
import { CryptodataError, messageOf, systemCode, usageError } from '../../core/errors.ts';
import type { JsonRecord } from '../../core/json.ts';
import { showText } from '../../core/text.ts';
import {
  countPending,
  isWanted,
  type Listener,
  listen as listenAt,
  openStore,
  Pending,
  parseTarget,
  type Store,
  shownTarget,
  type Told,
} from '../../events/index.ts';
import { portTaken } from '../sandbox/flags.ts';
import { Backlog } from './backlog.ts';
import { checkTypes, DEFAULT_STORE, signatureFlags, signatureOf, storeFlag } from './shared.ts';
import { Tally } from './tally.ts';
import { TOLD_COLUMNS, toldLine, toldRecord } from './told.ts';

const DEFAULT_PORT = 8978;

const flags = {
  port: integer('--port <n>', `port to listen on (default: ${DEFAULT_PORT}); 0 takes a free one`, {
    min: 0,
    max: 65_535,
  }),
  host: text('--host <address>', 'address to listen on (default: 127.0.0.1, this machine alone)'),
  path: text('--path <path>', 'the one path that deliveries are taken at (default: any)'),
  forwardTo: text('--forward-to <url>', 'send each stored delivery on to this address'),
  resume: toggle('--resume', 'first forward stored deliveries that were never forwarded'),
  store: storeFlag,
  types: list('--types <kinds>', 'keep and forward only these: integration.failed,costbasis.*'),
  ...signatureFlags,
  maxBody: integerOr(
    '--max-body <bytes>',
    'largest body that is taken',
    { min: 1, max: 100 * 1024 * 1024 },
    1024 * 1024,
  ),
};

export const listen = verb({
  name: 'listen',
  summary: 'Receive webhook deliveries: check, store and forward them',
  about: `It listens for plain http on this machine alone. The service needs a public https address to reach it: a tunnel or proxy of your own choice is in between, and its address is what you register (how endpoints are registered is not in the specification).

Each delivery is held against the specification: envelope, kind, and each field of its data. What is odd or unknown is kept and told, never dropped. It is written to the store, and on the disk, before it is answered with 200; a delivery whose id is in the store already is answered and not stored again, also after a restart; where its body is another, that is told. When it cannot be stored (a full disk, say), the answer is 503, so that the sender tries again. A body that is not JSON is no delivery: 400.

The specification shows no signature. Where your deliveries have one that is an HMAC-SHA-256 of the body in a header, set all three signature flags: what is not signed so is answered with 401 and not stored. Without them, whoever reaches the address can send deliveries.

--forward-to sends on the same bytes with their content-type and signature header, those of one workspace in the order in which they were stored. No connection, time-outs, 408, 425, 429 and 5xx are tried again, six times in half a minute or so; meanwhile the others of that workspace wait. While the address takes nothing, those that follow are tried once.

FILE.pending.json records which stored deliveries were not answered with 2xx, also if the listener is killed. --resume forwards those first, in their order; after a kill, some may be sent twice. Without --resume, the listener reports how many there are and leaves them. A receiver that remembers delivery ids drops the repeats.

With --types, deliveries of other kinds are answered with 200, and neither stored nor forwarded. Ctrl-C stops listening, then finishes what was accepted.`,
  flags,
  examples: [
    { says: 'Look at what comes', line: 'cryptodata events listen' },
    {
      says: 'Hand it on to your application',
      line: 'cryptodata events listen --forward-to http://localhost:3000/webhooks --store deliveries.jsonl',
    },
    {
      says: 'After a crash or a stop, forward the missed deliveries first',
      line: 'cryptodata events listen --forward-to http://localhost:3000/webhooks --store deliveries.jsonl --resume',
    },
    {
      says: 'Only what failed, for a script',
      line: "cryptodata events listen --types 'integration.failed,costbasis.failed' --jsonl | jq -r .id",
    },
    {
      says: 'With deliveries that are signed',
      line: 'cryptodata events listen --secret-env WEBHOOK_SECRET --signature-header X-Signature --signature-encoding hex',
    },
  ],
  prints: `A line for each delivery as it comes (time, event, id, what became of it, what is odd about it), and one when it was forwarded;
or records { time, outcome, status, attempts, why } with the line of the store { received, id, event, headers, body, problems } (json; jsonl and csv as they come).
outcome: stored, repeat, refused, failed, forwarded, undelivered.
On stderr: where it listens, and at the end how many there were.`,
  exits: [0, 2, 130],
  async run(context, given) {
    checkTypes(context, given.types);
    if (given.resume && given.forwardTo === undefined) {
      throw usageError('--resume needs --forward-to', 'Add --forward-to URL.');
    }
    const setup = {
      ...given,
      path: given.path === undefined ? undefined : checkPath(given.path),
      signature: signatureOf(context, given),
      target: given.forwardTo === undefined ? undefined : checkTarget(given.forwardTo, given.port),
    };
    const store = await openStore(given.store ?? DEFAULT_STORE, { signal: context.signal });
    const { backlog, tally, tell } = telling();
    try {
      const { pending, count } = await pendingOf(setup, store);
      const listener = await start(context, setup, store, pending, tell);
      greet(context, setup, store, listener, count);
      return await shown(context, { listener, store, backlog, tally });
    } catch (error) {
      await store.close();
      throw error;
    }
  },
});

/** Nothing where nothing is forwarded. */
async function pendingOf(
  { target, types }: Setup,
  store: Store,
): Promise<{ pending: Pending | undefined; count: number }> {
  if (target === undefined) return { pending: undefined, count: 0 };
  const pending = await Pending.open(store.path, store.length);
  return { pending, count: await countPending(store.path, pending, (entry) => isWanted(entry, types)) };
}

interface Setup extends Values<typeof flags> {
  readonly signature: ReturnType<typeof signatureOf>;
  readonly target: string | undefined;
}

function telling() {
  const backlog = new Backlog();
  const tally = new Tally();
  const tell = (told: Told) => {
    tally.add(told);
    // There may be thousands of those for one that is asked for.
    if (told.outcome !== 'skipped') backlog.push(told);
  };
  return { backlog, tally, tell };
}

async function start(
  context: Context,
  { host = '127.0.0.1', port = DEFAULT_PORT, path, maxBody: limit, types, signature, target, resume }: Setup,
  store: Store,
  pending: Pending | undefined,
  tell: (told: Told) => void,
): Promise<Listener> {
  const forward =
    target === undefined || pending === undefined
      ? undefined
      : { url: target, dispatcher: await context.dispatcher(), pending, resume };
  try {
    return await listenAt({
      host,
      port,
      path,
      limit,
      types,
      signature,
      store,
      forward,
      tell,
      now: context.now,
    });
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
      ? 'Ports below 1024 are for the administrator: choose one above.'
      : 'Give --host an address of this machine: 127.0.0.1, or 0.0.0.0 for all of them.',
    'CANNOT_LISTEN',
  );
}

function greet(
  context: Context,
  { host, types, target, signature, resume }: Setup,
  store: Store,
  { url }: Listener,
  pending: number,
): void {
  const { entries, cut } = store.found;
  const held =
    entries === 0 ? 'empty' : `${entries.toLocaleString('en')} ${entries === 1 ? 'delivery' : 'deliveries'}`;
  const lines = [
    `Listening on ${url}. Deliveries are stored in ${store.path} (${held}).`,
    ...(target === undefined ? [] : [`They are forwarded to ${shownTarget(target)}.`]),
    ...(types === undefined
      ? []
      : [`Only ${types.join(', ')}: others are answered, and neither stored nor forwarded.`]),
    'The service needs a public https address: point a tunnel of yours here. Ctrl-C stops.',
  ];
  for (const line of lines) context.note(showText(line));
  if (pending > 0 && !resume) {
    const [are, them] = pending === 1 ? ['delivery is', 'it'] : ['deliveries are', 'them'];
    context.say(
      `warning: ${pending.toLocaleString('en')} stored ${are} not known to be forwarded. --resume forwards ${them} first.`,
    );
  }
  if (pending > 0 && resume) {
    const which = pending === 1 ? '1 stored delivery' : `${pending.toLocaleString('en')} stored deliveries`;
    context.note(`First ${which} will be forwarded.`);
  }
  if (cut.length > 0) {
    const which = `${cut.slice(0, 5).join(', ')}${cut.length > 5 ? ', …' : ''}`;
    context.say(
      showText(
        `warning: ${store.path} has ${cut.length === 1 ? 'a line that is' : 'lines that are'} cut or no delivery, passed over: ${which}.`,
      ),
    );
  }
  if (host !== undefined && !isLoopback(host) && !signature) {
    context.say(
      'warning: whoever reaches this machine can send deliveries: no signature is set, and --host is not this machine alone.',
    );
  }
}

interface Parts {
  readonly listener: Listener;
  readonly store: Store;
  readonly backlog: Backlog;
  readonly tally: Tally;
}

async function shown(context: Context, { listener, store, backlog, tally }: Parts): Promise<Outcome> {
  const { timeZone } = await context.view();
  let closing: Promise<void> | undefined;
  const close = () => {
    closing ??= listener
      .close()
      .finally(() => store.close())
      .finally(() => backlog.end());
    closing.catch(() => undefined);
    return closing;
  };
  const tellMissing = () => {
    const missing = backlog.takeDropped();
    if (missing > 0) {
      context.say(
        `warning: ${missing.toLocaleString('en')} lines are not shown: the output is read too slowly. The store has them.`,
      );
    }
  };
  async function* batches() {
    if (context.signal.aborted) void close();
    context.signal.addEventListener('abort', close, { once: true });
    try {
      for await (const batch of backlog.batches()) {
        yield batch;
        tellMissing();
      }
    } finally {
      // Also where nobody reads the output any more.
      await close();
    }
  }
  async function* lines(): AsyncGenerator<string> {
    for await (const batch of batches()) yield batch.map((told) => toldLine(told, timeZone)).join('');
  }
  async function* records(): AsyncGenerator<JsonRecord> {
    for await (const batch of batches()) for (const told of batch) yield toldRecord(told);
  }
  const ending = { notes: () => tally.notes(store.path) };
  if ((await context.format()) === 'table') return { kind: 'stream', chunks: lines(), ...ending };
  return { kind: 'rows', rows: records(), columns: TOLD_COLUMNS, ...ending };
}

/** What has no delivery id would come back for ever. */
function checkTarget(given: string, port = DEFAULT_PORT): string {
  const target = parseTarget(given, '--forward-to');
  const { protocol, hostname, port: to } = new URL(target);
  if (protocol !== 'http:' || !isLoopback(hostname) || Number(to || 80) !== port) return target;
  throw usageError(
    `--forward-to is the address of this listener: ${shownTarget(target)}`,
    'Give it the address of your application, or --port another.',
    'BAD_ADDRESS',
  );
}

function checkPath(path: string): string {
  // As it stands in a request: whoever sends writes é as %C3%A9.
  if (/^\/[^?#\s]*$/.test(path)) return new URL(`http://localhost${path}`).pathname;
  throw usageError(
    `--path must begin with a slash: ${JSON.stringify(path)}`,
    'As in --path /webhooks.',
    'BAD_PATH',
  );
}
