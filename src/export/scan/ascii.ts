// Bytes that JSON and CSV are made of.

export const QUOTE = 0x22;
export const COMMA = 0x2c;
export const MINUS = 0x2d;
export const POINT = 0x2e;
export const ZERO = 0x30;
export const NINE = 0x39;
export const BACKSLASH = 0x5c;
export const BRACKET = 0x5d;
export const BRACE = 0x7b;
export const END_BRACE = 0x7d;
