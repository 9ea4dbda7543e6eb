import type { TextSpan } from './secret-names.ts';

/**
 * A message may be shortened in the middle of a secret. If at least this many characters of the secret remain, these characters
 * are masked.
 */
const SHOWN = 6;

/**
 * A string to search for, with the algorithm of Knuth, Morris and Pratt. The time grows linearly with the lengths of the string
 * and of the text, whatever their characters.
 */
export class Pattern {
  readonly #pattern: string;
  /** For each prefix of the pattern, by its length: the length of the longest proper border of this prefix. */
  readonly #borders: Uint32Array;

  constructor(pattern: string) {
    this.#pattern = pattern;
    this.#borders = bordersOf(pattern);
  }

  /** Returns all matches of the pattern, including matches that overlap. */
  in(text: string): TextSpan[] {
    const { length } = this.#pattern;
    const found: TextSpan[] = [];
    if (length <= text.length) {
      this.#scan(text, (end, matched) => {
        if (matched === length) found.push({ start: end - length, end });
      });
    }
    return found;
  }

  /** Finds shortened occurrences: prefixes of the pattern that end directly before a `…`. */
  cutIn(text: string): TextSpan[] {
    const found: TextSpan[] = [];
    this.#scan(text, (end, matched) => {
      if (matched >= SHOWN && text[end] === '…') found.push({ start: end - matched, end });
    });
    return found;
  }

  /**
   * Calls `seen` for each index at which a prefix of the pattern ends, with the length of the longest prefix that ends there.
   */
  #scan(text: string, seen: (end: number, matched: number) => void): void {
    const pattern = this.#pattern;
    const borders = this.#borders;
    if (pattern === '') return;
    const first = pattern.charAt(0);
    let matched = 0;
    for (let at = text.indexOf(first); at >= 0 && at < text.length; at += 1) {
      const unit = text.charCodeAt(at);
      while (matched > 0 && pattern.charCodeAt(matched) !== unit) matched = borders[matched] ?? 0;
      if (pattern.charCodeAt(matched) === unit) {
        matched += 1;
        seen(at + 1, matched);
      } else {
        at = text.indexOf(first, at + 1) - 1;
        if (at < 0) return;
      }
    }
  }
}

function bordersOf(pattern: string): Uint32Array {
  const borders = new Uint32Array(pattern.length + 1);
  let length = 0;
  for (let at = 1; at < pattern.length; at += 1) {
    while (length > 0 && pattern.charCodeAt(length) !== pattern.charCodeAt(at)) length = borders[length] ?? 0;
    if (pattern.charCodeAt(length) === pattern.charCodeAt(at)) length += 1;
    borders[at + 1] = length;
  }
  return borders;
}
