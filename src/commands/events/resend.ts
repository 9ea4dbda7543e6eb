import type { Dispatcher } from 'undici';
import type { Note } from '../../cli/outcome.ts';
import type { Context } from '../../context.ts';
import { type CryptodataError, createError, partialError } from '../../core/errors.ts';
import type { JsonRecord } from '../../core/json.ts';
import { sleep } from '../../core/sleep.ts';
import { count, plural, showText } from '../../core/text.ts';
import { type DeliveryResult, deliver } from '../../events/deliver.ts';
import type { Pending } from '../../events/pending.ts';
import type { SavedDelivery } from '../../events/saved.ts';
import { type Signature, signed } from '../../events/signature.ts';
import type { Selected, Survey } from './selection.ts';

export interface SendOptions {
  readonly target: string;
  readonly retries: number;
  readonly rate: number | undefined;
  readonly keepGoing: boolean;
  /** Signs each delivery again, in place of the stored signature. */
  readonly signature: Signature | undefined;
  /** Deliveries that were not forwarded. When the target accepts a delivery, the delivery is removed from this set. */
  readonly pending: Pending | undefined;
}

export interface ResendRun extends Pick<Survey, 'selected' | 'inOrder'> {
  readonly target: string;
  delivered: number;
  failed: number;
  /** Time when the listener received the last delivery that this run sent. */
  last?: string | undefined;
  /** If the run stopped because a delivery got no response: the reason, and the time when this delivery was received. */
  stopped?: { readonly why: string; readonly received: string | null };
}

/** Sends the deliveries one at a time, and yields a record for each. */
export async function* sendAll(
  context: Context,
  selected: AsyncIterable<Selected>,
  { target, retries, rate, keepGoing, signature, pending }: SendOptions,
  run: ResendRun,
): AsyncGenerator<JsonRecord> {
  const { now, signal } = context;
  const dispatcher = await context.dispatcher();
  const pause = rate === undefined ? 0 : 1000 / rate;
  let next = 0;
  try {
    for await (const one of selected) {
      // After the clock is set back, `next` may be far in the future. Never wait longer than one pause.
      const wait = Math.min(next - now(), pause);
      if (wait > 0) await sleep(wait, signal);
      next = Math.max(next, now()) + pause;
      const { delivery, received } = one;
      const result = await send(delivery, target, signature, { dispatcher, attempts: retries + 1, signal });
      run[result.ok ? 'delivered' : 'failed'] += 1;
      if (result.ok && delivery.at) pending?.remove(delivery.at);
      run.last = received ?? run.last;
      yield resentRow(one, result);
      const done = run.delivered + run.failed;
      context.progress().update(`${done} of ${plural(run.selected, 'delivery', 'deliveries')}`);
      if (typeof result.last === 'string' && !keepGoing) {
        run.stopped = { why: result.last, received };
        return;
      }
    }
  } catch (error) {
    if (signal.aborted) {
      for (const { text } of summary(run)) context.say(text);
      if (run.last !== undefined && run.inOrder) {
        context.say(`To continue from the last delivery, use --from ${showText(run.last)}.`);
      }
    }
    throw error;
  } finally {
    await pending?.save();
  }
}

/** Headers of the original connection or sender. These headers are not sent again. */
const NOT_RESENT =
  /^(?:host|user-agent|content-length|connection|keep-alive|transfer-encoding|te|trailer|upgrade|expect|proxy-.*)$/;

function send(
  { body, entry }: SavedDelivery,
  target: string,
  signature: Signature | undefined,
  options: { dispatcher: Dispatcher; attempts: number; signal: AbortSignal },
): Promise<DeliveryResult> {
  const stored = Object.entries(entry?.headers ?? {}).filter(([name]) => !NOT_RESENT.test(name));
  const headers = {
    'content-type': 'application/json',
    ...Object.fromEntries(stored),
    ...(signature ? signed(body, signature) : {}),
  };
  return deliver(target, body, headers, options);
}

/** @param result undefined if the delivery was not sent */
export function resentRow({ delivery, id, event, received }: Selected, result?: DeliveryResult): JsonRecord {
  const { ok, last, attempts = 0 } = result ?? {};
  return {
    ...{ line: delivery.line, id, event, received },
    result: ok === undefined ? 'chosen' : ok ? 'delivered' : 'failed',
    status: typeof last === 'number' ? last : null,
    attempts,
    error: typeof last === 'string' ? last : null,
  };
}

export function summary({ delivered, failed, selected, target }: ResendRun): Note[] {
  if (selected === 0) return [];
  const notSent = selected - delivered - failed;
  const parts = [
    `${count(delivered)} of ${plural(selected, 'delivery', 'deliveries')} delivered to ${target}`,
    ...(failed > 0 ? [`${count(failed)} failed`] : []),
    ...(notSent > 0 ? [`${count(notSent)} not sent`] : []),
  ];
  return [{ text: `${parts.join(', ')}.` }];
}

export function failureOf(run: ResendRun): CryptodataError | undefined {
  const { delivered, failed, selected, inOrder, target, stopped } = run;
  if (failed === 0) return undefined;
  if (!stopped) {
    const message = `${count(failed)} of ${plural(selected, 'delivery', 'deliveries')} failed at ${target}`;
    const hint = 'The result above lists the failures. Send the failed deliveries again by id: --id a,b,c';
    return partialError(message, { hint });
  }
  const rest = selected - delivered - failed;
  const notSent = rest === 0 ? '' : `; ${plural(rest, 'delivery was', 'deliveries were')} not sent`;
  const how =
    inOrder && stopped.received !== null
      ? `--from ${stopped.received}`
      : '--id, because the times of receipt are not in order';
  return createError(
    delivered === 0 ? 'network' : 'partial',
    'NOT_DELIVERED',
    showText(`${stopped.why}${notSent}`),
    {
      hint: `Check that your application is running, and that the address is correct.${rest === 0 ? '' : ` Continue with ${how}.`}`,
    },
  );
}
