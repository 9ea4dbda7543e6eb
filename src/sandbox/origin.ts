// The sandbox answers this machine only. A page in a browser can reach loopback too, by a name of its own that is
// made to resolve to it, or by a plain cross-site request: Host and Origin tell the two apart.

import type { IncomingMessage } from 'node:http';

const LOOPBACK = new Set(['127.0.0.1', 'localhost', '[::1]']);

export function isLoopbackHost(host: string | undefined): boolean {
  if (host === undefined || !URL.canParse(`http://${host}`)) return false;
  const url = new URL(`http://${host}`);
  return LOOPBACK.has(url.hostname) && url.pathname === '/' && url.username === '';
}

/** Sent by a page of another site, as far as its headers tell. */
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
