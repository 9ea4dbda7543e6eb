import { exact } from '../../core/decimal.ts';

/** Decimal places. The service sends at most 18 decimal places ("Ledger"). */
export const SCALE = 18;
/** Digits. Any 38 digits fit in 16 bytes. */
export const PRECISION = 38;
/** Bytes of one value: the minimum for 38 digits and a sign. */
export const WIDTH = 16;

const WHOLE_DIGITS = PRECISION - SCALE;
const PLAIN = /^(-?)0*([0-9]{1,20})(?:\.([0-9]{1,18})0*)?$/;

/**
 * Writes a decimal as DECIMAL(38, 18). The stored integer is the value times 10^18, in big-endian two's complement
 * (parquet-format, LogicalTypes.md, "DECIMAL").
 *
 * @returns false if the text is not a decimal or has too many digits; in this case, `target` is not changed
 */
export function writeDecimal(text: string, target: Buffer, at: number): boolean {
  const value = unscaled(text);
  if (value === undefined) return false;
  target.writeBigInt64BE(BigInt.asIntN(64, value >> 64n), at);
  target.writeBigUInt64BE(BigInt.asUintN(64, value), at + 8);
  return true;
}

/** The value times 10^18; undefined if the product is not a whole number of at most 38 digits. */
function unscaled(text: string): bigint | undefined {
  const [, sign, whole, places = ''] = PLAIN.exec(text) ?? [];
  if (whole !== undefined) return BigInt(`${sign}${whole}${places.padEnd(SCALE, '0')}`);
  // Handle decimals in other notations, such as 1e-18, .5 and +3.
  const value = exact(text);
  if (value === null || value.decimalPlaces() > SCALE || value.e >= WHOLE_DIGITS) return undefined;
  return BigInt(value.times(`1e${SCALE}`).toFixed());
}

/**
 * Reads a decimal that {@link writeDecimal} wrote. Returns the shortest form without an exponent.
 *
 * @param bytes the 16 bytes of a DECIMAL(38, 18)
 */
export function readDecimal(bytes: Uint8Array): string {
  const view = new DataView(bytes.buffer, bytes.byteOffset, WIDTH);
  const value = (view.getBigInt64(0) << 64n) | view.getBigUint64(8);
  const digits = String(value < 0n ? -value : value).padStart(SCALE + 1, '0');
  const whole = digits.slice(0, -SCALE);
  const places = digits.slice(-SCALE).replace(/0+$/, '');
  return `${value < 0n ? '-' : ''}${whole}${places === '' ? '' : `.${places}`}`;
}

/** Whether the string is the same after {@link writeDecimal} and {@link readDecimal}. */
export function isShortest(text: string): boolean {
  return SHORTEST.test(text) && text !== '-0';
}

const SHORTEST = /^-?(?:0|[1-9][0-9]{0,19})(?:\.[0-9]{0,17}[1-9])?$/;

/** Whether a string is a decimal that DECIMAL(38, 18) can store. */
export function fitsDecimal(text: string): boolean {
  return unscaled(text) !== undefined;
}
