import { setMaxListeners } from 'node:events';
import { FormData } from 'undici';
import { usageError } from '../base/errors.ts';
import { stringifyJson } from '../base/json.ts';
import { encodePath, encodeQuery, type Query } from './address.ts';
import type { Outgoing } from './exchange.ts';
import type { Credentials, FormPart, ServiceRequest } from './transport.ts';

/** A request that has been checked; it lacks only its credentials, which may be others at the next try. */
export type Plan = Pick<Outgoing, 'method' | 'origin' | 'body' | 'signal'> & {
  readonly request: ServiceRequest;
  readonly pathname: string;
  readonly query: Query;
  readonly idempotent: boolean;
};

/**
 * Finds everything that can be wrong with a request before a login is looked for or anything is sent.
 *
 * @param address without a slash at its end
 * @throws usage error
 */
export function planRequest(request: ServiceRequest, address: string, whole: AbortSignal | undefined): Plan {
  const { method, body, form, query = {} } = request;
  const { origin, pathname } = new URL(`${address}${encodePath(request.path)}`);
  encodeQuery(query);
  const signals = [whole, request.signal].filter((signal) => signal !== undefined);
  // One signal stands for many requests side by side: Node would warn of a leak after ten.
  for (const signal of signals) setMaxListeners(0, signal);
  return {
    request,
    method,
    origin,
    pathname,
    query,
    idempotent: request.idempotent ?? (method === 'GET' || method === 'HEAD'),
    body: form ? formData(form) : body === undefined ? undefined : stringifyJson(body),
    signal: signals.length > 1 ? AbortSignal.any(signals) : signals[0],
  };
}

/** The request as it goes out. Errors of the credentials pass through. */
export async function signRequest(
  plan: Plan,
  credentials: Credentials | undefined,
  userAgent: string,
): Promise<Outgoing> {
  const { method, origin, pathname, body, signal, request } = plan;
  const holder = request.auth ? credentials : undefined;
  const own = await holder?.headers(request.api);
  const query = joined(plan.query, (await holder?.query(request.api)) ?? {});
  const headers = {
    accept: 'application/json',
    'accept-encoding': 'gzip',
    'user-agent': userAgent,
    // The type of a form names its boundary, which undici makes.
    ...(typeof body === 'string' ? { 'content-type': 'application/json' } : {}),
    ...own,
  };
  return { method, origin, target: `${pathname}${encodeQuery(query)}`, headers, body, signal };
}

function formData(parts: readonly FormPart[]): FormData {
  const form = new FormData();
  for (const part of parts) form.append(part.name, 'file' in part ? part.file : part.value);
  return form;
}

function joined(query: Query, own: Readonly<Record<string, string>>): Query {
  for (const [name, value] of Object.entries(own)) {
    const given = query[name];
    if (given === undefined || given === value) continue;
    throw usageError(
      `${name} is set twice: as ${JSON.stringify(given)} and ${JSON.stringify(value)}`,
      'The credentials set it already: leave it out.',
    );
  }
  return { ...query, ...own };
}
