import { parseAddress } from '../core/address.ts';
import type { Api } from '../core/credentials.ts';
import { createDispatcher } from '../core/dispatcher.ts';
import { usageError } from '../core/errors.ts';
import { VERSION } from '../core/version.ts';
import { type CredentialOptions, createCredentials } from './credentials.ts';
import type { Listing, ListRequest } from './listing.ts';
import { type Nouns, nounsOf } from './nouns.ts';
import type { Notice } from './paging.ts';
import type { ServiceRequest } from './request.ts';
import { Service } from './service.ts';
import {
  type AttemptEvent,
  type RequestPreview,
  type ServiceAnswer,
  Transport,
  type TransportOptions,
} from './transport.ts';

export interface ClientOptions extends CredentialOptions {
  /** Address of the data API, before `/v1`: `https`, or `http` to this machine. */
  readonly baseUrl?: string | undefined;
  /** Address of the legacy data API, before `/api`. */
  readonly legacyBaseUrl?: string | undefined;
  /** Host of the legacy public integration list. */
  readonly legacyPublicUrl?: string | undefined;
  /** Connection pool to use instead of a new one; `close()` leaves it open. */
  readonly dispatcher?: TransportOptions['dispatcher'] | undefined;
  /** Retries of a GET after 429, 500, 502, 503, 504 and broken connections (default: 4). */
  readonly retries?: number | undefined;
  /** Longest wait in seconds that the service may request (default: 120). */
  readonly maxWaitSeconds?: number | undefined;
  /** Milliseconds until a response begins, and between its parts (default: 60,000). */
  readonly timeout?: number | undefined;
  /** Called for notices that are not errors: a clamped page size, a total that does not match. */
  readonly onNotice?: ((notice: Notice) => void) | undefined;
  /** Called after each attempt. The event has no headers, so it contains no secret. */
  readonly onRequest?: ((event: AttemptEvent) => void) | undefined;
  /** Cancels all requests of this client. */
  readonly signal?: AbortSignal | undefined;
}

/** The typed client of the service. */
export interface Client extends Nouns {
  /** Sends any request, with the same retries and errors. The body is parsed, but its envelope is kept. */
  request(request: ServiceRequest): Promise<ServiceAnswer>;
  /** Calls `observe` after each attempt, until the returned function is called. */
  watch(observe: (event: AttemptEvent) => void): () => void;
  /** Returns the request that a call would send, with masked credentials, and sends nothing. */
  preview(request: ServiceRequest): Promise<RequestPreview>;
  /** Reads any list, with the same envelopes and paging; rows are unchanged. */
  list(request: ListRequest): Listing<unknown>;
  /** Closes the connections that this client opened. */
  close(): Promise<void>;
}

/** Options of a client, including those of its transport. */
export interface ConnectOptions extends TransportOptions {
  readonly onNotice?: ((notice: Notice) => void) | undefined;
  readonly close?: (() => Promise<void>) | undefined;
}

/** Builds a client from its parts, for the command line, which has its own session and settings. */
export function connect({ onNotice, close = async () => {}, ...options }: ConnectOptions): Client {
  const transport = new Transport(options);
  const service = new Service(transport, onNotice);
  return {
    ...nounsOf(service),
    request: (request) => transport.request(request),
    watch: (observe) => transport.watch(observe),
    preview: (request) => transport.preview(request),
    list: (request) => service.listRequest(request, (row) => row),
    close,
  };
}

/**
 * Creates a client for programs. It does not use the settings or the session of the command line, and sends nothing until a method
 * is called. A proxy is read from the environment (`HTTPS_PROXY`, `NO_PROXY`).
 *
 * @throws CryptodataError of kind `usage` for invalid addresses or credentials
 */
export function createClient(options: ClientOptions = {}): Client {
  const addresses = addressBook(options);
  const { timeout, dispatcher } = options;
  const own =
    dispatcher ?? createDispatcher({ env: process.env, ...(timeout ? { responseTimeout: timeout } : {}) });
  return connect({
    addresses,
    credentials: createCredentials(options),
    dispatcher: own,
    userAgent: `cryptodata/${VERSION} node/${process.versions.node}`,
    retries: options.retries,
    maxWaitSeconds: options.maxWaitSeconds,
    timeout,
    log: options.onRequest,
    signal: options.signal,
    onNotice: options.onNotice,
    close: async () => {
      if (own !== dispatcher) await own.close();
    },
  });
}

/** Checks every address immediately. A missing address is an error only when it is needed. */
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
    throw usageError(`${names[api]} is not set; no address is built in`, undefined, 'MISSING_SETTING');
  };
}
