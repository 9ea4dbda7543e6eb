import { Agent, Dispatcher, EnvHttpProxyAgent } from 'undici';
import { isLoopback } from './address.ts';
import { usageError } from './errors.ts';

export interface DispatcherOptions {
  readonly env: NodeJS.ProcessEnv;
  /** Milliseconds for a connection, TLS included. */
  readonly connectTimeout?: number;
  /** Milliseconds until the answer's headers, and between two parts of its body. */
  readonly answerTimeout?: number;
}

/**
 * One pool of connections for all that a command sends: kept open between requests, through the proxy that
 * the environment names (`HTTPS_PROXY`, `HTTP_PROXY`, `NO_PROXY`).
 */
export function createDispatcher(options: DispatcherOptions): Dispatcher {
  const timeouts = {
    connect: { timeout: options.connectTimeout ?? 10_000 },
    headersTimeout: options.answerTimeout ?? 60_000,
    bodyTimeout: options.answerTimeout ?? 60_000,
  };
  const direct = new Agent(timeouts);
  const httpsProxy = proxyOf(options.env, 'HTTPS_PROXY');
  const httpProxy = proxyOf(options.env, 'HTTP_PROXY');
  if (httpsProxy === undefined && httpProxy === undefined) return direct;
  const proxied = new EnvHttpProxyAgent({
    ...timeouts,
    ...(httpsProxy === undefined ? {} : { httpsProxy }),
    ...(httpProxy === undefined ? {} : { httpProxy }),
    noProxy: options.env['no_proxy'] ?? options.env['NO_PROXY'] ?? '',
  });
  return new Routed(direct, proxied);
}

/**
 * The proxy that a variable names, in small letters or capitals, as curl reads it: without a scheme it is http.
 *
 * @throws usage error that does not show the value, which may hold a password
 */
function proxyOf(env: NodeJS.ProcessEnv, name: 'HTTPS_PROXY' | 'HTTP_PROXY'): string | undefined {
  const given = (env[name.toLowerCase()] || env[name] || '').trim();
  if (given === '') return undefined;
  const address = /^[a-z][a-z0-9+.-]*:\/\//i.test(given) ? given : `http://${given}`;
  if (URL.canParse(address) && /^https?:/i.test(address)) return address;
  throw usageError(
    `${name} is not the address of an HTTP proxy`,
    'As in http://proxy.example:3128. Unset it to use none.',
    'BAD_PROXY',
  );
}

/**
 * What is meant for this machine goes to no proxy, whatever NO_PROXY says: the sandbox's plain http would hand
 * its token to whoever runs the proxy.
 */
class Routed extends Dispatcher {
  readonly #direct: Dispatcher;
  readonly #proxied: Dispatcher;

  constructor(direct: Dispatcher, proxied: Dispatcher) {
    super();
    this.#direct = direct;
    this.#proxied = proxied;
  }

  override dispatch(request: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): boolean {
    const { hostname } = new URL(String(request.origin));
    return (isLoopback(hostname) ? this.#direct : this.#proxied).dispatch(request, handler);
  }

  override close(): Promise<void>;
  override close(callback: () => void): void;
  override async close(callback?: () => void): Promise<void> {
    await Promise.all([this.#direct.close(), this.#proxied.close()]);
    callback?.();
  }

  override destroy(): Promise<void>;
  override destroy(error: Error | null): Promise<void>;
  override destroy(callback: () => void): void;
  override destroy(error: Error | null, callback: () => void): void;
  override async destroy(error?: Error | null | (() => void), callback?: () => void): Promise<void> {
    const reason = error instanceof Error ? error : null;
    await Promise.all([this.#direct.destroy(reason), this.#proxied.destroy(reason)]);
    const done = typeof error === 'function' ? error : callback;
    done?.();
  }
}
