import type { Dispatcher } from 'undici';
import { messageOf } from '../base/errors.ts';
import { AppendFile } from './append-file.ts';
import { type Delivered, deliver, forwardedHeaders } from './deliver.ts';
import { type Entry, entryLine } from './entry.ts';

/** What became of a stored delivery on its way on. */
export interface Forwarded {
  readonly entry: Entry;
  readonly result: Delivered;
  /** Why it is not even among those that could not be forwarded. It is in the store all the same. */
  readonly unkept?: string;
}

export interface ForwarderOptions {
  readonly url: string;
  readonly dispatcher: Dispatcher;
  readonly signatureHeader?: string | undefined;
  /** File of those that could not be forwarded; made when there is one. */
  readonly undelivered: string;
  readonly tell: (forwarded: Forwarded) => void;
  readonly attempts?: number | undefined;
  readonly random?: (() => number) | undefined;
}

interface Waiting {
  readonly entry: Entry;
  readonly lane: string;
}

/** Workspaces whose deliveries are sent on side by side. */
const LANES = 16;
/** Bytes that may wait in memory. */
const MOST_BYTES = 64 * 1024 * 1024;
const MOST_ENTRIES = 50_000;
/** Milliseconds that are left for what waits when the listener stops. */
const LAST_CALL = 5000;

/**
 * Sends stored deliveries on. Those of one workspace go one after the other, in the order in which they were stored; those
 * of several side by side. While the address takes nothing, each is tried once, and goes to the file of the undelivered:
 * the first one found out with all its attempts that waiting does not help.
 */
export class Forwarder {
  readonly #options: ForwarderOptions;
  readonly #lanes = new Map<string, Waiting[]>();
  readonly #running = new Set<Promise<void>>();
  readonly #busy = new Set<string>();
  readonly #hurry = new AbortController();
  readonly #stop = new AbortController();
  #bytes = 0;
  #entries = 0;
  #isDown = false;
  #file: Promise<AppendFile> | undefined;

  constructor(options: ForwarderOptions) {
    this.#options = options;
  }

  /** @param lane the workspace that it belongs to */
  add(entry: Entry, lane: string): void {
    if (this.#bytes + entry.body.length > MOST_BYTES || this.#entries >= MOST_ENTRIES) {
      this.#track(this.#give(entry, { ok: false, attempts: 0, last: 'too many wait to be forwarded' }));
      return;
    }
    this.#bytes += entry.body.length;
    this.#entries += 1;
    const waiting = this.#lanes.get(lane);
    if (waiting) waiting.push({ entry, lane });
    else this.#lanes.set(lane, [{ entry, lane }]);
    this.#start();
  }

  /** Sends on what waits, without further attempts and for some seconds at most; the rest is kept as undelivered. */
  async finish(): Promise<void> {
    this.#hurry.abort();
    const timer = setTimeout(() => this.#stop.abort(), LAST_CALL);
    while (this.#running.size > 0) await Promise.all(this.#running);
    clearTimeout(timer);
    await (await this.#file?.catch(() => undefined))?.close();
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
    for (let at = 0; at < waiting.length; at++) {
      const entry = waiting[at]?.entry;
      if (!entry) continue;
      const result = await this.#send(entry);
      this.#bytes -= entry.body.length;
      this.#entries -= 1;
      // Not waited for: what is kept in order is written in order, many with one flush.
      this.#track(this.#give(entry, result));
      if (at >= 1000) {
        waiting.splice(0, at + 1);
        at = -1;
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

  async #give(entry: Entry, result: Delivered): Promise<void> {
    const unkept = result.ok ? undefined : await this.#keep(entry, result);
    this.#options.tell({ entry, result, ...(unkept === undefined ? {} : { unkept }) });
  }

  /** @returns why it could not be kept */
  async #keep(entry: Entry, { attempts, last }: Delivered): Promise<string | undefined> {
    const { undelivered, url } = this.#options;
    try {
      const file = await this.#open(undelivered);
      await file.append(entryLine({ ...entry, forward: { url, attempts, last } }));
      return undefined;
    } catch (error) {
      return messageOf(error);
    }
  }

  /** What is open stays open, also where a write failed: it takes that back, and two of them would take back each other's. */
  async #open(path: string): Promise<AppendFile> {
    this.#file ??= AppendFile.open(path);
    const opening = this.#file;
    try {
      return await opening;
    } catch (error) {
      if (this.#file === opening) this.#file = undefined;
      throw error;
    }
  }

  #track(work: Promise<void>): void {
    this.#running.add(work);
    void work.finally(() => this.#running.delete(work));
  }
}
