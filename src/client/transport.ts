import { setTimeout as wait } from 'node:timers/promises';
import type { Dispatcher } from 'undici';
import type { Api, Credentials } from '../core/credentials.ts';
import { CryptodataError, type ErrorParts, ServiceError } from '../core/errors.ts';
import { MASK } from '../core/redact.ts';
import { backoff, isTransient, retry } from '../core/retry.ts';
import { isSecretName } from '../core/secret-names.ts';
import { unlessAborted } from './abort.ts';
import { encodePath } from './address.ts';
import { exchange, type Outgoing } from './exchange.ts';
import { type Clock, Gate, type Sleep } from './gate.ts';
import { within } from './options.ts';
import { type Plan, planRequest, signRequest } from './plan.ts';
import type { AttemptEvent, Exchanged, RequestPreview, ServiceAnswer, ServiceRequest } from './request.ts';
import { visible } from './text.ts';

/** Adds a hint or details to an error. */
export type Explanation = Pick<ErrorParts, 'hint' | 'details'>;

export interface TransportOptions {
  /**
   * Returns the address without a trailing slash, or throws if none is set.
   *
   * @param needsLogin whether the request carries credentials
   */
  readonly addresses: (api: Api, needsLogin: boolean) => string;
  readonly credentials?: Credentials | undefined;
  readonly dispatcher: Dispatcher;
  readonly userAgent: string;
  /** Milliseconds since 1970. */
  readonly now?: () => number;
  readonly sleep?: Sleep;
  /** Returns a random number of at least 0 and less than 1. */
  readonly random?: () => number;
  /** Maximum number of retries of an idempotent request (default: 4). */
  readonly retries?: number | undefined;
  /** Maximum wait in seconds if the service requests a wait (default: 120). */
  readonly maxWaitSeconds?: number | undefined;
  /** Maximum size of a decompressed response (default: 64 MiB). */
  readonly maxBodyBytes?: number | undefined;
  /** Milliseconds for a request, including retries and pauses (default: no limit). */
  readonly timeout?: number | undefined;
  /** Maximum wait for headers, and for the next part of a body, in milliseconds (default: the dispatcher's timeouts). */
  readonly idleTimeout?: number | undefined;
  readonly log?: ((event: AttemptEvent) => void) | undefined;
  /** Called before an error is thrown, because the provider of the credentials may be able to explain it. */
  readonly explain?:
    | ((error: ServiceError, request: ServiceRequest) => Promise<Explanation | undefined>)
    | undefined;
  /** Cancels all requests. */
  readonly signal?: AbortSignal | undefined;
  /** Called with the first request and its credentials, instead of sending the request. Throws, which ends the command. */
  readonly capture?: Capture | undefined;
}

/** Called instead of sending a request. Always throws, because there is no response. */
export type Capture = (request: Captured) => never;

/** The request that a {@link Capture} receives instead of the service. */
export type Captured = Pick<Outgoing, 'method' | 'origin' | 'target' | 'headers' | 'body'> &
  Pick<ServiceRequest, 'form'>;

type Report = (outcome: Partial<AttemptEvent>) => void;

type Attempt =
  | { readonly answer: ServiceAnswer; readonly error?: undefined; readonly report: Report }
  | { readonly error: CryptodataError; readonly report: Report };

const systemSleep: Sleep = async (ms, signal) => {
  await wait(ms, undefined, signal ? { signal } : {});
};

/**
 * Sends every request to the service, with pooled connections, timeouts and retries. Concurrent requests share one pause and
 * one refresh of the credentials. Redirects are not followed.
 */
export class Transport {
  readonly #options: TransportOptions;
  readonly #now: () => number;
  readonly #sleep: Sleep;
  readonly #gate: Gate;
  /** The clock of this transport, for code that waits between requests. */
  readonly clock: Clock;
  readonly #observers = new Set<(event: AttemptEvent) => void>();
  /** Addresses that have responded before. */
  readonly #reached = new Set<string>();
  /**
   * Number of refreshes. If a refresh has happened since a request was sent, a 401 response to that request needs no further
   * refresh.
   */
  #refreshes = 0;
  #refreshing: Promise<boolean> | undefined;

  constructor(options: TransportOptions) {
    this.#options = options;
    this.#now = options.now ?? Date.now;
    this.#sleep = options.sleep ?? systemSleep;
    this.#gate = new Gate(this.#now, this.#sleep);
    this.clock = { now: this.#now, sleep: this.#sleep };
  }

  /** Calls `observe` after each attempt, until the returned function is called. */
  watch(observe: (event: AttemptEvent) => void): () => void {
    this.#observers.add(observe);
    return () => void this.#observers.delete(observe);
  }

  /** Returns the request that would be sent, with masked credentials. */
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
   * @returns a 2xx response with a parsed body; its envelope is not interpreted
   * @throws ServiceError for any other response; CryptodataError of kind `usage` (nothing was sent),
   * `network` or `interrupted`; and any error from the credentials
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
      throw more ? error.explained(more) : error;
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
        const attempt = await this.#attempt(plan, request.as, number);
        if (attempt.error?.status !== 401 || !mayRefresh) return attempt;
        // The endpoint did not process the request, so even a POST is sent again.
        mayRefresh = false;
        attempt.report(failureOf(attempt.error));
        if (!(await unlessAborted(this.#refresh(refreshes), signal))) throw attempt.error;
        return this.#attempt(plan, request.as, number);
      },
      ({ error, report }, number) => {
        if (error === undefined) return undefined;
        const pause = this.#pauseFor(error, number, this.#reached.has(plan.origin));
        if (pause === undefined || number >= attempts) {
          report(failureOf(error));
          return undefined;
        }
        report({ ...failureOf(error), retryInMs: pause.ms });
        // For a pause that the service requested, do not wait here: the next attempt waits in `#gate.pass`, as all requests do.
        return pause.shared ? 0 : pause.ms;
      },
      async (ms) => {
        if (ms > 0) await unlessAborted(this.#sleep(ms, signal), signal);
      },
    );
    if (outcome.error !== undefined) throw outcome.error;
    return outcome.answer;
  }

  async #attempt(plan: Plan, as: ServiceRequest['as'], number: number): Promise<Attempt> {
    const { credentials, userAgent } = this.#options;
    const { signal } = plan;
    await unlessAborted(this.#gate.pass(signal), signal);
    const out = await unlessAborted(signRequest(plan, credentials, userAgent), signal);
    // A pause may have begun while the credentials were prepared.
    await unlessAborted(this.#gate.pass(signal), signal);
    const report = this.#watch(out, number);
    try {
      const answer = await this.#send(out, as);
      report({ status: answer.status });
      return { answer: { ...answer, requestUrl: `${out.origin}${out.target}` }, report };
    } catch (error) {
      if (error instanceof CryptodataError) return { error, report };
      throw error;
    }
  }

  /** How long to wait before a retry; undefined if a retry cannot help. */
  #pauseFor(
    error: CryptodataError,
    attempt: number,
    reached: boolean,
  ): { ms: number; shared: boolean } | undefined {
    const { maxWaitSeconds = 120, random = Math.random } = this.#options;
    const asked = (error instanceof ServiceError && error.retryAfter) || 0;
    if (!isTransient(error, reached) || asked > maxWaitSeconds) return undefined;
    // All requests have to wait, even if this one is not retried.
    if (asked > 0) this.#gate.pause(asked * 1000);
    return asked > 0
      ? { ms: Math.ceil(asked * 1000), shared: true }
      : { ms: backoff(attempt, random), shared: false };
  }

  /** Starts the clock for one attempt; the returned function reports its outcome. */
  #watch(out: Outgoing, attempt: number): Report {
    const started = this.#now();
    const url = `${out.origin}${out.target}`;
    return (how) => {
      const event = { method: out.method, url, ms: this.#now() - started, attempt, ...how };
      this.#options.log?.(event);
      for (const observe of this.#observers) observe(event);
    };
  }

  async #send(out: Outgoing, as: ServiceRequest['as']): Promise<Exchanged> {
    const { dispatcher, idleTimeout, maxBodyBytes = 64 * 1024 * 1024 } = this.#options;
    try {
      const answer = await exchange(dispatcher, out, { maxBodyBytes, idleTimeout, now: this.#now, as });
      this.#reached.add(out.origin);
      return answer;
    } catch (error) {
      if (error instanceof CryptodataError && error.status !== undefined) this.#reached.add(out.origin);
      throw error;
    }
  }

  /**
   * Concurrent requests that were rejected with 401 share one refresh.
   *
   * @param refreshes the number of refreshes when the rejected request was sent
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
