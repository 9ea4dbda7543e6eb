import type { Dispatcher } from 'undici';
import { streamInput } from '../../cli/json-input.ts';
import type { Note } from '../../cli/outcome.ts';
import type { Context } from '../../context.ts';
import { CryptodataError, partialError } from '../../core/errors.ts';
import type { JsonRecord } from '../../core/json.ts';
import { sleep } from '../../core/sleep.ts';
import type { OpenSpan } from '../../core/span.ts';
import { count, showText } from '../../core/text.ts';
import { checkDelivery } from '../../events/check.ts';
import { type DeliveryResult, deliver } from '../../events/deliver.ts';
import { isOfTypes } from '../../events/kinds.ts';
import type { Pending } from '../../events/pending.ts';
import { isInvalid, readSaved, type SavedDelivery } from '../../events/saved.ts';
import { type Signature, signed } from '../../events/signature.ts';
import { counted } from './shared.ts';

/** Selects deliveries of a file; an undefined field selects all. */
export interface Selection {
  readonly ids: ReadonlySet<string> | undefined;
  readonly types: readonly string[] | undefined;
  readonly span: OpenSpan;
  /** Select only deliveries that were not forwarded. */
  readonly pending?: Pending | undefined;
}

export interface Selected {
  readonly delivery: SavedDelivery;
  readonly id: string | null;
  readonly event: string | null;
  readonly received: string | null;
}

/** The selected deliveries in the order of the file, without duplicate ids. */
export async function* selectFrom(
  context: Context,
  file: string,
  { ids, types, span, pending }: Selection,
  onInvalid: () => void = () => {},
): AsyncGenerator<Selected> {
  const seen = new Set<string>();
  for await (const item of readSaved(await streamInput(context, file, 'deliveries'), file)) {
    context.signal.throwIfAborted();
    if (isInvalid(item)) {
      onInvalid();
      continue;
    }
    if (pending && !(item.at && pending.has(item.at))) continue;
    const { id, event, received } = describe(item);
    if (ids && (id === null || !ids.has(id))) continue;
    if (types && (event === null || !isOfTypes(event, types))) continue;
    if (!isWithin(received, span)) continue;
    if (id !== null && seen.has(id)) continue;
    if (id !== null) seen.add(id);
    yield { delivery: item, id, event, received };
  }
}

function describe({ entry, body }: SavedDelivery): Omit<Selected, 'delivery'> {
  if (entry) return entry;
  const { id, event, envelope } = checkDelivery(body);
  // A bare envelope has only the time when it was sent.
  const timestamp = envelope?.['timestamp'];
  return { id, event, received: typeof timestamp === 'string' ? timestamp : null };
}

function isWithin(received: string | null, { from, to }: OpenSpan): boolean {
  if (from === undefined && to === undefined) return true;
  const time = Date.parse(received ?? '');
  return !Number.isNaN(time) && (from === undefined || time >= from) && (to === undefined || time <= to);
}

export interface Survey {
  readonly selected: number;
  readonly invalid: number;
  /** Whether the times of receipt are in order. They are not if the clock was set back. */
  readonly inOrder: boolean;
}

/**
 * Reads the whole file before anything is sent.
 *
 * @throws CryptodataError `NO_SUCH_DELIVERY` if a selected id is missing
 */
export async function survey(context: Context, file: string, selection: Selection): Promise<Survey> {
  const missing = new Set(selection.ids);
  let [selected, invalid, inOrder] = [0, 0, true];
  let latest = Number.NEGATIVE_INFINITY;
  context.progress().update(`Reading ${showText(file)}`);
  const onInvalid = () => {
    invalid += 1;
  };
  for await (const { id, received } of selectFrom(context, file, selection, onInvalid)) {
    selected += 1;
    const time = Date.parse(received ?? '');
    inOrder &&= time >= latest;
    latest = time;
    if (id !== null) missing.delete(id);
  }
  if (missing.size === 0) return { selected, invalid, inOrder };
  throw new CryptodataError(
    'notFound',
    'NO_SUCH_DELIVERY',
    `Not in ${file}: ${[...missing].join(', ')}. Nothing was sent`,
    {
      hint: 'Delivery ids have the form whd_<id>. A delivery must match --id and all of --types, --since, --until and --period.',
    },
  );
}

export interface SendOptions {
  readonly target: string;
  readonly retries: number;
  readonly rate: number | undefined;
  readonly keepGoing: boolean;
  /** Replaces the stored signature. */
  readonly signature: Signature | undefined;
  /** Ids of missing deliveries; delivered ids are removed. */
  readonly pending: Pending | undefined;
}

export interface Run extends Pick<Survey, 'selected' | 'inOrder'> {
  readonly target: string;
  delivered: number;
  failed: number;
  /** Time of receipt of the last delivery sent. */
  last?: string | undefined;
  /** The delivery that stopped the run because it got no answer. */
  stopped?: { readonly why: string; readonly received: string | null };
}

/** Sends the deliveries one at a time, and yields a record for each. */
export async function* sendAll(
  context: Context,
  selected: AsyncIterable<Selected>,
  { target, retries, rate, keepGoing, signature, pending }: SendOptions,
  run: Run,
): AsyncGenerator<JsonRecord> {
  const { now, signal } = context;
  const dispatcher = await context.dispatcher();
  const pause = rate === undefined ? 0 : 1000 / rate;
  let next = 0;
  try {
    for await (const one of selected) {
      // Never wait longer than one pause, even if the clock is set back meanwhile.
      const wait = Math.min(next - now(), pause);
      if (wait > 0) await sleep(wait, signal);
      next = Math.max(next, now()) + pause;
      const { delivery, received } = one;
      const result = await send(delivery, target, signature, { dispatcher, attempts: retries + 1, signal });
      run[result.ok ? 'delivered' : 'failed'] += 1;
      if (result.ok && delivery.at) pending?.remove(delivery.at);
      run.last = received ?? run.last;
      yield rowOf(one, result);
      const done = run.delivered + run.failed;
      context.progress().update(`${done} of ${counted(run.selected, 'delivery', 'deliveries')}`);
      if (typeof result.last === 'string' && !keepGoing) {
        run.stopped = { why: result.last, received };
        return;
      }
    }
  } catch (error) {
    if (signal.aborted) {
      for (const { text } of summary(run)) context.say(text);
      if (run.last !== undefined && run.inOrder) {
        context.say(`To continue, use --since ${showText(run.last)}, when the last delivery was received.`);
      }
    }
    throw error;
  } finally {
    await pending?.save();
  }
}

/** Headers that belong to the original connection or sender and are not sent again. */
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

/** @param result undefined if it was not sent */
export function rowOf({ delivery, id, event, received }: Selected, result?: DeliveryResult): JsonRecord {
  const { ok, last, attempts = 0 } = result ?? {};
  return {
    ...{ line: delivery.line, id, event, received },
    result: ok === undefined ? 'chosen' : ok ? 'delivered' : 'failed',
    status: typeof last === 'number' ? last : null,
    attempts,
    error: typeof last === 'string' ? last : null,
  };
}

export function summary({ delivered, failed, selected, target }: Run): Note[] {
  if (selected === 0) return [];
  const notSent = selected - delivered - failed;
  const parts = [
    `${count(delivered)} of ${counted(selected, 'delivery', 'deliveries')} delivered to ${target}`,
    ...(failed > 0 ? [`${count(failed)} failed`] : []),
    ...(notSent > 0 ? [`${count(notSent)} not sent`] : []),
  ];
  return [{ text: `${parts.join(', ')}.` }];
}

export function failureOf(run: Run): CryptodataError | undefined {
  const { delivered, failed, selected, inOrder, target, stopped } = run;
  if (failed === 0) return undefined;
  if (!stopped) {
    const message = `${count(failed)} of ${counted(selected, 'delivery', 'deliveries')} failed at ${target}`;
    const hint = 'The result above lists them. Send them again by id: --id a,b,c';
    return partialError(message, { hint });
  }
  const rest = selected - delivered - failed;
  const notSent = rest === 0 ? '' : `; ${counted(rest, 'delivery was', 'deliveries were')} not sent`;
  const how =
    inOrder && stopped.received !== null
      ? `--since ${stopped.received}`
      : '--id, since the times are not in order';
  return new CryptodataError(
    delivered === 0 ? 'network' : 'partial',
    'NOT_DELIVERED',
    showText(`${stopped.why}${notSent}`),
    {
      hint: `Check that your application is running and that this is its address.${rest === 0 ? '' : ` Continue with ${how}.`}`,
    },
  );
}
