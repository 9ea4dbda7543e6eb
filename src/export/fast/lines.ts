/** Initial size of the buffer in bytes. */
const INITIAL = 256 * 1024;
/** Maximum bytes to copy in a loop. Most cells are shorter, and a loop is then faster than a call. */
const SHORT = 64;

/** The lines of a page in one buffer, which grows and is reused for the next page. */
export class Lines {
  bytes = Buffer.allocUnsafe(INITIAL);
  length = 0;

  /** Makes room for `more` bytes. */
  reserve(more: number): void {
    if (this.length + more <= this.bytes.length) return;
    const larger = Buffer.allocUnsafe(2 * (this.length + more));
    this.bytes.copy(larger, 0, 0, this.length);
    this.bytes = larger;
  }

  /** Adds bytes of a page. */
  copy(page: Buffer, from: number, to: number): void {
    this.reserve(to - from);
    const { bytes } = this;
    let length = this.length;
    if (to - from > SHORT) length += page.copy(bytes, length, from, to);
    else for (let at = from; at < to; at++) bytes[length++] = page[at] as number;
    this.length = length;
  }

  byte(byte: number): void {
    this.reserve(1);
    this.bytes[this.length++] = byte;
  }

  text(text: string): void {
    if (text === '') return;
    this.reserve(3 * text.length);
    this.length += this.bytes.write(text, this.length);
  }

  /** A copy of the bytes written since the last call. */
  take(): Buffer {
    const taken = Buffer.from(this.bytes.subarray(0, this.length));
    this.length = 0;
    return taken;
  }
}
