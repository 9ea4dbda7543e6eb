// What is to go to one receiver. First attempts are made in the order of the events, one at a time; a delivery that
// failed is tried again later, and those behind it do not wait for that.

import { request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import type { Clock } from '../clock.ts';

export type Attempt = Outcome & {
  /** Unix milliseconds by the sandbox's clock, when it began. */
  readonly time: number;
};

export interface Delivery {
  readonly receiver: string;
  /** failed: given up, or the receiver is no longer there. */
  readonly state: 'pending' | 'delivered' | 'failed';
  readonly attempts: readonly Attempt[];
}

/** What goes wrong because somebody asked for it. Each is asked once for a delivery. */
export interface Disturb {
  /** Whether it is sent twice. */
  duplicate(): boolean;
  /** Whether it comes after the one behind it. */
  holdBack(): boolean;
}

interface LineOptions {
  readonly clock: Clock;
  /** Milliseconds of the clock from an attempt that failed to the next; after the last, it is given up. */
  readonly retries: readonly number[];
  readonly disturb: Disturb;
  readonly attempt: (body: string, signal: AbortSignal) => Promise<Outcome>;
  /** Told whenever there is nothing to do for now. */
  readonly idle: () => void;
}

export interface Line {
  /** Takes over what is to be posted; what it gives shows how it goes on. */
  add(body: string, receiver: string): Delivery;
  /** Whether something is being sent, or is about to be. */
  busy(): boolean;
  /** Calls off what is under way and what was still to come. */
  close(): void;
}

interface Item {
  readonly body: string;
  readonly record: { receiver: string; state: Delivery['state']; attempts: Attempt[] };
  /** A second copy: whatever becomes of it, nothing follows from it. */
  readonly copy: boolean;
  heldBack: boolean;
  tries: number;
  /** When it was to be sent, and what {@link Clock.unmoved} said then. */
  due: number;
  since: number;
}

/** For so long, by the clock, one waits for another to come before it where there is none yet. */
const HOLD = 1000;

export function createLine({ clock, retries, disturb, attempt, idle }: LineOptions): Line {
  const gone = new AbortController();
  const queue: Item[] = [];
  const open = new Set<Item>();
  let held: Item[] = [];
  let running = false;

  function add(body: string, receiver: string): Delivery {
    const record: Item['record'] = { receiver, state: 'pending', attempts: [] };
    const item: Item = { body, record, copy: false, heldBack: false, tries: 0, due: 0, since: 0 };
    open.add(item);
    push(item, clock.now());
    return record;
  }

  function push(item: Item, due: number): void {
    Object.assign(item, { due, since: clock.unmoved() });
    queue.push(item);
    if (running || gone.signal.aborted) return;
    running = true;
    // Whoever caused the event goes on first.
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
      if (gone.signal.aborted) break;
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
    // Were the clock moved far beyond several attempts, each is at its own time all the same.
    const time = timeOf(item);
    const outcome = await attempt(body, gone.signal);
    if (gone.signal.aborted) return;
    record.attempts.push({ time, ...outcome });
    item.tries += 1;
    if (!copy && item.tries === 1 && disturb.duplicate()) queue.unshift({ ...item, copy: true });
    if ('status' in outcome && outcome.status >= 200 && outcome.status < 300)
      return settle(item, 'delivered');
    if (copy || record.state !== 'pending') return;
    const wait = retries[item.tries - 1];
    if (wait === undefined) return settle(item, 'failed');
    const due = timeOf(item) + wait;
    if (due <= clock.now()) push(item, due);
    else clock.at(due, () => push(item, due));
  }

  /** What passed by itself since it was due counts; how the clock was moved meanwhile does not. */
  function timeOf({ due, since }: Item): number {
    return due + clock.unmoved() - since;
  }

  function settle(item: Item, state: 'delivered' | 'failed'): void {
    item.record.state = state;
    open.delete(item);
  }

  return {
    add,
    busy: () => running,
    close() {
      gone.abort();
      queue.length = 0;
      held = [];
      for (const item of open) settle(item, 'failed');
    },
  };
}

// One attempt to deliver. However a receiver behaves, it ends: with a status, or with what went wrong.

export type Outcome = { readonly status: number } | { readonly error: string };

interface PostOptions {
  readonly headers: Readonly<Record<string, string>>;
  /** Milliseconds of real time for the whole answer: a receiver that hangs does so in real time. */
  readonly timeout: number;
  readonly signal: AbortSignal;
}

/** What a receiver says is of no interest; one that says more than this is not listened to. */
const MOST_BYTES = 65_536;

export function post(url: string, body: Buffer, { headers, timeout, signal }: PostOptions): Promise<Outcome> {
  return new Promise((resolve) => {
    const send = url.startsWith('https:') ? httpsRequest : httpRequest;
    // A connection for each: one that is kept may be closed by the other side just as it is used again.
    const request = send(url, {
      method: 'POST',
      agent: false,
      headers: {
        'content-type': 'application/json',
        'content-length': String(body.length),
        connection: 'close',
        ...headers,
      },
    });
    let outcome: Outcome | undefined;
    const timer = setTimeout(() => end({ error: `no answer within ${timeout} ms` }), timeout);
    const abort = () => end({ error: 'called off' });

    function end(otherwise: Outcome): void {
      clearTimeout(timer);
      signal.removeEventListener('abort', abort);
      resolve(outcome ?? otherwise);
      request.destroy();
    }

    signal.addEventListener('abort', abort);
    request.on('error', (error) => end({ error: textOf(error) }));
    request.on('response', (response) => {
      outcome = { status: response.statusCode ?? 0 };
      let bytes = 0;
      response.on('data', (chunk: Buffer) => {
        bytes += chunk.length;
        if (bytes > MOST_BYTES) end({ error: '' });
      });
      response.on('close', () => end({ error: '' }));
      response.on('error', () => end({ error: '' }));
    });
    if (signal.aborted) return abort();
    request.end(body);
  });
}

function textOf(error: Error): string {
  return 'code' in error && typeof error.code === 'string' ? error.code : error.message;
}
