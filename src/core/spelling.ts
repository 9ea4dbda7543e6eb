/**
 * A text in canonical spelling. The original text may mix percent-encoding, form encoding and JSON escapes, and may be encoded
 * several times. Two spellings of the same secret have the same canonical spelling.
 */
export interface Canonical {
  /** One character for each byte of UTF-8. */
  readonly text: string;
  /** For each byte: the index in the original text at which the spelling of the byte starts, and the index after its end. */
  readonly starts: readonly number[];
  readonly ends: readonly number[];
}

/**
 * Returns the canonical spelling of a text. Percent-encoding and `\u` escapes are decoded until nothing is left to decode. All
 * other backslashes are omitted. JSON writes a line break as `\n`, so a line break becomes `n`. A form writes a space as `+`, so
 * a space becomes `+`.
 */
export function canonical(text: string): Canonical {
  const speller = new Speller();
  for (let at = 0; at < text.length; ) {
    const point = text.codePointAt(at) ?? 0;
    const end = at + (point > 0xffff ? 2 : 1);
    speller.addPoint(point, at, end);
    at = end;
  }
  return speller;
}

/** The letter of a control character in a JSON escape, such as `n`; `+` for a space. */
const REPLACED = new Map(
  ['\bb', '\ff', '\nn', '\rr', '\tt', ' +'].map((pair) => [pair.charCodeAt(0), pair.charCodeAt(1)]),
);
const BACKSLASH = 0x5c;
const PERCENT = 0x25;
const LETTER_U = 0x75;
const OPENING = 0x7b;
const CLOSING = 0x7d;

/** A stack of decoded bytes. An escape sequence on top of the stack is replaced with the character that it stands for. */
class Speller implements Canonical {
  readonly starts: number[] = [];
  readonly ends: number[] = [];
  readonly #bytes: number[] = [];
  /** For each byte: whether a backslash precedes the byte. */
  readonly #escaped: boolean[] = [];
  /** Start of the run of backslashes that ends before the next byte; undefined if no backslash precedes the next byte. */
  #backslash: number | undefined;

  get text(): string {
    return Buffer.from(this.#bytes).toString('latin1');
  }

  addPoint(point: number, start: number, end: number): void {
    // Encode the character as UTF-8. Unlike `Buffer.from`, keep each half of a surrogate pair.
    const more = point < 0x80 ? 0 : point < 0x800 ? 1 : point < 0x10000 ? 2 : 3;
    const lead = [0, 0xc0, 0xe0, 0xf0][more] ?? 0;
    this.#addByte(lead | (point >> (6 * more)), start, end);
    for (let left = more - 1; left >= 0; left -= 1)
      this.#addByte(0x80 | ((point >> (6 * left)) & 0x3f), start, end);
  }

  #addByte(byte: number, start: number, end: number): void {
    if (byte === BACKSLASH) {
      this.#backslash ??= start;
      return;
    }
    this.#bytes.push(REPLACED.get(byte) ?? byte);
    this.#escaped.push(this.#backslash !== undefined);
    this.starts.push(this.#backslash ?? start);
    this.ends.push(end);
    this.#backslash = undefined;
    if (digit(byte) >= 0) {
      this.#decodePercent();
      this.#decodeUnicode(4, 0);
    } else if (byte === CLOSING) this.#decodeBraces();
  }

  /** Decodes `%41`. */
  #decodePercent(): void {
    const at = this.#bytes.length - 3;
    if (this.#bytes[at] !== PERCENT) return;
    const byte = this.#number(at + 1, at + 3);
    if (byte !== undefined) this.#replace(at, (start, end) => this.#addByte(byte, start, end));
  }

  /** Decodes `\u0041` (`around` is 0) or `\u{41}` (`around` is 1, because one brace is on each side of the digits). */
  #decodeUnicode(digits: number, around: 0 | 1): void {
    const from = this.#bytes.length - around - digits;
    const at = from - around - 1;
    if (this.#bytes[at] !== LETTER_U || !this.#escaped[at]) return;
    const point = this.#number(from, from + digits);
    if (point === undefined || point > 0x10ffff) return;
    this.#replace(at, (start, end) => this.#addUnit(point, start, end));
  }

  #decodeBraces(): void {
    const digits = this.#bytes.slice(-8, -1).reverse().indexOf(OPENING);
    if (digits > 0) this.#decodeUnicode(digits, 1);
  }

  /** Joins the second half of a surrogate pair with the first half. */
  #addUnit(unit: number, start: number, end: number): void {
    const at = this.#bytes.length - 3;
    const [first = 0, second = 0, third = 0] = at < 0 ? [] : this.#bytes.slice(at);
    const joins = unit >= 0xdc00 && unit <= 0xdfff && first === 0xed && second >= 0xa0 && second < 0xb0;
    const high = ((second & 0x0f) << 6) | (third & 0x3f);
    if (joins) this.#replace(at, (from) => this.addPoint(0x10000 + (high << 10) + (unit & 0x3ff), from, end));
    else this.addPoint(unit, start, end);
  }

  /** Removes the bytes from index `at`, and calls `add` with their place in the original text. */
  #replace(at: number, add: (start: number, end: number) => void): void {
    const start = this.starts[at] ?? 0;
    const end = this.ends.at(-1) ?? 0;
    for (const column of [this.#bytes, this.#escaped, this.starts, this.ends]) column.length = at;
    add(start, end);
  }

  #number(from: number, to: number): number | undefined {
    let number = 0;
    for (let at = from; at < to; at += 1) {
      const value = digit(this.#bytes[at]);
      if (value < 0) return undefined;
      number = number * 16 + value;
    }
    return number;
  }
}

/** Returns the value of a hexadecimal digit, or -1. */
function digit(byte = 0): number {
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30;
  const letter = byte | 0x20;
  return letter >= 0x61 && letter <= 0x66 ? letter - 0x57 : -1;
}
