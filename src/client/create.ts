import type { Dispatcher } from 'undici';
import { parseAddress } from '../core/address.ts';
import type { Api, Credentials } from '../core/credentials.ts';
import { createDispatcher } from '../core/dispatcher.ts';
import { usageError } from '../core/errors.ts';
import { once } from '../core/once.ts';
import { Redactor } from '../core/redact.ts';
import type { ServiceClient } from './client.ts';
import { type ClientConnectOptions, connect } from './connect.ts';
import { type CredentialOptions, createCredentials } from './credentials.ts';
import { type Fetch, FetchSender, type Sender } from './fetch.ts';
import { checkLevel, type Logger, type LogLevel, RequestLog } from './log.ts';
import { type ClientLimits, checkOptions } from './options.ts';
import type { AttemptEvent, Notice } from './request.ts';
import { type AppInfo, userAgent } from './user-agent.ts';

export interface ClientOptions extends CredentialOptions, AddressOptions, ConnectionOptions {}

interface AddressOptions {
  /** Address of the data API, without `/v1`. Must start with `https`, or with `http` for a server on this machine. */
  readonly baseUrl?: string | undefined;
  /** Address of the legacy data API, without `/api`. */
  readonly legacyBaseUrl?: string | undefined;
  /** Address of the host that serves the public integration list of the legacy API. */
  readonly legacyPublicUrl?: string | undefined;
}

/** Options for sending requests, independent of the addresses and credentials. */
export interface ConnectionOptions extends ClientLimits {
  /** Connection pool to use instead of a new one. The client does not close this pool. */
  readonly dispatcher?: Dispatcher | undefined;
  /**
   * Function that sends the requests, with the signature of the global `fetch`. If set, `idleTimeout` and the proxy variables
   * have no effect.
   */
  readonly fetch?: Fetch | undefined;
  /** Receives messages about requests, such as `console`. Secrets are masked. See `logLevel`. */
  readonly logger?: Logger | undefined;
  /**
   * Which messages the logger receives. `warn`: notices. `info`: also failed attempts. `debug`: also all successful attempts.
   * Default: `warn`. No effect without `logger`.
   */
  readonly logLevel?: LogLevel | undefined;
  /** The program that uses the library. Added to the header `User-Agent`. */
  readonly appInfo?: AppInfo | undefined;
  /** Called for each notice, such as a reduced page size or a total that does not match. A notice is not an error. */
  readonly onNotice?: ((notice: Notice) => void) | undefined;
  /** Called after each attempt of a request. The event contains no headers, and secrets in the URL are masked. */
  readonly onRequest?: ((event: AttemptEvent) => void) | undefined;
}

/**
 * Creates a client that ignores the settings and the session of the command line.
 *
 * @throws UsageError for invalid options
 */
export function connectClient(
  options: ClientOptions = {},
  {
    redactor = new Redactor(),
    connections,
  }: Partial<Pick<ClientDestination, 'redactor' | 'connections'>> = {},
): ServiceClient {
  const credentials = createCredentials(options, redactor);
  return clientConnection(options, { addresses: addressBook(options), credentials, redactor, connections });
}

/** The addresses and the credentials that a client uses. */
export type ClientDestination = Pick<ClientConnectOptions, 'addresses'> & {
  readonly credentials: Credentials;
  /** Masks the secrets in `credentials`. */
  readonly redactor: Redactor;
  /** The connections to use if the options contain none (default: a new pool, which uses the proxy variables). */
  readonly connections?: Dispatcher | undefined;
  /** Called after the connections are closed. */
  readonly close?: () => Promise<void>;
};

/** @throws UsageError for invalid options */
export function clientConnection(
  options: ConnectionOptions,
  { addresses, credentials, redactor, connections, close }: ClientDestination,
): ServiceClient {
  checkOptions(options);
  checkLevel(options.logLevel);
  const { timeout, idleTimeout, retries, maxWaitSeconds, signal, logger, appInfo } = options;
  const { sender, closeSender, given } = senderOf(options, connections);
  const log = logger === undefined ? undefined : new RequestLog(logger, redactor, options.logLevel);
  return connect({
    addresses,
    ...{ credentials, redactor },
    dispatcher: sender,
    givenConnections: given,
    userAgent: userAgent(appInfo),
    ...{ retries, maxWaitSeconds, timeout, idleTimeout, signal },
    log: (event) => {
      options.onRequest?.(event);
      log?.attempt(event);
    },
    onNotice: (notice) => {
      options.onNotice?.(notice);
      log?.notice(notice);
    },
    close: once(async () => {
      await closeSender?.();
      await close?.();
    }),
  });
}

interface Connections {
  readonly sender: Sender;
  readonly closeSender?: () => Promise<void>;
  /** Whether the program passed its own connections in the options. */
  readonly given: boolean;
}

function senderOf({ fetch, dispatcher }: ConnectionOptions, own: Dispatcher | undefined): Connections {
  if (fetch !== undefined && dispatcher)
    throw usageError('Pass only one of "fetch" and "dispatcher"', undefined, 'BAD_OPTION');
  if (fetch !== undefined) {
    const sender = new FetchSender(fetch);
    return { sender, closeSender: () => sender.close(), given: true };
  }
  if (dispatcher) return { sender: dispatcher, given: true };
  if (own) return { sender: own, given: false };
  const pool = createDispatcher({ env: process.env });
  return { sender: pool, closeSender: () => pool.close(), given: false };
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
