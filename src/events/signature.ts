import { createHmac, timingSafeEqual } from 'node:crypto';

export const ENCODINGS = ['hex', 'base64'] as const;
export type SignatureEncoding = (typeof ENCODINGS)[number];

/**
 * How deliveries are signed. A header contains the HMAC-SHA-256 of the body. The specification ("Events") does not describe
 * signatures, so the user configures the header, the secret and the encoding.
 */
export interface Signature {
  readonly secret: string;
  /** Name of the header. Case does not matter. */
  readonly header: string;
  readonly encoding: SignatureEncoding;
}

const FORMS: Readonly<Record<SignatureEncoding, RegExp>> = {
  hex: /^[0-9a-f]{64}$/i,
  base64: /^[A-Za-z0-9+/_-]{43}=?$/,
};

/** Whether `value` is the signature of the body. The comparison takes constant time. */
export function isSigned(body: Uint8Array, value: string, { secret, encoding }: Signature): boolean {
  if (!FORMS[encoding].test(value)) return false;
  const given = Buffer.from(value, encoding);
  const expected = createHmac('sha256', secret).update(body).digest();
  return given.length === expected.length && timingSafeEqual(given, expected);
}

/** Returns the signature header for a delivery with this body. */
export function signed(
  body: Uint8Array,
  { secret, header, encoding }: Signature,
): Readonly<Record<string, string>> {
  return { [header.toLowerCase()]: createHmac('sha256', secret).update(body).digest(encoding) };
}
