const SPACE = 0x20;
const [QUOTE, BACKSLASH, COMMA] = [0x22, 0x5c, 0x2c];
const [OPEN_ARRAY, CLOSE_ARRAY, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d];

/** Receives a part of an element: its range in the chunk, and whether the element ends there. */
export type ElementPart = (start: number, end: number, isEnd: boolean) => void;

/** Finds the elements of a JSON array chunk by chunk, without parsing them. */
export class ArrayScanner {
  #depth = 0;
  #inString = false;
  #isEscaped = false;
  #arrays = 0;
  #isStray = false;

  /** Whether the array, or a value outside it, is not closed. */
  get isOpen(): boolean {
    return this.#depth !== 0 || this.#inString;
  }

  /** Whether the bytes are one whole array, and nothing else. */
  get isWhole(): boolean {
    return !this.isOpen && this.#arrays === 1 && !this.#isStray;
  }

  scan(chunk: Buffer, found: ElementPart): void {
    let start = 0;
    // For large files, a loop with an index is several times as fast as an iterator.
    for (let at = 0; at < chunk.length; at++) {
      const byte = chunk[at] ?? SPACE;
      if (this.#inString) {
        if (this.#isEscaped) this.#isEscaped = false;
        else if (byte === BACKSLASH) this.#isEscaped = true;
        else if (byte === QUOTE) this.#inString = false;
      } else if (byte === CLOSE_ARRAY || byte === CLOSE_OBJECT) {
        this.#depth -= 1;
        if (this.#depth === 0) found(start, at, true);
      } else if (byte === COMMA && this.#depth === 1) {
        found(start, at, true);
        start = at + 1;
      } else if (byte > SPACE && byte !== COMMA) {
        if (byte === OPEN_ARRAY && this.#depth === 0) {
          this.#arrays += 1;
          start = at + 1;
        } else if (this.#depth === 0) this.#isStray = true;
        if (byte === OPEN_ARRAY || byte === OPEN_OBJECT) this.#depth += 1;
        else if (byte === QUOTE) this.#inString = true;
      }
    }
    if (this.#depth > 0) found(start, chunk.length, false);
  }
}
