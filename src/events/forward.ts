import type { Dispatcher } from 'undici';
import { messageOf } from '../core/errors.ts';
import { checkDelivery } from './check.ts';
import { type DeliveryResult, deliver } from './deliver.ts';
import { type DeliveryEntry, parseEntry, type Range } from './entry.ts';
import { isOfTypes } from './kinds.ts';
import type { Pending } from './pending.ts';
import type { Store } from './store.ts';

export interface ForwardOptions {
  readonly url: string;
  readonly dispatcher: Dispatcher;
  readonly signatureHeader?: string | undefined;
  readonly store: Store;
  readonly pending: Pending;
  /** Whether to forward the pending deliveries of earlier runs before new deliveries. */
  readonly resume?: boolean | undefined;
  readonly types?: readonly string[] | undefined;
  /** Called once for each delivery, with its result. If the store cannot be read, called once without `entry`. */
  readonly report: (result: DeliveryResult, entry?: DeliveryEntry) => void;
  readonly attempts?: number | undefined;
  readonly random?: (() => number) | undefined;
}

/** Maximum number of requests in parallel. Each workspace has at most one request at a time. */
const MAX_REQUESTS = 16;
/** Maximum number of deliveries in memory. Further deliveries wait in the store. */
const MAX_QUEUED = 50_000;
/** When the bodies in memory exceed this number of bytes, further deliveries wait in the store. */
const MAX_BYTES = 64 * 1024 * 1024;
/** After the listener stops, queued deliveries are sent for at most this many milliseconds. */
const FINISH_TIMEOUT = 5000;

/**
 * Forwards the deliveries of a store. Deliveries of one workspace are sent in order, one at a time. Deliveries of different
 * workspaces are sent in parallel. A delivery is pending until the target responds with 2xx.
 *
 * The target is considered down when the last attempt for a delivery gets no response or a 5xx status. While the target is
 * down, each delivery gets only one attempt. Any response with a status below 500 ends this state.
 */
export class Forwarder {
  readonly #options: ForwardOptions;
  /** Deliveries to send, by workspace. */
  readonly #queues = new Map<string, { entry: DeliveryEntry; at: Range }[]>();
  readonly #working = new Map<string, Promise<void>>();
  #queued = 0;
  #bytes = 0;
  #roomFreed = () => {};
  #isDown = false;
  /**
   * Aborted by `finish`. After the abort, the forwarder reads the rest of the store, and makes one attempt for each remaining
   * delivery.
   */
  readonly #ending = new AbortController();
  readonly #stop = new AbortController();
  readonly #reading: Promise<void>;

  constructor(options: ForwardOptions) {
    this.#options = options;
    const { store, pending, resume, report } = options;
    const from = resume ? pending.start : store.length;
    if (!resume) pending.include(from);
    this.#reading = this.#read(from).catch((error) => {
      const last = `Cannot read ${store.path}, so forwarding stops: ${messageOf(error)}`;
      report({ ok: false, attempts: 0, last });
    });
  }

  /**
   * Sends the queued deliveries without further retries, for at most {@link FINISH_TIMEOUT} milliseconds. Deliveries that fail
   * or are not sent remain pending.
   */
  async finish(): Promise<void> {
    this.#ending.abort();
    const timer = setTimeout(() => {
      this.#stop.abort();
      this.#roomFreed();
    }, FINISH_TIMEOUT);
    await this.#reading;
    while (this.#working.size > 0) await Promise.all(this.#working.values());
    clearTimeout(timer);
    await this.#options.pending.save();
  }

  async #read(from: number): Promise<void> {
    const { store, pending, types } = this.#options;
    for await (const { bytes, at } of store.follow(from, this.#ending.signal)) {
      if (bytes === undefined) continue;
      if (at.from === 0) pending.checkFirstLine(bytes);
      if (!pending.has(at)) continue;
      pending.include(at.to);
      const entry = parseEntry(bytes.toString('utf8'));
      if (entry === undefined) pending.remove(at);
      else if (isWanted(entry, types)) {
        while (this.#isFull() && !this.#stop.signal.aborted) {
          await new Promise<void>((resolve) => {
            this.#roomFreed = resolve;
          });
        }
        if (this.#stop.signal.aborted) return;
        this.#add(entry, at);
      }
    }
  }

  #isFull(): boolean {
    return this.#bytes > MAX_BYTES || this.#queued >= MAX_QUEUED;
  }

  #add(entry: DeliveryEntry, at: Range): void {
    this.#bytes += entry.body.length;
    this.#queued += 1;
    const workspace = workspaceOf(entry);
    const queue = this.#queues.get(workspace);
    if (queue) queue.push({ entry, at });
    else this.#queues.set(workspace, [{ entry, at }]);
    this.#startWork();
  }

  #startWork(): void {
    for (const [workspace, queue] of this.#queues) {
      if (this.#working.size >= MAX_REQUESTS) return;
      if (!this.#working.has(workspace)) this.#working.set(workspace, this.#work(workspace, queue));
    }
  }

  async #work(workspace: string, queue: { entry: DeliveryEntry; at: Range }[]): Promise<void> {
    const { pending, report } = this.#options;
    for (let next = queue.shift(); next; next = queue.shift()) {
      const { entry, at } = next;
      const result = await this.#send(entry);
      if (result.ok) pending.remove(at);
      report(result, entry);
      this.#bytes -= entry.body.length;
      this.#queued -= 1;
      if (!this.#isFull()) this.#roomFreed();
    }
    this.#queues.delete(workspace);
    this.#working.delete(workspace);
    this.#startWork();
  }

  async #send(entry: DeliveryEntry): Promise<DeliveryResult> {
    const { url, dispatcher, signatureHeader, attempts, random } = this.#options;
    const stopped = { ok: false, attempts: 0, last: 'the listener was stopped' };
    if (this.#stop.signal.aborted) return stopped;
    try {
      const result = await deliver(url, entry.body, forwardedHeaders(entry, signatureHeader), {
        dispatcher,
        signal: this.#stop.signal,
        lastAttempt: this.#ending.signal,
        attempts: this.#isDown ? 1 : attempts,
        random,
      });
      this.#isDown = !result.ok && (typeof result.last === 'string' || result.last >= 500);
      return result;
    } catch (error) {
      // Count the attempt, because the delivery may have arrived.
      if (this.#stop.signal.aborted) return { ...stopped, attempts: 1 };
      return { ok: false, attempts: 1, last: messageOf(error) };
    }
  }
}

/** Whether `types` selects a delivery. A delivery without an event name may be of any kind, so it is always selected. */
export function isWanted(
  { event }: Pick<DeliveryEntry, 'event'>,
  types: readonly string[] | undefined,
): boolean {
  return types === undefined || event === null || isOfTypes(event, types);
}

/**
 * Returns the id of the queue for a delivery: the workspace id. Grants from before the migration have no workspace, so the id
 * of the grant is used for their deliveries.
 */
function workspaceOf({ body }: DeliveryEntry): string {
  const { envelope = {} } = checkDelivery(body);
  const id = envelope['workspace_id'] ?? envelope['grant_id'];
  return typeof id === 'string' ? id : '';
}

function forwardedHeaders(
  { headers }: DeliveryEntry,
  signatureHeader: string | undefined,
): Record<string, string> {
  const names = ['content-type', signatureHeader?.toLowerCase()];
  return Object.fromEntries(Object.entries(headers).filter(([name]) => names.includes(name)));
}
