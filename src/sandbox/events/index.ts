// Events out: what happens in a workspace is told to the receivers, in the spec's envelope. How receivers are
// registered, how deliveries are signed and when they are tried again is not shown: options and control endpoints say it.

import type { Clock } from '../clock.ts';
import { createIds } from '../ledgers/ids.ts';
import type { Envelope, EventKind } from './kinds.ts';
import { createLine, type Delivery, type Disturb, type Line, post } from './line.ts';
import { readReceiver, type Signature, sign } from './receiver.ts';

export type { Envelope, EventKind } from './kinds.ts';
export type { Attempt, Delivery, Disturb } from './line.ts';
export type { Signature } from './receiver.ts';

/** An event that was emitted, and what became of it at each receiver that there was. */
export interface Emitted {
  readonly envelope: Envelope;
  readonly deliveries: readonly Delivery[];
}

/** Has an event sent to all receivers. It never waits for one, and never fails because of one. */
export type Emit = (event: EventKind, data: object, workspaceId?: string) => Envelope;

export interface Events {
  readonly emit: Emit;
  /** As {@link Events.emit}, with what is to stand elsewhere in the envelope. */
  send(envelope: Omit<Envelope, 'id'> & { readonly id?: string }): Envelope;
  /** What an event would be sent as now, but for its id. */
  draft(event: EventKind, data: object, workspaceId?: string): Omit<Envelope, 'id'>;
  /** The newest 10,000, the oldest first. */
  list(): readonly Emitted[];
  receivers(): readonly string[];
  /** Gives what is wrong with the address, if anything. One that is registered already stays as it is. */
  addReceiver(url: unknown): string | undefined;
  /** Calls off what was still to go there; false where there is no such receiver. */
  removeReceiver(url: string): boolean;
  /** Resolves once everything that is due was tried; what is to be tried again later is not waited for. */
  settled(): Promise<void>;
  /** Forgets what was emitted, ends what is under way; the receivers are those of the start again. */
  reset(): void;
  close(): void;
}

export interface EventsOptions {
  readonly clock: Clock;
  /** Of the sandbox itself, which is no receiver. */
  readonly origin: string;
  readonly workspaceId: string;
  /** The grant that deliveries of a workspace belong to. */
  readonly grantId: (workspaceId: string) => string;
  readonly secret: () => string;
  readonly receivers: readonly string[];
  readonly signature: Signature | undefined;
  readonly retries: readonly number[];
  /** Milliseconds. */
  readonly timeout: number;
  readonly disturb?: Disturb;
}

const KEPT = 10_000;
const UNDISTURBED: Disturb = { duplicate: () => false, holdBack: () => false };

export function createEvents(options: EventsOptions): Events {
  const { clock, origin, workspaceId, grantId, signature, retries, timeout } = options;
  const disturb = options.disturb ?? UNDISTURBED;
  // Unlike everything else they are new at each start, and after a reset: whoever keeps deliveries knows them by their ids.
  const ids = createIds('whd', options.secret());
  const lines = new Map<string, Line>();
  let emitted: Emitted[] = [];
  let waiting: (() => void)[] = [];
  let count = 0;

  function send({ id = ids.of(count++), ...rest }: Omit<Envelope, 'id'> & { id?: string }): Envelope {
    const envelope: Envelope = { id, ...rest };
    // Each attempt sends the same bytes, the time of the first one in them.
    const text = JSON.stringify(envelope);
    const deliveries = [...lines].map(([url, line]) => line.add(text, url));
    emitted.push({ envelope, deliveries });
    if (emitted.length > KEPT * 2) emitted = emitted.slice(-KEPT);
    return envelope;
  }

  function draft(event: EventKind, data: object, workspace = workspaceId): Omit<Envelope, 'id'> {
    const timestamp = new Date(clock.now()).toISOString();
    return { event, timestamp, grant_id: grantId(workspace), workspace_id: workspace, data };
  }

  function addReceiver(given: unknown): string | undefined {
    const read = readReceiver(given, origin);
    if ('complaint' in read) return read.complaint;
    const { url } = read;
    if (!lines.has(url)) lines.set(url, lineTo(url));
    return undefined;
  }

  function lineTo(url: string): Line {
    return createLine({
      clock,
      retries,
      disturb,
      idle: wake,
      attempt: (text, signal) => {
        const body = Buffer.from(text);
        const headers = signature === undefined ? {} : sign(signature, body);
        return post(url, body, { headers, timeout, signal });
      },
    });
  }

  function wake(): void {
    if ([...lines.values()].some((line) => line.busy())) return;
    const done = waiting;
    waiting = [];
    for (const resolve of done) resolve();
  }

  function settled(): Promise<void> {
    return new Promise((resolve) => {
      waiting.push(resolve);
      wake();
    });
  }

  function removeReceiver(given: string): boolean {
    const read = readReceiver(given, origin);
    const line = 'url' in read ? lines.get(read.url) : undefined;
    if (line === undefined || !('url' in read)) return false;
    lines.delete(read.url);
    line.close();
    wake();
    return true;
  }

  function close(): void {
    for (const line of lines.values()) line.close();
    lines.clear();
    wake();
  }

  function reset(): void {
    close();
    emitted = [];
    for (const url of options.receivers) {
      const complaint = addReceiver(url);
      if (complaint !== undefined) throw new RangeError(`receivers: ${complaint}`);
    }
  }

  reset();
  return {
    emit: (event, data, workspace) => send(draft(event, data, workspace)),
    send,
    draft,
    list: () => emitted.slice(-KEPT),
    receivers: () => [...lines.keys()],
    addReceiver,
    removeReceiver,
    settled,
    reset,
    close,
  };
}
