import { parseAddress } from '../core/address.ts';
import type { Api } from '../core/credentials.ts';
import { createDispatcher } from '../core/dispatcher.ts';
import { usageError } from '../core/errors.ts';
import { VERSION } from '../core/version.ts';
import { type CredentialOptions, createCredentials } from './credentials.ts';
import type { Listing, ListRequest } from './listing.ts';
import type { Notice } from './paging.ts';
import type { ServiceRequest } from './request.ts';
import { Assets } from './resources/assets.ts';
import { Contacts } from './resources/contacts.ts';
import { CounterParties } from './resources/counter-parties.ts';
import { Csv } from './resources/csv.ts';
import { Holdings } from './resources/holdings.ts';
import { Integrations } from './resources/integrations.ts';
import { Labels } from './resources/labels.ts';
import { Ledgers } from './resources/ledgers.ts';
import { Legacy } from './resources/legacy.ts';
import { Providers } from './resources/providers.ts';
import { Spam } from './resources/spam.ts';
import { Syncs } from './resources/syncs.ts';
import { Transactions } from './resources/transactions.ts';
import { Users } from './resources/users.ts';
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
  /** Connections to use in place of one's own pool; `close()` leaves it open. */
  readonly dispatcher?: TransportOptions['dispatcher'] | undefined;
  /** Repetitions of a GET after 429, 500, 502, 503, 504 and broken connections: 4 where not given. */
  readonly retries?: number | undefined;
  /** Longest wait, in seconds, that the service may ask for: 120 where not given. */
  readonly maxWaitSeconds?: number | undefined;
  /** Milliseconds until an answer begins, and between its parts: 60 000 where not given. */
  readonly timeout?: number | undefined;
  /** Something to know that is no error: a page size that was clamped, a total that does not match. */
  readonly onNotice?: ((notice: Notice) => void) | undefined;
  /** Each attempt as it ended. No headers are in it, so no secret. */
  readonly onRequest?: ((event: AttemptEvent) => void) | undefined;
  /** Calls off everything that this client does. */
  readonly signal?: AbortSignal | undefined;
}

/** The service, typed. */
export class Client {
  readonly providers: Providers;
  readonly ledgers: Ledgers;
  readonly holdings: Holdings;
  readonly transactions: Transactions;
  readonly integrations: Integrations;
  readonly syncs: Syncs;
  readonly csv: Csv;
  readonly labels: Labels;
  readonly assets: Assets;
  readonly spam: Spam;
  readonly contacts: Contacts;
  readonly counterParties: CounterParties;
  readonly users: Users;
  /** The previous API. */
  readonly legacy: Legacy;
  readonly #service: Service;
  readonly #close: () => Promise<void>;

  constructor(transport: Transport, onNotice?: (notice: Notice) => void, close = async () => {}) {
    this.#service = new Service(transport, onNotice);
    this.#close = close;
    this.providers = new Providers(this.#service);
    this.ledgers = new Ledgers(this.#service);
    this.holdings = new Holdings(this.#service);
    this.transactions = new Transactions(this.#service);
    this.integrations = new Integrations(this.#service);
    this.syncs = new Syncs(this.#service);
    this.csv = new Csv(this.#service);
    this.labels = new Labels(this.#service);
    this.assets = new Assets(this.#service);
    this.spam = new Spam(this.#service);
    this.contacts = new Contacts(this.#service);
    this.counterParties = new CounterParties(this.#service);
    this.users = new Users(this.#service);
    this.legacy = new Legacy(this.#service);
  }

  /** Any call, with the same retry and errors; the body is parsed and its envelope left as it is. */
  async request(request: ServiceRequest): Promise<ServiceAnswer> {
    return this.#service.transport.request(request);
  }

  /** Tells `observe` of each attempt as it ends, until the function that is returned is called. */
  watch(observe: (event: AttemptEvent) => void): () => void {
    return this.#service.transport.watch(observe);
  }

  /** What a call would send, its credentials masked; nothing is sent. */
  preview(request: ServiceRequest): Promise<RequestPreview> {
    return this.#service.transport.preview(request);
  }

  /** Any list, with the same envelopes and paging; rows as served. */
  list(request: ListRequest): Listing<unknown> {
    return this.#service.list(request, (row) => row);
  }

  /** Ends the connections that this client opened. */
  async close(): Promise<void> {
    await this.#close();
  }
}

/** A transport's parts, and what a client adds to them. */
export interface ConnectOptions extends TransportOptions {
  readonly onNotice?: ((notice: Notice) => void) | undefined;
  readonly close?: (() => Promise<void>) | undefined;
}

/** A client over parts that are handed in: for the command line, which has its own session and settings. */
export function connect(options: ConnectOptions): Client {
  return new Client(new Transport(options), options.onNotice, options.close);
}

/**
 * A client for programs. Nothing is sent, and no setting or session of the command line is read, until a method
 * is called; a proxy is taken from the environment (`HTTPS_PROXY`, `NO_PROXY`).
 *
 * @throws CryptodataError of kind `usage` for an address or credentials that cannot be right
 */
export function createClient(options: ClientOptions = {}): Client {
  const addresses = addressBook(options);
  const { timeout, dispatcher } = options;
  const own =
    dispatcher ?? createDispatcher({ env: process.env, ...(timeout ? { answerTimeout: timeout } : {}) });
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

/** Checks every address at once, and tells of a missing one only when it is needed. */
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
