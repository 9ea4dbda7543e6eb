/** Characters of a cell, by the limits of Excel. */
export const LARGEST_CELL = 32_767;

// What XML cannot hold (control characters, U+FFFE, U+FFFF, half of a surrogate pair), or would not give back (CR, of which
// every reader of XML makes LF), and an underscore that would begin an escape, also before one that follows.
const SPECIAL = /[&<>\ufffe\uffff\p{Cs}]|(?![\t\n])\p{Cc}|_(?=x[0-9A-Fa-f]{4})/gu;
const EDGE = /^\s|\s$|[\t\n]/;

/**
 * Text as XML holds it in a cell. What XML cannot hold is written as `_x001B_`, and text that looks like that with its
 * underscore escaped (ECMA-376 part 1, 22.9.2.19 "ST_Xstring"): readers give back what was put in.
 */
export function escapeXml(text: string): string {
  return text.replace(SPECIAL, (character) => {
    if (character === '&') return '&amp;';
    if (character === '<') return '&lt;';
    if (character === '>') return '&gt;';
    return `_x${character.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}_`;
  });
}

/** Text as the value of an attribute. */
export function escapeAttribute(text: string): string {
  return escapeXml(text).replaceAll('"', '&quot;').replaceAll('\t', '&#9;').replaceAll('\n', '&#10;');
}

const PLAIN = /^(?:-[0-9]+(?:\.[0-9]+)?|[A-Za-z0-9](?:[A-Za-z0-9.:/ -]|_(?!x))*)$/;

/** Whether a text, as most of them, needs neither a guard nor an escape. */
export function isPlain(text: string): boolean {
  return PLAIN.test(text) && !text.endsWith(' ');
}

/** Text as the `is` element of a cell (ECMA-376 part 1, 18.3.1.53): in the cell itself, so that no table of texts has to be kept. */
export function inlineText(text: string): string {
  // Without it, readers may take spaces and line breaks for layout.
  const space = EDGE.test(text) ? ' xml:space="preserve"' : '';
  return `<is><t${space}>${escapeXml(text)}</t></is>`;
}

// A whole number of digits, leading zeros and zeros behind the last place aside, as Excel keeps of a number.
const EXCEL_DIGITS = 15;
const STRICT_DECIMAL = /^-?[0-9]+(\.[0-9]+)?$/;

/** Whether the decimal that a text writes is, as a number in Excel, still the same decimal: fifteen digits at most. */
export function fitsExcel(text: string): boolean {
  if (!STRICT_DECIMAL.test(text)) return false;
  const digits = text.replace(/[-.]/g, '').replace(/^0+/, '');
  return (text.includes('.') ? digits.replace(/0+$/, '') : digits).length <= EXCEL_DIGITS;
}
