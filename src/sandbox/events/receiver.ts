// Checks receiver addresses. The user who starts the sandbox may register any http or https address, because deliveries contain
// sample data and come from the user's own machine. Web pages cannot register addresses, because control endpoints
// reject cross-site requests.

import { createHmac } from 'node:crypto';
import { type Saved, shape } from '../core/readers.ts';
import { isLoopbackHost } from '../http/origin.ts';

/**
 * Returns the normalized address of a receiver.
 *
 * @throws RangeError if the address is invalid, or belongs to the sandbox
 */
export function readReceiver(given: string, origins: readonly string[]): string {
  const url = URL.canParse(given) ? new URL(given) : undefined;
  if (url?.protocol !== 'http:' && url?.protocol !== 'https:') {
    throw new RangeError('a receiver must be an http or https URL');
  }
  if (url.username !== '' || url.password !== '') {
    throw new RangeError('a receiver URL must not contain a user name or password');
  }
  // Reject the sandbox's own addresses. A delivery to /_sandbox/events would trigger another event, in an endless loop.
  if (isLoopbackHost(url.host) && origins.some((origin) => new URL(origin).port === url.port)) {
    throw new RangeError('the sandbox cannot receive its own events');
  }
  url.hash = '';
  return url.href;
}

/**
 * Settings for signing deliveries. A signature is the HMAC-SHA-256 of the body. The specification does not define the service's
 * signatures, so deliveries are signed only if these settings are specified.
 */
export const readSignature = shape.object({
  /** Name of the header that contains the signature. */
  header: shape.of(isFreeHeader, 'a header name that deliveries do not already use'),
  secret: shape.of(
    (value): value is string => typeof value === 'string' && value !== '',
    'a string that is not empty',
  ),
  encoding: shape.oneOf('hex', 'base64'),
});
export type DeliverySignature = Saved<typeof readSignature>;

const RESERVED_HEADERS = 'content-type content-length host connection transfer-encoding expect'.split(' ');

function isFreeHeader(header: unknown): header is string {
  return (
    typeof header === 'string' &&
    /^[\w!#$%&'*+.^`|~-]+$/.test(header) &&
    !RESERVED_HEADERS.includes(header.toLowerCase())
  );
}

export function sign({ header, secret, encoding }: DeliverySignature, body: Buffer): Record<string, string> {
  return { [header]: createHmac('sha256', secret).update(body).digest(encoding) };
}
