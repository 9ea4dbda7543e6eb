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
  /** Address of the previous data API, before `/api`. */
  readonly legacyBaseUrl?: string | undefined;
  /** Host of the legacy public integration list. */
  readonly legacyPublicUrl?: string | undefined;
  /** Connections to use instead of an own pool; `close()` leaves it open. */
  readonly dispatcher?: TransportOptions['dispatcher'] | undefined;
  /** Retries of a GET after 429, 500, 502, 503, 504 and broken connections (default: 4). */
  readonly retries?: number | undefined;
  /** Longest wait in seconds that the service may ask for (default: 120). */
  readonly maxWaitSeconds?: number | undefined;
  /** Milliseconds until an answer begins, and between its parts (default: 60,000). */
  readonly timeout?: number | undefined;
  /** Called for what is worth knowing and is not an error: a clamped page size, a total that does not match. */
  readonly onNotice?: ((notice: Notice) => void) | undefined;
  /** Called after each attempt. The event has no headers, so no secret. */
  readonly onRequest?: ((event: AttemptEvent) => void) | undefined;
  /** Cancels everything that this client does. */
  readonly signal?: AbortSignal | undefined;
}

/** The service, typed. */
export interface Client extends Nouns {
  /** Any call, with the same retries and errors; the body is parsed, and its envelope stays. */
  request(request: ServiceRequest): Promise<ServiceAnswer>;
  /** Calls `observe` after each attempt, until the returned function is called. */
  watch(observe: (event: AttemptEvent) => void): () => void;
  /** The request that a call would send, its credentials masked; nothing is sent. */
  preview(request: ServiceRequest): Promise<RequestPreview>;
  /** Any list, with the same envelopes and paging; rows as served. */
  list(request: ListRequest): Listing<unknown>;
  /** Closes the connections that this client opened. */
  close(): Promise<void>;
}

/** Options of a transport, and those that a client adds. */
export interface ConnectOptions extends TransportOptions {
  readonly onNotice?: ((notice: Notice) => void) | undefined;
  readonly close?: (() => Promise<void>) | undefined;
}

/** A client over given parts: for the command line, which has its own session and settings. */
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
 * A client for programs. Nothing is sent, and no setting or session of the command line is read, until a method
 * is called; a proxy is taken from the environment (`HTTPS_PROXY`, `NO_PROXY`).
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

/** Checks every address at once; a missing one is an error only when it is needed. */
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
