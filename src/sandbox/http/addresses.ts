// The four addresses of the service. Each address has its own port, and serves only its own paths.

import type { IncomingMessage } from 'node:http';

export const ADDRESSES = ['auth_url', 'base_url', 'legacy_base_url', 'legacy_public_url'] as const;
export type AddressName = (typeof ADDRESSES)[number];
export type Origins = Readonly<Record<AddressName, string>>;

/** The beginning of the paths at each address. */
const PATHS: readonly (readonly [RegExp, AddressName])[] = [
  [/^\/oidc(\/|$)/, 'auth_url'],
  [/^\/v1(\/|$)/, 'base_url'],
  [/^\/(api|v0)(\/|$)/, 'legacy_base_url'],
  [/^\/integrations(\/|$)/, 'legacy_public_url'],
];

/** Returns the address that serves a path; undefined if no address serves the path. */
export function addressOf(path: string): AddressName | undefined {
  return PATHS.find(([pattern]) => pattern.test(path))?.[1];
}

/** Requests that were sent to the wrong address. The application answers these requests with 404. */
export const misdirected = new WeakSet<IncomingMessage>();

/** Remarks on a request that an application should not send, for the request log. */
export function remarksOn(req: IncomingMessage, path: string, at: AddressName, origins: Origins): string[] {
  const home = addressOf(path);
  const { 'x-client-id': id, 'x-client-secret': secret } = req.headers;
  return [
    ...(misdirected.has(req) && home !== undefined
      ? [`wrong address: ${path} is at ${home} (${origins[home]}), not at ${at}`]
      : []),
    ...(at === 'base_url' && home === at && (id !== undefined || secret !== undefined)
      ? ['not needed: X-Client-Id and X-Client-Secret are only for legacy_base_url']
      : []),
  ];
}
