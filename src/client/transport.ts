import type { Api, Credentials } from '../core/credentials.ts';
import { CryptodataError, type ErrorParts, ServiceError, usageError } from '../core/errors.ts';
import { unlessAborted } from '../core/network.ts';
import { MASK, type Redactor } from '../core/redact.ts';
import { backoff, isTransient, retry } from '../core/retry.ts';
import { isSecretName } from '../core/secret-names.ts';
import { sleep } from '../core/sleep.ts';
import { encodePath, encodeQuery, type Query } from './address.ts';
import type { Sender } from './fetch.ts';
import { type Clock, Gate } from './gate.ts';
import { type ClientLimits, within } from './options.ts';
import { planRequest, type RequestPlan } from './plan.ts';
import type {
  AttemptEvent,
  Exchanged,
  Outgoing,
  RequestPreview,
  ServiceAnswer,
  ServiceRequest,
} from './request.ts';
import { exchange } from './response.ts';
import { visible } from './text.ts';

/** A hint or details to add to an error. */
type Explanation = Pick<ErrorParts, 'hint' | 'details'>;

export interface TransportOptions extends ClientLimits {
  /**
   * Returns the base URL without a trailing slash. Throws if no base URL is configured.
   *
   * @param needsLogin whether the request carries credentials
   */
  readonly addresses: (api: Api, needsLogin: boolean) => string;
  readonly credentials?: Credentials | undefined;
  readonly dispatcher: Sender;
  /**
   * Whether the program that uses the library passed `dispatcher`. The errors of such a program do not suggest the proxy
   * variables.
   */
  readonly givenConnections?: boolean | undefined;
  readonly userAgent: string;
  readonly clock?: Clock;
  /** Replaces `Math.random`. */
  readonly random?: () => number;
  /** Maximum size of a decompressed response (default: 64 MiB). */
  readonly maxBodyBytes?: number | undefined;
  readonly log?: ((event: AttemptEvent) => void) | undefined;
  /** Called before a {@link ServiceError} is thrown, to add an explanation that depends on the credentials. */
  readonly explain?:
    | ((error: ServiceError, request: ServiceRequest) => Promise<Explanation | undefined>)
    | undefined;
  /**
   * Receives the first request, with its credentials, and throws an error. If this function is set, nothing is sent to the
   * service.
   */
  readonly capture?: Capture | undefined;
  /** Masks secrets in events and errors. The command line does not set this option: it masks secrets when it writes output. */
  readonly redactor?: Redactor | undefined;
}

/** Called with a request instead of sending the request. Always throws an error, because no response exists. */
export type Capture = (request: Captured) => never;

/** The request that a {@link Capture} receives. */
export type Captured = Pick<Outgoing, 'method' | 'origin' | 'target' | 'headers' | 'body'> &
  Pick<ServiceRequest, 'form'>;

type Report = (outcome: Partial<AttemptEvent>) => void;

type Attempt =
  | { readonly answer: ServiceAnswer; readonly error?: undefined; readonly report: Report }
  | { readonly error: CryptodataError; readonly report: Report };

/**
 * Sends all requests to the service, with timeouts and retries. Concurrent requests share pauses and credential refreshes.
 * Redirects are not followed.
 */
export class Transport {
  readonly #options: TransportOptions;
  readonly #gate: Gate;
  /** Clock for code that waits between requests. */
  readonly clock: Clock;
  readonly #observers = new Set<(event: AttemptEvent) => void>();
  /** Origins that have responded at least once. */
  readonly #reached = new Set<string>();
  /**
   * Number of credential refreshes. If this number has increased since a request was sent, a 401 response to that request does
   * not cause another refresh.
   */
  #refreshes = 0;
  #refreshing: Promise<boolean> | undefined;

  constructor(options: TransportOptions) {
    this.#options = options;
    this.clock = options.clock ?? { now: Date.now, sleep };
    this.#gate = new Gate(this.clock);
  }

  get redactor(): Redactor | undefined {
    return this.#options.redactor;
  }

  /** Calls `observe` after each attempt. The returned function ends these calls. */
  watch(observe: (event: AttemptEvent) => void): () => void {
    this.#observers.add(observe);
    return () => void this.#observers.delete(observe);
  }

  async preview(request: ServiceRequest): Promise<RequestPreview> {
    const { method, origin, target, headers, body } = await this.#sign(request);
    this.#options.capture?.({ method, origin, target, headers, body, form: request.form });
    const own = Object.entries(headers).map(([name, value]) => [name, isSecretName(name) ? MASK : value]);
    const shown = { method, url: `${origin}${target}`, headers: Object.fromEntries(own) };
    return typeof body === 'string' ? { ...shown, body } : { ...shown, body: undefined, form: request.form };
  }

  async #sign(request: ServiceRequest): Promise<Outgoing> {
    const { credentials, userAgent, addresses, signal } = this.#options;
    const plan = planRequest(request, addresses(request.api, request.auth), signal);
    return signRequest(plan, credentials, userAgent);
  }

  /**
   * @returns a 2xx response; `body` still contains the envelope
   * @throws ServiceError if the status is not 2xx, or if the response cannot be read
   * @throws UsageError if the request is invalid; nothing was sent
   * @throws CryptodataError of kind `network` or `interrupted`
   * @throws any error from {@link Credentials}
   */
  async request(request: ServiceRequest): Promise<ServiceAnswer> {
    if (this.#options.capture) await this.preview(request);
    try {
      const { timeout = this.#options.timeout } = request;
      const what = `${request.method} ${visible(encodePath(request.path), 200)}`;
      return await within({ ...request, timeout }, what, (signal) => this.#request({ ...request, signal }));
    } catch (error) {
      const { explain } = this.#options;
      if (!explain || !request.auth || !(error instanceof ServiceError) || error.status === undefined)
        throw error;
      // If `explain` fails, throw the original error.
      const more = await explain(error, request).catch(() => undefined);
      throw more ? error.explained({ ...more, details: error.details ?? more.details }) : error;
    }
  }

  async #request(request: ServiceRequest): Promise<ServiceAnswer> {
    const { credentials, addresses } = this.#options;
    const { retries = this.#options.retries ?? 4 } = request;
    const plan = planRequest(request, addresses(request.api, request.auth), this.#options.signal);
    const { signal } = plan;
    const attempts = plan.idempotent ? retries + 1 : 1;
    let mayRefresh = request.auth && credentials !== undefined;
    const outcome = await retry<Attempt>(
      async (number) => {
        const refreshes = this.#refreshes;
        const attempt = await this.#attempt(plan, request.read, number);
        if (attempt.error?.status !== 401 || !mayRefresh) return attempt;
        // The endpoint did not process the rejected request, so even a POST can be sent again.
        mayRefresh = false;
        attempt.report(failureOf(attempt.error));
        if (!(await unlessAborted(this.#refresh(refreshes), signal))) throw attempt.error;
        return this.#attempt(plan, request.read, number);
      },
      ({ error, report }, number) => {
        if (error === undefined) return undefined;
        const pause = this.#pauseFor(error, number, this.#reached.has(plan.origin));
        if (pause === undefined || number >= attempts) {
          report(failureOf(error));
          return undefined;
        }
        report({ ...failureOf(error), retryInMs: pause.ms });
        // If the service requested the pause, do not wait in this function: `#gate.pass` delays the next attempt like any other
        // request.
        return pause.shared ? 0 : pause.ms;
      },
      async (ms) => {
        if (ms > 0) await unlessAborted(this.clock.sleep(ms, signal), signal);
      },
    );
    if (outcome.error !== undefined) throw outcome.error;
    return outcome.answer;
  }

  async #attempt(plan: RequestPlan, read: ServiceRequest['read'], number: number): Promise<Attempt> {
    const { credentials, userAgent } = this.#options;
    const { signal } = plan;
    await unlessAborted(this.#gate.pass(signal), signal);
    const out = await unlessAborted(signRequest(plan, credentials, userAgent), signal);
    // A pause may have started while the credentials were prepared.
    await unlessAborted(this.#gate.pass(signal), signal);
    const report = this.#watch(out, number);
    try {
      const answer = await this.#send(out, read);
      report({ status: answer.status });
      return { answer: { ...answer, requestUrl: `${out.origin}${out.target}` }, report };
    } catch (error) {
      if (error instanceof CryptodataError) return { error, report };
      throw error;
    }
  }

  /** Returns the pause before a retry; undefined if the error is permanent or the requested pause is too long. */
  #pauseFor(
    error: CryptodataError,
    attempt: number,
    reached: boolean,
  ): { ms: number; shared: boolean } | undefined {
    const { maxWaitSeconds = 120, random = Math.random } = this.#options;
    const asked = (error instanceof ServiceError && error.retryAfter) || 0;
    if (!isTransient(error, reached) || asked > maxWaitSeconds) return undefined;
    // Pause all requests, whether or not this request is retried.
    if (asked > 0) this.#gate.pause(asked * 1000);
    return asked > 0
      ? { ms: Math.ceil(asked * 1000), shared: true }
      : { ms: backoff(attempt, random), shared: false };
  }

  /** Starts timing an attempt. Call the returned function to report the outcome. */
  #watch(out: Outgoing, attempt: number): Report {
    const started = this.clock.now();
    const shown = (text: string) => this.redactor?.redact(text) ?? text;
    return ({ error, ...how }) => {
      const url = shown(`${out.origin}${out.target}`);
      const code = error === undefined ? {} : { error: shown(error) };
      const event = { method: out.method, url, ms: this.clock.now() - started, attempt, ...how, ...code };
      this.#options.log?.(event);
      for (const observe of this.#observers) observe(event);
    };
  }

  async #send(out: Outgoing, read: ServiceRequest['read']): Promise<Exchanged> {
    const { dispatcher, idleTimeout, givenConnections, maxBodyBytes = 64 * 1024 * 1024 } = this.#options;
    try {
      const answer = await exchange(dispatcher, out, {
        ...{ maxBodyBytes, idleTimeout, givenConnections },
        ...{ now: this.clock.now, read },
      });
      this.#reached.add(out.origin);
      return answer;
    } catch (error) {
      if (error instanceof CryptodataError && error.status !== undefined) this.#reached.add(out.origin);
      throw error;
    }
  }

  /**
   * Refreshes the credentials after a 401 response. Concurrent requests share one refresh.
   *
   * @param refreshes the value that `#refreshes` had when the rejected request was sent
   */
  async #refresh(refreshes: number): Promise<boolean> {
    if (refreshes !== this.#refreshes) return true;
    this.#refreshing ??= this.#refreshOnce().finally(() => {
      this.#refreshing = undefined;
    });
    return this.#refreshing;
  }

  async #refreshOnce(): Promise<boolean> {
    const refreshed = (await this.#options.credentials?.refresh()) ?? false;
    if (refreshed) this.#refreshes += 1;
    return refreshed;
  }
}

function failureOf(error: CryptodataError): Partial<AttemptEvent> {
  return error.status === undefined ? { error: error.code } : { status: error.status, error: error.code };
}

/** Adds credentials to the request. Errors from {@link Credentials} are thrown unchanged. */
async function signRequest(
  plan: RequestPlan,
  credentials: Credentials | undefined,
  userAgent: string,
): Promise<Outgoing> {
  const { method, origin, pathname, body, about, more, signal, request } = plan;
  const holder = request.auth ? credentials : undefined;
  const own = await holder?.headers(request.api, origin);
  const query = joined(plan.query, (await holder?.query(request.api)) ?? {});
  const headers = {
    accept: 'application/json',
    'accept-encoding': 'gzip',
    // Some requests are repeated to verify data, so the response must not come from a cache.
    'cache-control': 'no-cache',
    'user-agent': userAgent,
    ...more,
    ...about,
    ...own,
  };
  return { method, origin, target: `${pathname}${encodeQuery(query)}`, headers, body, signal };
}

function joined(query: Query, own: Readonly<Record<string, string>>): Query {
  for (const [name, value] of Object.entries(own)) {
    const given = query[name];
    if (given === undefined || given === value) continue;
    throw usageError(
      `${name} is set twice: as ${JSON.stringify(given)} and ${JSON.stringify(value)}`,
      `Omit ${name}. The credentials already set this parameter.`,
    );
  }
  return { ...query, ...own };
}
