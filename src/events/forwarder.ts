import type { Dispatcher } from 'undici';
import { messageOf } from '../core/errors.ts';
import { checkDelivery } from './check.ts';
import { type Delivered, deliver, forwardedHeaders } from './deliver.ts';
import type { Entry } from './entry.ts';
import { followStore } from './follow.ts';
import { isOfTypes } from './kinds.ts';
import type { Pending, Range } from './pending.ts';
import type { Store } from './store.ts';

/** What became of a stored delivery on its way on. */
export interface Forwarded {
  /** None where the store cannot be read any further. */
  readonly entry?: Entry;
  readonly result: Delivered;
}

export interface ForwarderOptions {
  readonly url: string;
  readonly dispatcher: Dispatcher;
  readonly signatureHeader?: string | undefined;
  readonly store: Store;
  readonly pending: Pending;
  /** Forwards what is pending before what comes. */
  readonly resume?: boolean | undefined;
  readonly types?: readonly string[] | undefined;
  readonly tell: (forwarded: Forwarded) => void;
  readonly attempts?: number | undefined;
  readonly random?: (() => number) | undefined;
}

interface Waiting {
  readonly entry: Entry;
  readonly at: Range;
}

/** Workspaces whose deliveries are sent on side by side. */
const LANES = 16;
/** Bytes that may wait in memory; the rest waits in the store. */
const MOST_BYTES = 64 * 1024 * 1024;
const MOST_ENTRIES = 50_000;
/** Milliseconds that are left for what waits when the listener stops. */
const LAST_CALL = 5000;

/**
 * Reads the store and sends on what it holds. Deliveries of one workspace go one after the other, in the order of the store;
 * those of several side by side. While the address fails, each is tried once: the first one found out with all its attempts
 * that waiting does not help. Everything that was not answered with 2xx stays pending.
 */
export class Forwarder {
  readonly #options: ForwarderOptions;
  readonly #lanes = new Map<string, Waiting[]>();
  readonly #running = new Set<Promise<void>>();
  readonly #busy = new Set<string>();
  /** The store is read to its end, and no further. */
  readonly #hurry = new AbortController();
  readonly #stop = new AbortController();
  readonly #reading: Promise<void>;
  #bytes = 0;
  #entries = 0;
  #roomFreed = () => {};
  #isDown = false;

  constructor(options: ForwarderOptions) {
    this.#options = options;
    const { store, pending, resume } = options;
    const from = resume ? pending.start : store.length;
    if (!resume) pending.include(from);
    this.#reading = this.#read(from).catch((error) => {
      const last = `${store.path} cannot be read, nothing more is forwarded: ${messageOf(error)}`;
      options.tell({ result: { ok: false, attempts: 0, last } });
    });
  }

  /**
   * Sends on what waits, without further attempts and for some seconds at most; the rest stays pending.
   *
   * @throws CryptodataError of kind `output` where that cannot be written down
   */
  async finish(): Promise<void> {
    this.#hurry.abort();
    const timer = setTimeout(() => {
      this.#stop.abort();
      this.#roomFreed();
    }, LAST_CALL);
    await this.#reading;
    while (this.#running.size > 0) await Promise.all(this.#running);
    clearTimeout(timer);
    await this.#options.pending.save();
  }

  async #read(from: number): Promise<void> {
    const { store, pending, types } = this.#options;
    for await (const { line, entry, at } of followStore(store, from, this.#hurry.signal)) {
      if (at.from === 0) pending.begin(line);
      if (!pending.has(at)) continue;
      pending.include(at.to);
      if (entry === undefined) pending.remove(at);
      else if (isWanted(entry, types)) {
        await this.#room();
        if (this.#stop.signal.aborted) return;
        this.#add(entry, at);
      }
    }
  }

  async #room(): Promise<void> {
    while (this.#isFull() && !this.#stop.signal.aborted) {
      await new Promise<void>((resolve) => {
        this.#roomFreed = resolve;
      });
    }
  }

  #isFull(): boolean {
    return this.#bytes > MOST_BYTES || this.#entries >= MOST_ENTRIES;
  }

  #add(entry: Entry, at: Range): void {
    this.#bytes += entry.body.length;
    this.#entries += 1;
    const lane = laneOf(entry);
    const waiting = this.#lanes.get(lane);
    if (waiting) waiting.push({ entry, at });
    else this.#lanes.set(lane, [{ entry, at }]);
    this.#start();
  }

  #start(): void {
    for (const lane of this.#lanes.keys()) {
      if (this.#busy.size >= LANES) return;
      if (this.#busy.has(lane)) continue;
      this.#busy.add(lane);
      this.#track(this.#work(lane));
    }
  }

  async #work(lane: string): Promise<void> {
    const waiting = this.#lanes.get(lane) ?? [];
    // By place: taking from the front of a long list costs as much as it is long.
    for (let place = 0; place < waiting.length; place++) {
      const next = waiting[place];
      if (!next) continue;
      const { entry, at } = next;
      const result = await this.#send(entry);
      if (result.ok) this.#options.pending.remove(at);
      this.#options.tell({ entry, result });
      this.#bytes -= entry.body.length;
      this.#entries -= 1;
      if (!this.#isFull()) this.#roomFreed();
      if (place >= 1000) {
        waiting.splice(0, place + 1);
        place = -1;
      }
    }
    this.#lanes.delete(lane);
    this.#busy.delete(lane);
    this.#start();
  }

  async #send(entry: Entry): Promise<Delivered> {
    const { url, dispatcher, signatureHeader, attempts, random } = this.#options;
    const stopped: Delivered = { ok: false, attempts: 0, last: 'the listener was stopped' };
    if (this.#stop.signal.aborted) return stopped;
    try {
      const result = await deliver(url, entry.body, forwardedHeaders(entry.headers, signatureHeader), {
        dispatcher,
        signal: this.#stop.signal,
        hurry: this.#hurry.signal,
        attempts: this.#isDown ? 1 : attempts,
        random,
      });
      this.#isDown = !result.ok && (typeof result.last === 'string' || result.last >= 500);
      return result;
    } catch (error) {
      // It was sent, and may have arrived.
      if (this.#stop.signal.aborted) return { ...stopped, attempts: 1 };
      return { ok: false, attempts: 1, last: messageOf(error) };
    }
  }

  #track(work: Promise<void>): void {
    this.#running.add(work);
    void work.finally(() => this.#running.delete(work));
  }
}

/** What names no kind cannot be known to be of another. */
export function isWanted({ event }: Pick<Entry, 'event'>, types: readonly string[] | undefined): boolean {
  return types === undefined || event === null || isOfTypes(event, types);
}

/** What must keep its order: the deliveries of a workspace. A grant from before the migration names none. */
function laneOf({ body }: Entry): string {
  const { envelope = {} } = checkDelivery(body);
  const key = envelope['workspace_id'] ?? envelope['grant_id'];
  return typeof key === 'string' ? key : '';
}
