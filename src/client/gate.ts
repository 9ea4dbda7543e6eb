import type { sleep } from '../core/sleep.ts';

export interface Clock {
  /** Milliseconds since 1970. */
  readonly now: () => number;
  readonly sleep: typeof sleep;
}

/** A pause for all requests of a transport. A request that starts during the pause waits until the pause ends. */
export class Gate {
  readonly #clock: Clock;
  #opensAt = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Starts the pause, or extends a pause that has already started. Never shortens a pause. */
  pause(ms: number): void {
    this.#opensAt = Math.max(this.#opensAt, this.#clock.now() + ms);
  }

  async pass(signal: AbortSignal | undefined): Promise<void> {
    // Check again after each sleep: the pause may have been extended, or the timer may have fired slightly early.
    for (let left = this.#left(); left > 0; left = this.#left()) await this.#clock.sleep(left, signal);
  }

  #left(): number {
    return Math.ceil(this.#opensAt - this.#clock.now());
  }
}
