import type { Told } from '../../events/index.ts';

const MOST = 10_000;
const MOST_BYTES = 64 * 1024 * 1024;

/**
 * What is still to be shown. Deliveries come however slowly the output is read: beyond some thousands that nobody took, they
 * are counted and not shown. The store has them all.
 */
export class Backlog {
  #waiting: Told[] = [];
  #bytes = 0;
  #dropped = 0;
  #ended = false;
  #wake = () => {};

  push(told: Told): void {
    const size = told.entry?.body.length ?? 0;
    if (this.#waiting.length >= MOST || this.#bytes + size > MOST_BYTES) {
      this.#dropped += 1;
      return;
    }
    this.#bytes += size;
    this.#waiting.push(told);
    this.#wake();
  }

  end(): void {
    this.#ended = true;
    this.#wake();
  }

  /** How many were not shown since this was last asked. */
  takeDropped(): number {
    const dropped = this.#dropped;
    this.#dropped = 0;
    return dropped;
  }

  /** All that waits, as often as there is any, until the end. */
  async *batches(): AsyncGenerator<readonly Told[]> {
    for (;;) {
      if (this.#waiting.length > 0) {
        const batch = this.#waiting;
        this.#waiting = [];
        this.#bytes = 0;
        yield batch;
      } else if (this.#ended) return;
      else
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
    }
  }
}
