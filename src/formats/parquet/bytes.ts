/** A buffer that grows as bytes are appended. To reuse its memory, set `length` to 0. */
export class Bytes {
  buffer: Buffer = Buffer.allocUnsafe(1024);
  length = 0;

  /** Makes room for `more` bytes. */
  reserve(more: number): void {
    if (this.length + more <= this.buffer.length) return;
    const larger = Buffer.allocUnsafe(Math.max(Math.ceil(this.buffer.length * 1.5), this.length + more));
    this.buffer.copy(larger, 0, 0, this.length);
    this.buffer = larger;
  }

  append(bytes: Uint8Array): void {
    this.reserve(bytes.length);
    this.buffer.set(bytes, this.length);
    this.length += bytes.length;
  }

  view(): Uint8Array {
    return this.buffer.subarray(0, this.length);
  }
}
