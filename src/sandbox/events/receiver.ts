// Where deliveries may go. The person who starts the sandbox names any http or https address: it is their machine that
// posts, with made-up data. No page can: control endpoints refuse what comes from another site.

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
