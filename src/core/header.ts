import { usageError } from './errors.ts';

/**
 * Checks that a secret is a valid header value. Without this check, the HTTP library would reject an invalid secret with an
 * error that quotes the secret.
 *
 * @param what name of the secret for the error message, such as `The access token`
 * @throws usage error `BAD_CREDENTIALS`
 */
export function headerValue(secret: string, what: string): string {
  if (isHeaderValue(secret)) return secret;
  throw usageError(
    `${what} is empty, or contains spaces, line breaks or characters outside ASCII`,
    'Copy the value again, without surrounding text.',
    'BAD_CREDENTIALS',
  );
}

/** Whether a header can contain this secret. */
export function isHeaderValue(secret: string): boolean {
  return /^[\x21-\x7e]+$/.test(secret);
}

/**
 * Checks that a client secret is a valid header value. Unlike a token, it may contain spaces (RFC 6749, appendix A.2), but a
 * header value neither begins nor ends with one.
 *
 * @throws usage error `BAD_CREDENTIALS`
 */
export function clientSecretValue(secret: string): string {
  if (/^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/.test(secret)) return secret;
  throw usageError(
    'The client secret is empty, begins or ends with a space, or contains line breaks or characters outside ASCII',
    'Copy the value again, without surrounding text.',
    'BAD_CREDENTIALS',
  );
}
