import stringWidth from 'string-width';

export function columnsOfText(text: string): number {
  // Avoid stringWidth for plain text, because its patterns take 10 ms to compile.
  return PLAIN.test(text) ? text.length : stringWidth(text);
}

/** Matches text in which each character takes one column. */
const PLAIN = /^[ -~─…]*$/;
