import type { AttemptEvent } from '../client/transport.ts';
import { sleep } from '../core/sleep.ts';

export interface PaceOptions {
  /** Most requests in flight. */
  readonly most: number;
  /** Most requests a second; no bound where not given. */
  readonly maxRps?: number | undefined;
  readonly signal: AbortSignal;
  /** Told when more requests may be in flight than before. */
  readonly onWider?: (() => void) | undefined;
  /** Milliseconds of any clock that only goes forward. */
  readonly now?: () => number;
  readonly sleep?: typeof sleep;
}

/** Requests in flight at the beginning: a service that is busy is not met with all there is. */
const FIRST = 4;
/** An answer is quick while it takes at most this many times the quickest lately, and a little more. */
const QUICK = 2;
const SLACK = 10;

/**
 * How many requests are in flight: a few at first, more while answers stay quick, fewer when they do not, half as many
 * after a 429, a failure of the service or a broken connection. What waits goes on in the order in which it came.
 */
export class Pace {
  readonly #options: PaceOptions;
  readonly #now: () => number;
  readonly #waiting: (() => void)[] = [];
  #limit: number;
  #active = 0;
  #quickest = Number.POSITIVE_INFINITY;
  #halvedAt = Number.NEGATIVE_INFINITY;
  /** Whether nothing has gone wrong yet, so that it may grow fast. */
  #fresh = true;
  #nextAt = 0;

  constructor(options: PaceOptions) {
    this.#options = options;
    this.#now = options.now ?? (() => performance.now());
    this.#limit = Math.min(FIRST, options.most);
  }

  /** Requests that may be in flight now. */
  get width(): number {
    return Math.max(1, Math.floor(this.#limit));
  }

  /** Runs `ask` when its turn comes. */
  async run<T>(ask: () => Promise<T>): Promise<T> {
    // In a loop: the width may have become smaller between the call and its turn.
    while (this.#active >= this.width) await new Promise<void>((turn) => this.#waiting.push(turn));
    this.#active += 1;
    try {
      await this.#slot();
      this.#options.signal.throwIfAborted();
      return await ask();
    } finally {
      this.#active -= 1;
      this.#wake();
    }
  }

  /** Learns from one attempt as it ended. */
  learn({ status, ms }: Pick<AttemptEvent, 'status' | 'ms'>): void {
    const began = this.#now() - ms;
    if (status === undefined || status === 429 || status >= 500) {
      // Those that were on their way together failed together: that is one sign, not many.
      if (began < this.#halvedAt) return;
      this.#halvedAt = this.#now();
      this.#limit = Math.max(1, this.#limit / 2);
      this.#fresh = false;
      return;
    }
    // What was quickest is forgotten little by little: a service may be slower by day than by night.
    this.#quickest = Math.min(this.#quickest * 1.02, ms);
    if (ms > QUICK * this.#quickest + SLACK) {
      // They wait for each other, here or there: more at once would fill the memory and gain nothing.
      this.#fresh = false;
      this.#limit = Math.max(Math.min(FIRST, this.#limit), this.#limit - 1 / this.#limit);
      return;
    }
    const before = this.width;
    this.#limit = Math.min(this.#options.most, this.#limit + (this.#fresh ? 1 : 1 / this.#limit));
    if (this.width === before) return;
    this.#wake();
    this.#options.onWider?.();
  }

  #wake(): void {
    for (let free = this.width - this.#active; free > 0; free--) this.#waiting.shift()?.();
  }

  /** Waits for the next place in time, where there is a bound on requests a second. */
  async #slot(): Promise<void> {
    const { maxRps, signal } = this.#options;
    if (maxRps === undefined) return;
    const now = this.#now();
    const at = Math.max(now, this.#nextAt);
    this.#nextAt = at + 1000 / maxRps;
    if (at > now) await (this.#options.sleep ?? sleep)(at - now, signal);
  }
}
