// The sandbox answers this machine only. Web pages can also reach loopback, by a host name that resolves to it or by a
// cross-site request. The Host and Origin headers show both.

import type { IncomingMessage } from 'node:http';

const LOOPBACK = new Set(['127.0.0.1', 'localhost', '[::1]']);

export function isLoopbackHost(host: string | undefined): boolean {
  if (host === undefined || !URL.canParse(`http://${host}`)) return false;
  const url = new URL(`http://${host}`);
  return LOOPBACK.has(url.hostname) && url.pathname === '/' && url.username === '';
}

/** Whether the headers show that a page of another site sent the request. */
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
