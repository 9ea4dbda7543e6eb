// Where deliveries may go. The person who starts the sandbox names any http or https address: it is their machine that
// posts, with made-up data. No page can: control endpoints refuse what comes from another site.

import { createHmac } from 'node:crypto';
import { isLoopbackHost } from '../origin.ts';

export type Receiver = { readonly url: string } | { readonly complaint: string };

export function readReceiver(given: unknown, sandboxOrigin: string): Receiver {
  if (typeof given !== 'string' || !URL.canParse(given)) {
    return { complaint: 'a receiver is an http or https address' };
  }
  const url = new URL(given);
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    return { complaint: 'a receiver is an http or https address' };
  }
  if (url.username !== '' || url.password !== '') {
    return { complaint: 'a receiver has no user name and no password in its address' };
  }
  // It would send events to itself, and at /_sandbox/events without end.
  if (isLoopbackHost(url.host) && url.port === new URL(sandboxOrigin).port) {
    return { complaint: 'the sandbox is no receiver of its own events' };
  }
  url.hash = '';
  return { url: url.href };
}

/**
 * How deliveries are signed: HMAC-SHA-256 over the bytes of the body. The spec does not show how the service signs, so
 * that this is the user's own setting, and there is none without it.
 */
export interface Signature {
  /** The name of the header that carries it. */
  readonly header: string;
  readonly secret: string;
  readonly encoding: 'hex' | 'base64';
}

const NOT_FOR_IT = ['content-type', 'content-length', 'host', 'connection', 'transfer-encoding', 'expect'];

/** What is wrong with it, if anything. */
export function signatureComplaint({ header, secret, encoding }: Signature): string | undefined {
  if (!/^[\w!#$%&'*+.^`|~-]+$/.test(header) || NOT_FOR_IT.includes(header.toLowerCase())) {
    return 'signature.header must be the name of a header of its own';
  }
  if (typeof secret !== 'string' || secret === '') return 'signature.secret must not be empty';
  return encoding === 'hex' || encoding === 'base64' ? undefined : 'signature.encoding must be hex or base64';
}

export function sign({ header, secret, encoding }: Signature, body: Buffer): Record<string, string> {
  return { [header]: createHmac('sha256', secret).update(body).digest(encoding) };
}
