import type { Stretch } from '../read/rows.ts';
import { enlarged } from './ids.ts';

/** Stretches that wait to be written, in a buffer that is used again; those that follow each other are copied at once. */
export class Pending {
  length = 0;
  #bytes: Buffer;
  #copied = 0;
  #last: { bytes: Uint8Array; start: number; end: number } | undefined;

  /** @param room bytes that there is room for at first */
  constructor(room: number) {
    this.#bytes = Buffer.allocUnsafeSlow(room);
  }

  add({ bytes, start, end }: Stretch): void {
    const last = this.#last;
    this.length += end - start;
    if (last?.bytes === bytes && last.end === start) last.end = end;
    else {
      this.#copy();
      this.#last = { bytes, start, end };
    }
  }

  /** All of them, one behind the other, which hold until the next is added; and forgets them. */
  take(): Buffer {
    this.#copy();
    const length = this.#copied;
    this.#copied = 0;
    this.length = 0;
    return this.#bytes.subarray(0, length);
  }

  #copy(): void {
    if (!this.#last) return;
    const { bytes, start, end } = this.#last;
    this.#last = undefined;
    const copied = this.#copied + end - start;
    if (copied > this.#bytes.length) this.#bytes = enlarged(this.#bytes, 2 * copied);
    this.#bytes.set(bytes.subarray(start, end), this.#copied);
    this.#copied = copied;
  }
}
