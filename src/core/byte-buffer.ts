const INITIAL = 256 * 1024;
/** Up to this number of bytes are copied in a loop. For short cells, a loop is faster than `Buffer.copy`. */
const SHORT = 64;

/** A growing buffer. To reuse the buffer for other bytes, set `length` to 0. */
export class ByteBuffer {
  bytes: Buffer;
  length = 0;

  /** @param initial initial capacity in bytes */
  constructor(initial = INITIAL) {
    this.bytes = Buffer.allocUnsafe(initial);
  }

  /** Ensures that `more` bytes fit into the buffer. */
  reserve(more: number): void {
    if (this.length + more <= this.bytes.length) return;
    const larger = Buffer.allocUnsafe(Math.max(Math.ceil(1.5 * this.bytes.length), this.length + more));
    this.bytes.copy(larger, 0, 0, this.length);
    this.bytes = larger;
  }

  /** Appends the bytes of `source` from index `from` up to, but not including, index `to`. */
  copy(source: Buffer, from: number, to: number): void {
    this.reserve(to - from);
    const { bytes } = this;
    let length = this.length;
    if (to - from > SHORT) length += source.copy(bytes, length, from, to);
    else for (let at = from; at < to; at++) bytes[length++] = source[at] as number;
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

  /** The written bytes, not copied. The bytes are valid only until the next write. */
  get written(): Buffer {
    return this.bytes.subarray(0, this.length);
  }
}
