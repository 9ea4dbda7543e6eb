import stringWidth from 'string-width';

/** Width of a text on a terminal, in columns. */
export function widthOf(text: string): number {
  // stringWidth takes 10 ms to compile its patterns, and most cells of a table are plain text.
  return PLAIN.test(text) ? text.length : stringWidth(text);
}

/** Text with one column per character. */
const PLAIN = /^[ -~─…]*$/;
