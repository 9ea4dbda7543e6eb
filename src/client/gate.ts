/** Waits; rejects when `signal` is aborted. */
export type Sleep = (ms: number, signal: AbortSignal | undefined) => Promise<void>;

export interface Clock {
  /** Milliseconds since 1970. */
  readonly now: () => number;
  readonly sleep: Sleep;
}

/** One pause for all requests of a transport: who comes while it lasts waits behind it. */
export class Gate {
  readonly #now: () => number;
  readonly #sleep: Sleep;
  #opensAt = 0;

  constructor(now: () => number, sleep: Sleep) {
    this.#now = now;
    this.#sleep = sleep;
  }

  /** A pause that is longer already is not cut short. */
  pause(ms: number): void {
    this.#opensAt = Math.max(this.#opensAt, this.#now() + ms);
  }

  async pass(signal: AbortSignal | undefined): Promise<void> {
    // In a loop: the pause may be made longer meanwhile, and a timer may fire a little early.
    for (let left = this.#left(); left > 0; left = this.#left()) await this.#sleep(left, signal);
  }

  #left(): number {
    return Math.ceil(this.#opensAt - this.#now());
  }
}
