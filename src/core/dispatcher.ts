import { Agent, type Dispatcher, EnvHttpProxyAgent, Pool } from 'undici';
import { isLoopback } from './address.ts';
import { discard } from './body.ts';
import { usageError } from './errors.ts';
import { parseJson } from './json.ts';
import { ProxyFailure } from './network.ts';
import type { Redactor } from './redact.ts';
import { isSecretName } from './secret-names.ts';

export interface DispatcherOptions {
  readonly env: NodeJS.ProcessEnv;
}

/** Timeouts in milliseconds: for the connection (including TLS), for the headers, and between two parts of the body. */
const timeouts = { connect: { timeout: 10_000 }, headersTimeout: 60_000, bodyTimeout: 60_000 };

/** Creates the connection pool for all requests of a command. Uses `HTTPS_PROXY`, `HTTP_PROXY` and `NO_PROXY`. */
export function createDispatcher(options: DispatcherOptions): Dispatcher {
  const httpsProxy = proxyOf(options.env, 'HTTPS_PROXY');
  const httpProxy = proxyOf(options.env, 'HTTP_PROXY');
  if (httpsProxy === undefined && httpProxy === undefined) return new Agent(timeouts);
  const proxied = {
    ...timeouts,
    ...(httpsProxy === undefined ? {} : { httpsProxy }),
    ...(httpProxy === undefined ? {} : { httpProxy }),
    noProxy: options.env['no_proxy']?.trim() || options.env['NO_PROXY']?.trim() || '',
    clientFactory: connectionsTo,
  };
  return new Agent({
    // Requests to this machine use no proxy, with or without NO_PROXY. Requests to the sandbox are not encrypted, so a proxy
    // could read them.
    factory: (origin) =>
      isLoopback(new URL(origin).hostname) ? new Pool(origin, timeouts) : new EnvHttpProxyAgent(proxied),
  });
}

type Tunnel = Omit<Dispatcher.ConnectOptions, 'origin'>;

/** Creates the connections to a proxy. A proxy that fails or refuses a request causes a {@link ProxyFailure}. */
function connectionsTo(proxy: URL, options: object): Dispatcher {
  const pool = new Pool(proxy, options);
  const connect: (request: Tunnel) => Promise<Dispatcher.ConnectData> = pool.connect;
  const tunnel = async (request: Tunnel) => {
    const tunnelled = await connect.call(pool, request).catch((error: unknown) => {
      throw new ProxyFailure(proxy.origin, undefined, error);
    });
    if (tunnelled.statusCode === 200) return tunnelled;
    discard(tunnelled.socket);
    throw new ProxyFailure(proxy.origin, tunnelled.statusCode);
  };
  return Object.assign(pool, { connect: tunnel });
}

/**
 * Reads a proxy address from a variable, whose name may be in lower or upper case. As in curl, the default scheme is http.
 *
 * @throws usage error `BAD_PROXY`. The message does not quote the address, because the address may contain a password.
 */
function proxyOf(env: NodeJS.ProcessEnv, name: 'HTTPS_PROXY' | 'HTTP_PROXY'): string | undefined {
  const given = (env[name.toLowerCase()] || env[name] || '').trim();
  if (given === '') return undefined;
  const address = /^[a-z][a-z0-9+.-]*:\/\//i.test(given) ? given : `http://${given}`;
  if (URL.canParse(address) && /^https?:/i.test(address)) return address;
  throw usageError(
    `${name} is not the address of an HTTP proxy`,
    'Use an address such as http://proxy.example:3128, or unset the variable.',
    'BAD_PROXY',
  );
}

/**
 * Finds the secrets in each request and passes them to the redactor, because a response or an error may repeat the secrets.
 * Secrets may be in headers, form fields, JSON fields and query parameters.
 */
export function concealRequests(dispatcher: Dispatcher, redactor: Redactor): Dispatcher {
  return dispatcher.compose((dispatch) => (request, handler) => {
    const headers = headersOf(request.headers);
    for (const [name, value] of headers) {
      if (isSecretName(name)) redactor.conceal(value.replace(/^(?:bearer|basic)\s+/i, ''));
    }
    concealFields(request.path.split('?')[1] ?? '', redactor, isSecretName);
    if (typeof request.body === 'string') {
      const type = headers.find(([name]) => name.toLowerCase() === 'content-type')?.[1] ?? '';
      if (/\bjson\b/i.test(type)) concealJson(request.body, redactor);
      else if (/\bform-urlencoded\b/i.test(type)) concealFields(request.body, redactor, isFormSecret);
    }
    return dispatch(request, handler);
  });
}

/** Creates a dispatcher that sends nothing. Each request is passed to `capture`, which must throw. */
export function captureRequests(
  capture: (request: {
    method: Dispatcher.HttpMethod;
    origin: string;
    target: string;
    headers: Record<string, string>;
    body: string | undefined;
  }) => never,
): Dispatcher {
  return new Agent().compose(
    () =>
      ({ method, origin, path, headers, body }) =>
        capture({
          method: method as Dispatcher.HttpMethod,
          origin: String(origin),
          target: path,
          headers: Object.fromEntries(headersOf(headers)),
          body: typeof body === 'string' ? body : undefined,
        }),
  );
}

function headersOf(headers: Dispatcher.DispatchOptions['headers']): [name: string, value: string][] {
  if (!headers) return [];
  if (Array.isArray(headers)) {
    const flat: unknown[] = headers;
    return flat.flatMap((name, at) => (at % 2 === 0 ? [[String(name), String(flat[at + 1])]] : []));
  }
  const entries: Iterable<[string, unknown]> = Symbol.iterator in headers ? headers : Object.entries(headers);
  return [...entries].map(([name, value]) => [name, String(value)]);
}

/** In a login form, `code` and `token` are secrets. In a query or JSON, `code` is an error code, and `token` is an asset. */
const isFormSecret = (name: string) => isSecretName(name) || name === 'code' || name === 'token';

function concealFields(form: string, redactor: Redactor, isSecret: (name: string) => boolean): void {
  for (const [name, value] of new URLSearchParams(form)) if (isSecret(name)) redactor.conceal(value);
}

function concealJson(text: string, redactor: Redactor): void {
  try {
    redactor.concealMembers(parseJson(text));
  } catch {
    // not JSON
  }
}
