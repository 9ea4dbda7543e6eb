import { usageError } from './errors.ts';

/**
 * Checks that a header can carry the secret. The HTTP library would quote it in its error.
 *
 * @param what for the message, such as `The access token`
 * @throws usage error `BAD_CREDENTIALS`
 */
export function headerValue(secret: string, what: string): string {
  if (/^[\x21-\x7e]+$/.test(secret)) return secret;
  throw usageError(
    `${what} is empty, or contains spaces, line breaks or characters outside ASCII`,
    'Copy it again, without the text around it.',
    'BAD_CREDENTIALS',
  );
}
