import type { Dispatcher } from 'undici';
import type { Note } from '../../cli/outcome.ts';
import type { Context } from '../../context.ts';
import { CryptodataError } from '../../core/errors.ts';
import type { JsonRecord } from '../../core/json.ts';
import { sleep } from '../../core/sleep.ts';
import { showText } from '../../core/text.ts';
import { type Delivered, deliver } from '../../events/deliver.ts';
import type { Pending } from '../../events/pending.ts';
import type { SavedDelivery } from '../../events/saved.ts';
import { type Signature, signed } from '../../events/signature.ts';
import type { Chosen } from './chosen.ts';
import { counted } from './text.ts';

export interface SendOptions {
  readonly target: string;
  readonly retries: number;
  readonly rate: number | undefined;
  readonly keepGoing: boolean;
  /** Signs anew, in the place of the signature that was kept. */
  readonly signature: Signature | undefined;
  /** What is delivered is no longer pending. */
  readonly pending: Pending | undefined;
}

/** How it goes. */
export interface Run {
  readonly chosen: number;
  /** Whether the time of one says which come after it. */
  readonly inOrder: boolean;
  readonly where: string;
  delivered: number;
  failed: number;
  /** When the last that was sent had been received. */
  last?: string | undefined;
  /** The last that failed without any answer, where it ended the run. */
  stopped?: { readonly why: string; readonly at: string | null };
}

/** Sends them one after the other; a record for each as it is done. */
export async function* sendAll(
  context: Context,
  chosen: AsyncIterable<Chosen>,
  options: SendOptions,
  run: Run,
): AsyncGenerator<JsonRecord> {
  const dispatcher = await context.dispatcher();
  let next = 0;
  try {
    for await (const one of chosen) {
      const pause = options.rate === undefined ? 0 : 1000 / options.rate;
      await untilDue(next, pause, context);
      next = Math.max(next, context.now()) + pause;
      const outcome = await send(one.delivery, options, dispatcher, context.signal);
      run[outcome.ok ? 'delivered' : 'failed'] += 1;
      if (outcome.ok && one.delivery.at) options.pending?.remove(one.delivery.at);
      run.last = one.received ?? run.last;
      const { last, attempts } = outcome;
      const status = typeof last === 'number' ? last : null;
      const error = typeof last === 'string' ? last : null;
      yield rowOf(one, { result: outcome.ok ? 'delivered' : 'failed', status, attempts, error });
      context
        .progress()
        .update(`${run.delivered + run.failed} of ${counted(run.chosen, 'delivery', 'deliveries')}`);
      if (typeof last === 'string' && !options.keepGoing) {
        run.stopped = { why: last, at: one.received };
        return;
      }
    }
  } catch (error) {
    if (context.signal.aborted) {
      for (const { text } of summary(run)) context.say(text);
      if (run.last !== undefined && run.inOrder)
        context.say(`The last was received at ${showText(run.last)}: go on with --since.`);
    }
    throw error;
  } finally {
    await options.pending?.save();
  }
}

/** No longer than one pause: a clock that is set back by an hour is not waited for. */
async function untilDue(due: number, pause: number, { now, signal }: Context): Promise<void> {
  const wait = Math.min(due - now(), pause);
  if (wait > 0) await sleep(wait, signal);
}

function send(
  { body, entry }: SavedDelivery,
  { target, retries, signature }: SendOptions,
  dispatcher: Dispatcher,
  signal: AbortSignal,
): Promise<Delivered> {
  const headers = {
    'content-type': 'application/json',
    ...sentAgain(entry?.headers ?? {}),
    ...(signature ? signed(body, signature) : {}),
  };
  return deliver(target, body, headers, { dispatcher, attempts: retries + 1, signal });
}

/** What belongs to the delivery: its type and its signature; not what belongs to a connection, or to who sent it. */
const NOT_SENT =
  /^(?:host|user-agent|content-length|connection|keep-alive|transfer-encoding|te|trailer|upgrade|expect|proxy-.*)$/;

function sentAgain(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !NOT_SENT.test(name)));
}

export function rowOf({ delivery, id, event, received }: Chosen, outcome: JsonRecord): JsonRecord {
  const { status = null, attempts = 0, error = null, result } = outcome;
  return { line: delivery.line, id, event, received, result, status, attempts, error };
}

export function summary({ delivered, failed, chosen, where }: Run): Note[] {
  if (chosen === 0) return [];
  const others = chosen - delivered - failed;
  const parts = [
    `${delivered.toLocaleString('en')} of ${counted(chosen, 'delivery', 'deliveries')} delivered to ${where}`,
    ...(failed > 0 ? [`${failed.toLocaleString('en')} failed`] : []),
    ...(others > 0 ? [`${others.toLocaleString('en')} not sent`] : []),
  ];
  return [{ text: `${parts.join(', ')}.` }];
}

export function failureOf({
  delivered,
  failed,
  chosen,
  inOrder,
  where,
  stopped,
}: Run): CryptodataError | undefined {
  if (failed === 0) return undefined;
  if (stopped) {
    const rest = chosen - delivered - failed;
    const more = rest === 0 ? '' : `; ${counted(rest, 'delivery was', 'deliveries were')} not sent`;
    const at =
      inOrder && stopped.at !== null ? `--since ${stopped.at}` : 'by --id, since the times are not in order';
    const from = rest === 0 ? '' : ` Go on from there: ${at}.`;
    return new CryptodataError(
      delivered === 0 ? 'network' : 'partial',
      'NOT_DELIVERED',
      showText(`${stopped.why}${more}`),
      { hint: `Is the application that is to get them running, and is that its address?${from}` },
    );
  }
  return new CryptodataError(
    'partial',
    'PARTIAL_FAILURE',
    `${failed.toLocaleString('en')} of ${counted(chosen, 'delivery', 'deliveries')} failed at ${where}`,
    { hint: 'They are listed above. Send them again by their ids: --id a,b,c' },
  );
}
