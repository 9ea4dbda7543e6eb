// The sandbox accepts connections only from this machine. However, a web page in a local browser can also reach the sandbox.
// The page can use a host name that resolves to a loopback address, or send a cross-site request. The sandbox recognizes
// such requests by the headers `host`, `origin`, `referer` and `sec-fetch-site`.

import type { IncomingMessage } from 'node:http';

const LOOPBACK = new Set(['127.0.0.1', 'localhost', '[::1]']);

export function isLoopbackHost(host: string | undefined): boolean {
  if (host === undefined || !URL.canParse(`http://${host}`)) return false;
  const url = new URL(`http://${host}`);
  return LOOPBACK.has(url.hostname) && url.pathname === '/' && url.username === '';
}

/** Whether the headers show that the request was sent by a page from another site. */
export function isCrossSite({ headers }: IncomingMessage): boolean {
  const own = `http://${headers.host}`;
  const foreign = (value: string | undefined) =>
    value !== undefined && (!URL.canParse(value) || new URL(value).origin !== own);
  const fetchSite = headers['sec-fetch-site'];
  return (
    foreign(headers.origin) ||
    foreign(headers.referer) ||
    fetchSite === 'cross-site' ||
    fetchSite === 'same-site'
  );
}
