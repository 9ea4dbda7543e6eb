import type { AttemptEvent } from '../client/request.ts';
import { sleep } from '../core/sleep.ts';

export interface PaceOptions {
  /** Maximum number of requests in flight. */
  readonly most: number;
  /** Maximum requests per second (default: no limit). */
  readonly maxRps?: number | undefined;
  readonly signal: AbortSignal;
  /** Called when the limit on requests in flight has increased. */
  readonly onWider?: (() => void) | undefined;
  /** Returns the time of a monotonic clock in milliseconds. */
  readonly now?: () => number;
  readonly sleep?: typeof sleep;
}

/** Initial limit on requests in flight. The limit starts low, because the service may already be busy. */
const FIRST = 4;
/**
 * A response is quick if it takes at most QUICK × t + SLACK milliseconds, where t is the time of the quickest recent response.
 */
const QUICK = 2;
const SLACK = 10;

/**
 * Limits the number of requests in flight. The limit starts low, grows while responses are quick, and shrinks while they are
 * slow. A 429, a failure of the service or a broken connection halves the limit. Waiting requests are sent in order of arrival.
 */
export class Pace {
  readonly #options: PaceOptions;
  readonly #now: () => number;
  readonly #waiting: (() => void)[] = [];
  #limit: number;
  #active = 0;
  #quickest = Number.POSITIVE_INFINITY;
  #halvedAt = Number.NEGATIVE_INFINITY;
  /** Whether every response so far was quick and successful. The limit grows fast until the first slow or failed response. */
  #fresh = true;
  #nextAt = 0;

  constructor(options: PaceOptions) {
    this.#options = options;
    this.#now = options.now ?? (() => performance.now());
    this.#limit = Math.min(FIRST, options.most);
  }

  get width(): number {
    return Math.max(1, Math.floor(this.#limit));
  }

  /** Waits until the limits allow another request, and then runs `ask`. */
  async run<T>(ask: () => Promise<T>): Promise<T> {
    // Check in a loop, because the limit may shrink while this request waits.
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

  /** Adjusts the limit to the result of an attempt. */
  learn({ status, ms }: Pick<AttemptEvent, 'status' | 'ms'>): void {
    const began = this.#now() - ms;
    if (status === undefined || status === 429 || status >= 500) {
      // If all requests in flight fail because of one outage, halve the limit only once. The failure of a request is ignored if
      // the request was sent before the last halving of the limit.
      if (began < this.#halvedAt) return;
      this.#halvedAt = this.#now();
      this.#limit = Math.max(1, this.#limit / 2);
      this.#fresh = false;
      return;
    }
    // Let the quickest response time grow by up to 2% per response, because the service may become slower during an export.
    this.#quickest = Math.min(this.#quickest * 1.02, ms);
    if (ms > QUICK * this.#quickest + SLACK) {
      // A slow response suggests that the service is queueing requests. More parallel requests would not finish sooner.
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

  /** If `maxRps` is set, waits until the next request may be sent. */
  async #slot(): Promise<void> {
    const { maxRps, signal } = this.#options;
    if (maxRps === undefined) return;
    const now = this.#now();
    const at = Math.max(now, this.#nextAt);
    this.#nextAt = at + 1000 / maxRps;
    if (at > now) await (this.#options.sleep ?? sleep)(at - now, signal);
  }
}
