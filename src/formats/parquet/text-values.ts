import { cellText } from '../text.ts';
import { Bytes } from './bytes.ts';
import type { EncodedValues } from './column.ts';
import { type ByteWriter, writeRuns } from './format.ts';
import { appendText } from './text.ts';

/** Maximum size of a dictionary in bytes. */
const LARGEST_DICTIONARY = 1024 * 1024;
/** Number of distinct values at which the writer first checks whether the dictionary saves space. */
const FIRST_LOOK = 256;
/**
 * A dictionary is worthwhile if each distinct value occurs at least this many times on average. If values repeat less often,
 * snappy alone compresses well enough.
 */
const WORTH = 3;

/** Text as UTF-8. Uses a dictionary while values repeat often enough (parquet-format, Encodings.md, "Dictionary Encoding"). */
export class TextValues implements EncodedValues {
  readonly type = { type: 'BYTE_ARRAY', converted_type: 'UTF8', logical_type: { type: 'STRING' } } as const;
  readonly #entries = new Map<string, number>();
  /** For each entry, the position in `#distinct` at which its text ends. */
  #ends: number[] = [];
  readonly #distinct = new Bytes();
  #numbers = new Uint32Array(1024);
  #values = 0;
  #nextLook = FIRST_LOOK;
  /** The previous value. In many columns, consecutive rows have the same value. */
  #last: string | undefined;
  #lastNumber = 0;
  /** The encoded values; unused until the dictionary is dropped. */
  readonly #plain = new Bytes();
  #isPlain = false;
  readonly #isJson: boolean;

  /** @param isJson see {@link appendText} */
  constructor(isJson = false) {
    this.#isJson = isJson;
  }

  get size(): number {
    return this.#isPlain ? this.#plain.length : this.#distinct.length + 4 * this.#values;
  }

  put(value: unknown): void {
    const text = typeof value === 'string' ? value : cellText(value);
    if (this.#isPlain) {
      appendText(this.#plain, text, this.#isJson);
      return;
    }
    if (text !== this.#last) {
      this.#lastNumber = this.#numberOf(text);
      this.#last = text;
    }
    if (this.#values === this.#numbers.length) {
      const larger = new Uint32Array(this.#numbers.length * 2);
      larger.set(this.#numbers);
      this.#numbers = larger;
    }
    this.#numbers[this.#values] = this.#lastNumber;
    this.#values += 1;
    if (this.#ends.length >= this.#nextLook || this.#distinct.length > LARGEST_DICTIONARY) this.#look();
  }

  #numberOf(text: string): number {
    const known = this.#entries.get(text);
    if (known !== undefined) return known;
    const number = this.#ends.length;
    this.#entries.set(text, number);
    appendText(this.#distinct, text, this.#isJson);
    this.#ends.push(this.#distinct.length);
    return number;
  }

  /** Drops the dictionary if it does not save space. */
  #look(): void {
    this.#nextLook *= 2;
    if (this.#ends.length * WORTH <= this.#values && this.#distinct.length <= LARGEST_DICTIONARY) return;
    for (const number of this.#numbers.subarray(0, this.#values)) {
      const start = number === 0 ? 0 : this.#ends[number - 1];
      this.#plain.append(this.#distinct.buffer.subarray(start, this.#ends[number]));
    }
    this.#forgetDictionary();
    this.#isPlain = true;
  }

  dictionary(): { readonly bytes: Uint8Array; readonly count: number } | undefined {
    if (this.#isPlain || this.#values === 0) return undefined;
    return { bytes: this.#distinct.view(), count: this.#ends.length };
  }

  write(body: ByteWriter): void {
    if (this.#isPlain) {
      body.appendBytes(this.#plain.view());
    } else if (this.#values > 0) {
      const width = Math.ceil(Math.log2(this.#ends.length));
      body.appendUint8(width);
      writeRuns(body, this.#numbers.subarray(0, this.#values), width);
    }
  }

  clear(): void {
    this.#plain.length = 0;
    this.#isPlain = false;
    this.#forgetDictionary();
  }

  #forgetDictionary(): void {
    this.#entries.clear();
    this.#ends = [];
    this.#distinct.length = 0;
    this.#values = 0;
    this.#nextLook = FIRST_LOOK;
    this.#last = undefined;
  }
}
