// Delivers events to one receiver, one attempt at a time. First attempts run in the order of the events. A failed delivery is
// retried later and does not delay other deliveries.

import { once } from 'node:events';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import type { SandboxTime } from '../core/clock.ts';
import { type Reader, shape } from '../core/readers.ts';

const { listOf, number, object, oneOf, text } = shape;

export type Attempt = AttemptOutcome & {
  /** Start of the attempt, in Unix milliseconds of the sandbox's clock. */
  readonly time: number;
};

const readAttempt: Reader<Attempt> = (value, place) =>
  typeof value === 'object' && value !== null && 'status' in value
    ? object({ time: number, status: number })(value, place)
    : object({ time: number, error: text })(value, place);

export interface Delivery {
  readonly receiver: string;
  /** The state is `failed` if no retries are left or if the receiver was removed. */
  readonly state: 'pending' | 'delivered' | 'failed';
  readonly attempts: readonly Attempt[];
}

export const readDelivery: Reader<Delivery> = object({
  receiver: text,
  state: oneOf('pending', 'delivered', 'failed'),
  attempts: listOf(readAttempt),
});

/** Decides which faults apply to a delivery. Each function is called once per delivery. */
export interface Disturb {
  duplicate(): boolean;
  /** Whether to hold back the delivery until the next delivery has been sent. */
  holdBack(): boolean;
}

interface QueueOptions {
  readonly clock: SandboxTime;
  /** Delay before each retry, in milliseconds of the sandbox's clock. A delivery fails if its last retry fails. */
  readonly retries: readonly number[];
  readonly disturb: Disturb;
  readonly attempt: (body: string, signal: AbortSignal) => Promise<AttemptOutcome>;
  /** Called whenever no more deliveries are due. */
  readonly idle: () => void;
}

export type DeliveryQueue = ReturnType<typeof createQueue>;

interface Item {
  readonly body: string;
  readonly record: { receiver: string; state: Delivery['state']; attempts: Attempt[] };
  /**
   * Whether the delivery is a duplicate. A duplicate that fails is not retried and does not change the state of the delivery.
   */
  readonly copy: boolean;
  heldBack: boolean;
  tries: number;
  /** `due` is the time of the next attempt. `since` is the value of {@link Clock.unmoved} when the next attempt was queued. */
  due: number;
  since: number;
}

/** Maximum delay of a reordered delivery, in milliseconds of the sandbox's clock. */
const HOLD = 1000;

export function createQueue({ clock, retries, disturb, attempt, idle }: QueueOptions) {
  const closed = new AbortController();
  const queue: Item[] = [];
  const open = new Set<Item>();
  let held: Item[] = [];
  let running = false;

  /** Adds a delivery. The returned record is updated after each attempt. */
  function add(body: string, receiver: string): Delivery {
    const record: Item['record'] = { receiver, state: 'pending', attempts: [] };
    const item: Item = { body, record, copy: false, heldBack: false, tries: 0, due: 0, since: 0 };
    open.add(item);
    push(item, clock.now());
    return record;
  }

  /** Continues a delivery from a snapshot. */
  function resume(body: string, { receiver, state, attempts }: Delivery): Delivery {
    const record: Item['record'] = { receiver, state, attempts: [...attempts] };
    if (state !== 'pending') return record;
    const tries = attempts.length;
    const item: Item = { body, record, copy: false, heldBack: true, tries, due: 0, since: 0 };
    open.add(item);
    const last = attempts.at(-1);
    if (last === undefined) push(item, clock.now());
    else retry(item, last.time);
    return record;
  }

  function push(item: Item, due: number): void {
    Object.assign(item, { due, since: clock.unmoved() });
    queue.push(item);
    if (running || closed.signal.aborted) return;
    running = true;
    // Start the queue only after the caller's synchronous code has finished.
    setImmediate(run);
  }

  async function run(): Promise<void> {
    for (let item = queue.shift(); item !== undefined; item = queue.shift()) {
      const settled = item.record.state !== 'pending' && !item.copy;
      if (settled || isHeldBack(item)) continue;
      const waiting = held;
      held = [];
      await deliver(item);
      queue.unshift(...waiting);
      if (closed.signal.aborted) break;
    }
    running = false;
    idle();
  }

  function isHeldBack(item: Item): boolean {
    if (item.copy || item.heldBack || item.tries > 0 || held.length > 0) return false;
    if (!disturb.holdBack()) return false;
    item.heldBack = true;
    held.push(item);
    clock.at(clock.now() + HOLD, () => {
      if (!held.includes(item)) return;
      held = [];
      push(item, clock.now());
    });
    return true;
  }

  async function deliver(item: Item): Promise<void> {
    const { body, record, copy } = item;
    // Derive the time of the attempt from its due time, because the clock may jump past several attempts.
    const time = timeOf(item);
    const outcome = await attempt(body, closed.signal);
    if (closed.signal.aborted) return;
    record.attempts.push({ time, ...outcome });
    item.tries += 1;
    if (!copy && item.tries === 1 && disturb.duplicate()) queue.unshift({ ...item, copy: true });
    if ('status' in outcome && outcome.status >= 200 && outcome.status < 300)
      return settle(item, 'delivered');
    if (copy || record.state !== 'pending') return;
    retry(item, timeOf(item));
  }

  function retry(item: Item, time: number): void {
    const wait = retries[item.tries - 1];
    const due = wait === undefined ? undefined : time + wait;
    if (due === undefined) settle(item, 'failed');
    else if (due <= clock.now()) push(item, due);
    else clock.at(due, () => push(item, due));
  }

  /**
   * Returns `due` plus the real time that the item has spent in the queue. Moving the clock does not change how long the item
   * has spent in the queue.
   */
  function timeOf({ due, since }: Item): number {
    return due + clock.unmoved() - since;
  }

  function settle(item: Item, state: 'delivered' | 'failed'): void {
    item.record.state = state;
    open.delete(item);
  }

  return {
    add,
    resume,
    /** Whether a delivery is being sent or is due. */
    busy: (): boolean => running,
    /** Cancels all pending deliveries. */
    close(): void {
      closed.abort();
      queue.length = 0;
      held = [];
      for (const item of open) settle(item, 'failed');
    },
  };
}

// One delivery attempt. Every attempt ends with a status or an error.

export type AttemptOutcome = { readonly status: number } | { readonly error: string };

interface PostOptions {
  readonly headers: Readonly<Record<string, string>>;
  /** Maximum real time for the whole response, in milliseconds. */
  readonly timeout: number;
  readonly signal: AbortSignal;
}

/** The body of a response is ignored. After this many bytes, the connection is closed. */
const MAX_RESPONSE_BYTES = 65_536;

export async function postDelivery(
  url: string,
  body: Buffer,
  { headers, timeout, signal }: PostOptions,
): Promise<AttemptOutcome> {
  const send = url.startsWith('https:') ? httpsRequest : httpRequest;
  const late = AbortSignal.timeout(timeout);
  let status: number | undefined;
  try {
    // Use one connection per request, because a receiver may close an idle connection just as it is reused.
    const request = send(url, {
      ...{ method: 'POST', agent: false, signal: AbortSignal.any([signal, late]) },
      headers: {
        ...{ 'content-type': 'application/json', 'content-length': String(body.length) },
        ...{ connection: 'close', ...headers },
      },
    });
    // Without this listener, an error after the response would end the process.
    request.on('error', () => {});
    request.end(body);
    const [response]: IncomingMessage[] = await once(request, 'response');
    status = response?.statusCode ?? 0;
    let bytes = 0;
    for await (const chunk of response ?? []) {
      bytes += Buffer.byteLength(chunk);
      if (bytes > MAX_RESPONSE_BYTES) break;
    }
    return { status };
  } catch (error) {
    if (status !== undefined) return { status };
    if (signal.aborted) return { error: 'cancelled' };
    return { error: late.aborted ? `no response within ${timeout} ms` : errorText(error) };
  }
}

function errorText(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return 'code' in error && typeof error.code === 'string' ? error.code : error.message;
}
