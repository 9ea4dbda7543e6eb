import { usageError } from './errors.ts';

/**
 * A secret as the value of a header. A line break that was copied along would be refused deep inside the HTTP
 * library, with the secret in its message; nothing of it is shown here.
 *
 * @param what names it, as in `The access token`
 * @throws usage error `BAD_CREDENTIALS`
 */
export function headerValue(secret: string, what: string): string {
  if (/^[\x21-\x7e]+$/.test(secret)) return secret;
  throw usageError(
    `${what} is empty, or has characters that cannot be sent: spaces, line breaks or others outside ASCII`,
    'Copy it again, without what stands around it.',
    'BAD_CREDENTIALS',
  );
}
