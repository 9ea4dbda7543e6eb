import { isRecord, type JsonRecord } from '../core/json.ts';

// The specification does not define how the service compares texts. These functions return false only if two texts differ under
// every reading of the specification.

/** Removes differences in case and surrounding spaces from a text. Returns other values unchanged. */
export function normalized(value: unknown): unknown {
  return typeof value === 'string' ? value.trim().toLowerCase() : value;
}

/** Whether one of the texts equals a wanted value; undefined if a text is missing. */
export function isOneOf(texts: readonly unknown[], wanted: readonly string[]): boolean | undefined {
  const words = wanted.map(normalized);
  if (texts.some((text) => words.includes(normalized(text)))) return true;
  return texts.every((text) => typeof text === 'string') ? false : undefined;
}

/**
 * Whether one of the texts matches a search; undefined if a text is missing. The service may ignore case, accents and
 * punctuation in the search, and may look for each word separately.
 */
export function contains(texts: readonly unknown[], search: string): boolean | undefined {
  const words = search
    .split(/\s+/)
    .map(letters)
    .filter((word) => word !== '');
  const found = texts.some((text) => {
    if (typeof text !== 'string') return false;
    const all = letters(text);
    return words.length === 0 || words.some((word) => all.includes(word));
  });
  return found || (texts.every((text) => typeof text === 'string') ? false : undefined);
}

function letters(text: string): string {
  return text
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]/gu, '');
}

/** Whether two ids are equal. Ids of tokens and contracts may be hexadecimal, with any case and any number of leading zeros. */
export function isSameId(left: unknown, right: string): boolean {
  return numeral(left) === numeral(right);
}

function numeral(value: unknown): unknown {
  const text = normalized(value);
  if (typeof text !== 'string') return text;
  return /^(\d+|0x[\da-f]+)$/.test(text) ? BigInt(text) : text;
}

/** Whether a text anywhere in a record passes a test. */
export function hasText(value: unknown, test: (text: string) => boolean): boolean {
  if (typeof value === 'string') return test(value);
  if (Array.isArray(value)) return value.some((item) => hasText(item, test));
  return isRecord(value) && Object.values(value as JsonRecord).some((item) => hasText(item, test));
}
