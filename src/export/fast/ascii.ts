// Bytes with a special meaning in JSON or CSV.

export const SPACE = 0x20;
export const QUOTE = 0x22;
export const COMMA = 0x2c;
export const MINUS = 0x2d;
export const POINT = 0x2e;
export const ASCII_ZERO = 0x30;
export const NINE = 0x39;
export const BACKSLASH = 0x5c;
export const END_BRACKET = 0x5d;
export const LETTER_F = 0x66;
export const LETTER_N = 0x6e;
export const BRACE = 0x7b;
export const END_BRACE = 0x7d;

/** Whether the page contains the bytes at this position. */
export function hasBytes(page: Buffer, bytes: Uint8Array, at: number): boolean {
  for (let index = 0; index < bytes.length; index++) if (page[at + index] !== bytes[index]) return false;
  return true;
}

/** Builds a lookup table with one number for each of the 256 bytes. */
export function byteTable(numberOf: (byte: number) => number): Uint8Array {
  return Uint8Array.from({ length: 256 }, (_, byte) => numberOf(byte));
}
