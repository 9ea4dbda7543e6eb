import { setMaxListeners } from 'node:events';
import { usageError } from '../core/errors.ts';
import { isRecord, stringifyJson } from '../core/json.ts';
import { encodePath, encodeQuery, type Query } from './address.ts';
import { multipart } from './multipart.ts';
import type { FormPart, Outgoing, ServiceRequest } from './request.ts';

/** A checked request. Credentials may change between attempts, so they are added for each attempt. */
export type RequestPlan = Pick<Outgoing, 'method' | 'origin' | 'body' | 'signal'> & {
  readonly request: ServiceRequest;
  readonly pathname: string;
  readonly query: Query;
  readonly idempotent: boolean;
  /** Headers from the options of the call, by lower-case name. */
  readonly more: Readonly<Record<string, string>>;
  /** Headers that describe the body. */
  readonly about: Readonly<Record<string, string>>;
};

/**
 * Checks the whole request before credentials are read or anything is sent.
 *
 * @param address base URL without a trailing slash
 * @throws usage error
 */
export function planRequest(
  request: ServiceRequest,
  address: string,
  whole: AbortSignal | undefined,
): RequestPlan {
  const { method, body, form, query = {} } = request;
  const { origin, pathname } = new URL(`${address}${encodePath(request.path)}`);
  encodeQuery(query);
  const more = checkHeaders(request.headers);
  const signals = [whole, request.signal].filter((signal) => signal !== undefined);
  // Parallel requests share one signal. By default, Node warns about a leak after ten listeners.
  for (const signal of signals) setMaxListeners(0, signal);
  return {
    request,
    method,
    origin,
    pathname,
    query,
    more,
    idempotent: request.idempotent ?? (method === 'GET' || method === 'HEAD'),
    ...outgoing(body, form),
    signal: signals.length > 1 ? AbortSignal.any(signals) : signals[0],
  };
}

/** Headers that a call must not set: credentials, the server, the connection, and the form of the body. */
const OWN_HEADERS = new Set([
  ...['authorization', 'x-api-key', 'x-client-id', 'x-client-secret'],
  ...[
    'host',
    'connection',
    'keep-alive',
    'upgrade',
    'expect',
    'transfer-encoding',
    'content-length',
    'content-type',
    'content-encoding',
  ],
]);

/** @throws usage error `BAD_HEADER`, which does not quote the value, because the value may be a secret */
function checkHeaders(headers: ServiceRequest['headers'] = {}): Record<string, string> {
  const checked: Record<string, string> = {};
  const isPlain = isRecord(headers) && [null, Object.prototype].includes(Object.getPrototypeOf(headers));
  if (!isPlain)
    throw usageError('"headers" is not an object with names and values', HEADER_FORM, 'BAD_HEADER');
  for (const [given, value] of Object.entries(headers)) {
    if (value === undefined) continue;
    const name = given.toLowerCase();
    if (!/^[\w!#$%&'*+.^`|~-]+$/.test(name) || typeof value !== 'string' || !/^[\x20-\x7e]*$/.test(value)) {
      throw usageError(`The header ${JSON.stringify(given)} cannot be sent`, HEADER_FORM, 'BAD_HEADER');
    }
    if (OWN_HEADERS.has(name)) {
      throw usageError(`A call cannot set the header ${JSON.stringify(given)}`, undefined, 'BAD_HEADER');
    }
    checked[name] = value;
  }
  return checked;
}

const HEADER_FORM =
  'A name consists of letters, digits and hyphens, and a value of visible ASCII characters.';

function outgoing(body: unknown, form: readonly FormPart[] | undefined): Pick<RequestPlan, 'body' | 'about'> {
  if (form) {
    const { contentType, length, body } = multipart(form);
    return { body, about: { 'content-type': contentType, 'content-length': String(length) } };
  }
  if (body === undefined) return { body: undefined, about: {} };
  return { body: stringifyJson(body), about: { 'content-type': 'application/json' } };
}
