/** Returns a promise that resolves after `ms` milliseconds, or rejects when `signal` is aborted. */
export type Sleep = (ms: number, signal: AbortSignal | undefined) => Promise<void>;

export interface Clock {
  /** Milliseconds since 1970. */
  readonly now: () => number;
  readonly sleep: Sleep;
}

/** A pause shared by all requests of a transport. A request that arrives during the pause waits until the pause ends. */
export class Gate {
  readonly #now: () => number;
  readonly #sleep: Sleep;
  #opensAt = 0;

  constructor(now: () => number, sleep: Sleep) {
    this.#now = now;
    this.#sleep = sleep;
  }

  /** Starts or extends the pause. Never shortens it. */
  pause(ms: number): void {
    this.#opensAt = Math.max(this.#opensAt, this.#now() + ms);
  }

  async pass(signal: AbortSignal | undefined): Promise<void> {
    // Check again after each sleep: the pause may have been extended, or the timer may have fired slightly early.
    for (let left = this.#left(); left > 0; left = this.#left()) await this.#sleep(left, signal);
  }

  #left(): number {
    return Math.ceil(this.#opensAt - this.#now());
  }
}
