/** Resolves after `ms` milliseconds; rejects when `signal` is aborted. */
export type Sleep = (ms: number, signal: AbortSignal | undefined) => Promise<void>;

export interface Clock {
  /** Milliseconds since 1970. */
  readonly now: () => number;
  readonly sleep: Sleep;
}

/** A pause shared by all requests of a transport. Requests that arrive during the pause wait until it ends. */
export class Gate {
  readonly #now: () => number;
  readonly #sleep: Sleep;
  #opensAt = 0;

  constructor(now: () => number, sleep: Sleep) {
    this.#now = now;
    this.#sleep = sleep;
  }

  /** Starts or extends the pause, but never shortens a running pause. */
  pause(ms: number): void {
    this.#opensAt = Math.max(this.#opensAt, this.#now() + ms);
  }

  async pass(signal: AbortSignal | undefined): Promise<void> {
    // Check again in a loop, because the pause may be extended, and a timer may fire slightly early.
    for (let left = this.#left(); left > 0; left = this.#left()) await this.#sleep(left, signal);
  }

  #left(): number {
    return Math.ceil(this.#opensAt - this.#now());
  }
}
