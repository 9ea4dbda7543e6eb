// Checks receiver addresses. The user who starts the sandbox may register any http or https address, because deliveries contain
// sample data and come from the user's own machine. Web pages cannot register addresses, because control endpoints
// reject cross-site requests.

import { createHmac } from 'node:crypto';
import { isLoopbackHost } from '../http/origin.ts';

export type Receiver = { readonly url: string } | { readonly complaint: string };

export function readReceiver(given: unknown, sandboxOrigin: string): Receiver {
  if (typeof given !== 'string' || !URL.canParse(given)) {
    return { complaint: 'a receiver must be an http or https URL' };
  }
  const url = new URL(given);
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    return { complaint: 'a receiver must be an http or https URL' };
  }
  if (url.username !== '' || url.password !== '') {
    return { complaint: 'a receiver URL must not contain a user name or password' };
  }
  // Reject the sandbox's own address. A delivery to /_sandbox/events would trigger another event, in an endless loop.
  if (isLoopbackHost(url.host) && url.port === new URL(sandboxOrigin).port) {
    return { complaint: 'the sandbox cannot receive its own events' };
  }
  url.hash = '';
  return { url: url.href };
}

/**
 * Settings for signing deliveries. A signature is the HMAC-SHA-256 of the body. The specification does not define the service's
 * signatures, so deliveries are signed only if these settings are specified.
 */
export interface Signature {
  /** Name of the header that contains the signature. */
  readonly header: string;
  readonly secret: string;
  readonly encoding: 'hex' | 'base64';
}

const RESERVED_HEADERS = [
  'content-type',
  'content-length',
  'host',
  'connection',
  'transfer-encoding',
  'expect',
];

/** Returns an error message if a setting is invalid. */
export function signatureComplaint({ header, secret, encoding }: Signature): string | undefined {
  if (!/^[\w!#$%&'*+.^`|~-]+$/.test(header) || RESERVED_HEADERS.includes(header.toLowerCase())) {
    return 'signature.header must be a header name that deliveries do not already use';
  }
  if (typeof secret !== 'string' || secret === '') return 'signature.secret must not be empty';
  return encoding === 'hex' || encoding === 'base64' ? undefined : 'signature.encoding must be hex or base64';
}

export function sign({ header, secret, encoding }: Signature, body: Buffer): Record<string, string> {
  return { [header]: createHmac('sha256', secret).update(body).digest(encoding) };
}
