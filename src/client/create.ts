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
  /** Address of the data API, without `/v1`: `https`, or `http` for a server on this machine. */
  readonly baseUrl?: string | undefined;
  /** Address of the legacy data API, without `/api`. */
  readonly legacyBaseUrl?: string | undefined;
  /** Host of the legacy public integration list. */
  readonly legacyPublicUrl?: string | undefined;
  /** Connection pool to use instead of a new one; `close()` leaves it open. */
  readonly dispatcher?: Dispatcher | undefined;
  /** Retries of each request, unless a call sets its own `retries` (default: 4). */
  readonly retries?: number | undefined;
  /** Milliseconds for each call, unless a call sets its own `timeout` (default: no limit). */
  readonly timeout?: number | undefined;
  /** Longest wait in seconds that the service may request (default: 120). */
  readonly maxWaitSeconds?: number | undefined;
  /** Maximum wait for the start of a response, and for each further part, in milliseconds (default: 60,000). */
  readonly idleTimeout?: number | undefined;
  /** Called for notices that are not errors: a clamped page size, a total that does not match. */
  readonly onNotice?: ((notice: Notice) => void) | undefined;
  /** Called after each attempt. The event has no headers, so it contains no secret. */
  readonly onRequest?: ((event: AttemptEvent) => void) | undefined;
  /** Cancels all requests of this client. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Creates a client that ignores the settings and the session of the command line.
 *
 * @throws UsageError for invalid addresses or credentials
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

/** Checks every address immediately. A missing address causes an error only when a request needs the address. */
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
