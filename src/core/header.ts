import { usageError } from './errors.ts';

/**
 * Checks that a secret is a valid header value. Without this check, the HTTP library would reject an invalid secret with an
 * error that quotes the secret.
 *
 * @param what name of the secret for the error message, such as `The access token`
 * @param spaces whether the secret may contain spaces, as a client secret may (RFC 6749, appendix A.2). A header value neither
 * begins nor ends with a space.
 * @throws usage error `BAD_CREDENTIALS`
 */
export function headerValue(secret: string, what: string, { spaces = false } = {}): string {
  if (isHeaderValue(secret, { spaces })) return secret;
  const wrong = spaces ? 'begins or ends with a space, or contains' : 'or contains spaces,';
  throw usageError(
    `${what} is empty, ${wrong} line breaks or characters outside ASCII`,
    'Copy the value again, without surrounding text.',
    'BAD_CREDENTIALS',
  );
}

export function isHeaderValue(secret: string, { spaces = false } = {}): boolean {
  return /^[\x20-\x7e]+$/.test(secret) && !(spaces ? /^ | $/ : / /).test(secret);
}
