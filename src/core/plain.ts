// Decimals as text. Most commands do not load decimal.ts, which does arithmetic.

const DECIMAL = /^[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?$/;

/** Whether the text is a decimal that the service's filters accept: `0`, `-1.5`, `1E3`, `-1e-18`. */
export function isDecimal(text: string): boolean {
  return DECIMAL.test(text);
}

/**
 * The shortest text that parses to the same number, without an exponent: `0.0000001` for `1e-7`.
 * Used wherever a number becomes a cell.
 */
export function plainNumber(value: number): string {
  const short = String(value);
  return short.includes('e') ? plainDigits(short) : short;
}

const WITH_EXPONENT = /^(-?)(\d+)(?:\.(\d+))?[eE]([+-]?\d+)$/;

/**
 * The text of a JSON number without an exponent, with every digit. A number that would become thousands of
 * digits long is left unchanged: `1e999999999` would become a gigabyte.
 */
export function plainDigits(text: string): string {
  const [, sign = '', whole = '', fraction = '', exponent] = WITH_EXPONENT.exec(text) ?? [];
  if (exponent === undefined || Math.abs(Number(exponent)) > 1000) return text;
  const point = whole.length + Number(exponent);
  const digits = (whole + fraction).padEnd(point, '0');
  const [before, after] =
    point > 0 ? [digits.slice(0, point), digits.slice(point)] : ['0', '0'.repeat(-point) + digits];
  const places = after.replace(/0+$/, '');
  // Zero has no sign.
  return `${/[1-9]/.test(digits) ? sign : ''}${before.replace(/^0+(?=\d)/, '')}${places && '.'}${places}`;
}
