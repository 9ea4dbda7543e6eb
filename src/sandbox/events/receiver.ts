// Checks addresses of receivers. The user who starts the sandbox may name any http or https address, since the user's own machine
// sends the sample data. Web pages may not: control endpoints reject cross-site requests.

import { createHmac } from 'node:crypto';
import { isLoopbackHost } from '../origin.ts';

export type Receiver = { readonly url: string } | { readonly complaint: string };

export function readReceiver(given: unknown, sandboxOrigin: string): Receiver {
  if (typeof given !== 'string' || !URL.canParse(given)) {
    return { complaint: 'the address of a receiver must be an http or https URL' };
  }
  const url = new URL(given);
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    return { complaint: 'the address of a receiver must be an http or https URL' };
  }
  if (url.username !== '' || url.password !== '') {
    return { complaint: 'the address of a receiver must not contain a user name or password' };
  }
  // The sandbox would send events to itself, in an endless loop at /_sandbox/events.
  if (isLoopbackHost(url.host) && url.port === new URL(sandboxOrigin).port) {
    return { complaint: 'the sandbox cannot receive its own events' };
  }
  url.hash = '';
  return { url: url.href };
}

/**
 * How deliveries are signed: HMAC-SHA-256 over the bytes of the body. Signatures of the service are
 * not specified, so deliveries are signed only if this is set.
 */
export interface Signature {
  /** Name of the header. */
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

/** Returns an error message if the signature is invalid. */
export function signatureComplaint({ header, secret, encoding }: Signature): string | undefined {
  if (!/^[\w!#$%&'*+.^`|~-]+$/.test(header) || RESERVED_HEADERS.includes(header.toLowerCase())) {
    return 'signature.header must be the name of a header that is not used otherwise';
  }
  if (typeof secret !== 'string' || secret === '') return 'signature.secret must not be empty';
  return encoding === 'hex' || encoding === 'base64' ? undefined : 'signature.encoding must be hex or base64';
}

export function sign({ header, secret, encoding }: Signature, body: Buffer): Record<string, string> {
  return { [header]: createHmac('sha256', secret).update(body).digest(encoding) };
}
