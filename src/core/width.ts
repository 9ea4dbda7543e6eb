import stringWidth from 'string-width';

/** Width of a text on a terminal, in columns. */
export function widthOf(text: string): number {
  // The patterns of stringWidth take 10 ms to compile, and plain text is most of a table.
  return PLAIN.test(text) ? text.length : stringWidth(text);
}

/** One column for each character. */
const PLAIN = /^[ -~─…]*$/;
