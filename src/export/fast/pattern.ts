/** A string that is compared with the bytes of a page, four bytes at a time. */
export class BytePattern {
  readonly length: number;
  /** Used only if the string is shorter than four bytes. */
  readonly #bytes: Uint8Array;
  /** The bytes in groups of four. The last group may overlap the group before it. */
  readonly #words: Int32Array;

  constructor(text: string) {
    const bytes = Buffer.from(text);
    const count = bytes.length < 4 ? 0 : Math.ceil(bytes.length / 4);
    this.length = bytes.length;
    this.#bytes = bytes;
    this.#words = Int32Array.from({ length: count }, (_, at) =>
      bytes.readInt32LE(Math.min(4 * at, bytes.length - 4)),
    );
  }

  /** Whether the page contains the string at this position. */
  standsAt(page: DataView, at: number): boolean {
    const length = this.length;
    if (at + length > page.byteLength) return false;
    const words = this.#words;
    const last = words.length - 1;
    if (last < 0) {
      const bytes = this.#bytes;
      for (let index = 0; index < length; index++)
        if (page.getUint8(at + index) !== bytes[index]) return false;
      return true;
    }
    for (let index = 0; index < last; index++) {
      if (page.getInt32(at + 4 * index, true) !== words[index]) return false;
    }
    return page.getInt32(at + length - 4, true) === words[last];
  }
}
