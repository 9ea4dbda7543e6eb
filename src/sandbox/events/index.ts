// Sends the events of a workspace to the receivers, in the envelope that the specification defines. The specification does not
// define signatures, retries or the registration of receivers, so the sandbox has options for them.

import type { SandboxTime } from '../core/clock.ts';
import { createIds } from '../core/ids.ts';
import { type Saved, shape } from '../core/readers.ts';
import { WORKSPACE } from '../identity/members.ts';
import type { SandboxSettings } from '../options.ts';
import { type EmittedKind, type Envelope, readKind } from './kinds.ts';
import {
  createQueue,
  type Delivery,
  type DeliveryQueue,
  type Disturb,
  postDelivery,
  readDelivery,
} from './queue.ts';
import { readReceiver, sign } from './receiver.ts';

export type { EmittedKind, Envelope } from './kinds.ts';
export type { Attempt, Delivery } from './queue.ts';
export type { DeliverySignature } from './receiver.ts';

/** An event, and its delivery to each receiver that was registered when the event was sent. */
export interface Emitted {
  readonly envelope: Envelope;
  readonly deliveries: readonly Delivery[];
}

/** Sends an event to all receivers without waiting for the deliveries. Failed deliveries cause no error. */
export type Emit = (event: EmittedKind, data: object, workspaceId?: string) => Envelope;

export interface EventSender {
  readonly emit: Emit;
  /** Sends an event with the given envelope. */
  send(envelope: Omit<Envelope, 'id'> & { readonly id?: string }): Envelope;
  /** Creates the envelope of an event. The envelope contains the current time, but no id yet. */
  draft(event: EmittedKind, data: object, workspaceId?: string): Omit<Envelope, 'id'>;
  /** Returns the newest 10,000 events, oldest first. */
  list(): readonly Emitted[];
  receivers(): readonly string[];
  /**
   * Adding a registered address again has no effect.
   *
   * @throws RangeError for an invalid address
   */
  addReceiver(url: string): void;
  /** Removes a receiver and cancels its pending deliveries. Returns false if the receiver is unknown. */
  removeReceiver(url: string): boolean;
  /** Resolves after every due delivery has been attempted; does not wait for later retries. */
  settled(): Promise<void>;
  /** Clears the list, cancels pending deliveries, and restores the initial receivers. */
  reset(): void;
  save(): SavedEvents;
  /**
   * Replaces the list of events. Keeps the receivers, because a snapshot must not decide which addresses are called. Pending
   * deliveries to registered receivers continue; other pending deliveries count as failed.
   */
  restore(saved: SavedEvents): void;
  close(): void;
}

const { listOf, nullable, object, record, text } = shape;

export const readSavedEvents = listOf(
  object({
    envelope: object({
      ...{ id: text, event: text, timestamp: text, grant_id: text, workspace_id: nullable(text) },
      data: record,
    }),
    deliveries: listOf(readDelivery),
  }),
);
type SavedEvents = Saved<typeof readSavedEvents>;

type Settings = Pick<SandboxSettings, 'receivers' | 'signature' | 'retries' | 'receiverTimeout' | 'secret'>;

interface EventsParts {
  readonly clock: SandboxTime;
  /** Origins of the sandbox, which cannot be receivers. */
  readonly origins: readonly string[];
  /** Returns the value of `grant_id` in the deliveries of a workspace. */
  readonly grantId: (workspaceId: string) => string;
  readonly disturb: Disturb;
}

const MAX_LISTED = 10_000;

export function createEventSender(settings: Settings, parts: EventsParts): EventSender {
  const { signature, retries, receiverTimeout: timeout } = settings;
  const { clock, origins, grantId, disturb } = parts;
  // Receivers detect duplicates by id, so ids must not repeat after a restart or a reset.
  const ids = createIds('whd', settings.secret());
  const queues = new Map<string, DeliveryQueue>();
  let emitted: Emitted[] = [];
  let waiting: (() => void)[] = [];
  let count = 0;

  function send({ id = ids.of(count++), ...rest }: Omit<Envelope, 'id'> & { id?: string }): Envelope {
    const envelope: Envelope = { id, ...rest };
    // Every attempt sends the same text, so `timestamp` is the time of the event instead of the time of the attempt.
    const text = JSON.stringify(envelope);
    const deliveries = [...queues].map(([url, queue]) => queue.add(text, url));
    emitted.push({ envelope, deliveries });
    if (emitted.length > MAX_LISTED * 2) emitted = emitted.slice(-MAX_LISTED);
    return envelope;
  }

  function draft(event: EmittedKind, data: object, workspace = WORKSPACE.id): Omit<Envelope, 'id'> {
    const timestamp = new Date(clock.now()).toISOString();
    return { event, timestamp, grant_id: grantId(workspace), workspace_id: workspace, data };
  }

  function addReceiver(given: string): void {
    const url = readReceiver(given, origins);
    if (!queues.has(url)) queues.set(url, queueFor(url));
  }

  function queueFor(url: string): DeliveryQueue {
    return createQueue({
      clock,
      retries,
      disturb,
      idle: resolveWaiting,
      attempt: (text, signal) => {
        const body = Buffer.from(text);
        const headers = signature === undefined ? {} : sign(signature, body);
        return postDelivery(url, body, { headers, timeout, signal });
      },
    });
  }

  function resolveWaiting(): void {
    if ([...queues.values()].some((queue) => queue.busy())) return;
    const done = waiting;
    waiting = [];
    for (const resolve of done) resolve();
  }

  function settled(): Promise<void> {
    return new Promise((resolve) => {
      waiting.push(resolve);
      resolveWaiting();
    });
  }

  function removeReceiver(given: string): boolean {
    const url = URL.canParse(given) ? new URL(given).href : given;
    const queue = queues.get(url);
    if (queue === undefined) return false;
    queues.delete(url);
    queue.close();
    resolveWaiting();
    return true;
  }

  function close(): void {
    for (const queue of queues.values()) queue.close();
    queues.clear();
    resolveWaiting();
  }

  function reset(): void {
    close();
    emitted = [];
    for (const url of settings.receivers) addReceiver(url);
  }

  function restore(saved: SavedEvents): void {
    const urls = [...queues.keys()];
    close();
    for (const url of urls) addReceiver(url);
    emitted = saved.map(({ envelope, deliveries }) => ({
      envelope,
      deliveries: deliveries.map((delivery) => {
        const queue = queues.get(delivery.receiver);
        if (queue !== undefined) return queue.resume(JSON.stringify(envelope), delivery);
        return delivery.state === 'pending' ? { ...delivery, state: 'failed' } : delivery;
      }),
    }));
  }

  reset();
  return {
    emit: (event, data, workspace) => send(draft(readKind(event, 'event'), data, workspace)),
    send,
    draft,
    list: () => emitted.slice(-MAX_LISTED),
    receivers: () => [...queues.keys()],
    addReceiver,
    removeReceiver,
    settled,
    reset,
    save: () => readSavedEvents(emitted.slice(-MAX_LISTED), 'events'),
    restore,
    close,
  };
}
