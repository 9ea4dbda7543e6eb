import type { Dispatcher } from 'undici';
import { parseAddress } from '../core/address.ts';
import type { Api } from '../core/credentials.ts';
import { createDispatcher } from '../core/dispatcher.ts';
import { usageError } from '../core/errors.ts';
import { once } from '../core/once.ts';
import { VERSION } from '../core/version.ts';
import type { Client } from './client.ts';
import { connect } from './connect.ts';
import { type CredentialOptions, createCredentials } from './credentials.ts';
import { checkOptions } from './options.ts';
import type { AttemptEvent, Notice } from './request.ts';

export interface ClientOptions extends CredentialOptions {
  /** Address of the data API, without `/v1`. Must start with `https`, or with `http` for a server on this machine. */
  readonly baseUrl?: string | undefined;
  /** Address of the legacy data API, without `/api`. */
  readonly legacyBaseUrl?: string | undefined;
  /** Address of the host that serves the public integration list of the legacy API. */
  readonly legacyPublicUrl?: string | undefined;
  /** Connection pool to use instead of a new one. The client does not close this pool. */
  readonly dispatcher?: Dispatcher | undefined;
  /** Maximum number of retries for each request (default: 4). A call can set its own `retries`. */
  readonly retries?: number | undefined;
  /** Time limit for each call in milliseconds (default: no limit). A call can set its own `timeout`. */
  readonly timeout?: number | undefined;
  /** Longest wait that the service may request, in seconds (default: 120). */
  readonly maxWaitSeconds?: number | undefined;
  /** Maximum wait for the start and for each further part of a response, in milliseconds (default: 60,000). */
  readonly idleTimeout?: number | undefined;
  /** Called for each notice, such as a reduced page size or a total that does not match. A notice is not an error. */
  readonly onNotice?: ((notice: Notice) => void) | undefined;
  /** Called after each attempt of a request. The event contains no headers, and therefore no secrets. */
  readonly onRequest?: ((event: AttemptEvent) => void) | undefined;
  /** Cancels all requests of this client. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Creates a client that ignores the settings and the session of the command line.
 *
 * @throws UsageError for invalid options
 */
export function connectClient(options: ClientOptions = {}): Client {
  const addresses = addressBook(options);
  checkOptions(options);
  const { timeout, idleTimeout, dispatcher } = options;
  const own = dispatcher ?? createDispatcher({ env: process.env });
  return connect({
    addresses,
    credentials: createCredentials(options),
    dispatcher: own,
    userAgent: `cryptodata/${VERSION} node/${process.versions.node}`,
    retries: options.retries,
    maxWaitSeconds: options.maxWaitSeconds,
    timeout,
    idleTimeout,
    log: options.onRequest,
    signal: options.signal,
    onNotice: options.onNotice,
    close: once(async () => {
      if (own !== dispatcher) await own.close();
    }),
  });
}

/** Checks all given addresses immediately. A missing address is an error only when a request needs that address. */
function addressBook(options: ClientOptions): (api: Api) => string {
  const names = { current: 'baseUrl', legacy: 'legacyBaseUrl', legacyPublic: 'legacyPublicUrl' } as const;
  const book = new Map<Api, string>();
  for (const api of ['current', 'legacy', 'legacyPublic'] as const) {
    const address = options[names[api]];
    if (address !== undefined) book.set(api, parseAddress(address, names[api]));
  }
  return (api) => {
    const address = book.get(api);
    if (address !== undefined) return address;
    throw usageError(
      `${names[api]} is not set; no address is built in`,
      `Pass the address: createClient({ ${names[api]}: 'https://…' }). If you pass an environment variable, check that it is set.`,
      'MISSING_SETTING',
    );
  };
}
