/** A line of bytes without its line feed; `bytes` is undefined where it is longer than `longest`. */
export interface Line {
  /** Counted from 1. */
  readonly number: number;
  readonly bytes: Buffer | undefined;
  /** Bytes of the line with its line feed. */
  readonly size: number;
  /** Whether a line feed ends it; only the last line can be without. */
  readonly ended: boolean;
}

const LINE_FEED = 0x0a;

/** Splits bytes into lines; holds no more than one of them, and never more than `longest` bytes of it. */
export async function* linesOf(chunks: AsyncIterable<Uint8Array>, longest: number): AsyncGenerator<Line> {
  let number = 1;
  let parts: Buffer[] = [];
  let length = 0;
  const take = (part: Buffer) => {
    length += part.length;
    if (length > longest) parts = [];
    else if (part.length > 0) parts.push(part);
  };
  const line = (ended: boolean): Line => {
    const [first = EMPTY] = parts;
    const whole = parts.length < 2 ? first : Buffer.concat(parts);
    const made = {
      number,
      bytes: length > longest ? undefined : whole,
      size: length + (ended ? 1 : 0),
      ended,
    };
    number += 1;
    parts = [];
    length = 0;
    return made;
  };
  for await (const chunk of chunks) {
    const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    let start = 0;
    for (let end = bytes.indexOf(LINE_FEED); end >= 0; end = bytes.indexOf(LINE_FEED, start)) {
      take(bytes.subarray(start, end));
      start = end + 1;
      yield line(true);
    }
    take(bytes.subarray(start));
  }
  if (length > 0) yield line(false);
}

const EMPTY = Buffer.alloc(0);
