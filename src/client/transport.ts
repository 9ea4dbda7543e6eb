import { setTimeout as wait } from 'node:timers/promises';
import type { Dispatcher } from 'undici';
import { backoff } from '../core/backoff.ts';
import { CryptodataError, type ErrorParts } from '../core/errors.ts';
import { MASK } from '../core/redact.ts';
import { isSecretName } from '../core/secret-shapes.ts';
import { unlessAborted } from './abort.ts';
import { ServiceError } from './errors.ts';
import { type Exchanged, exchange, type Outgoing, type ReadBody } from './exchange.ts';
import { type Clock, Gate, type Sleep } from './gate.ts';
import { planRequest, signRequest } from './plan.ts';
import type { Api, Credentials, FormPart, ServiceRequest } from './request.ts';
import { isTransient } from './retry.ts';

export type { ReadBody } from './exchange.ts';

/** One attempt, as it ended. */
export interface AttemptEvent {
  readonly method: string;
  readonly url: string;
  /** Undefined where no answer came. */
  readonly status?: number;
  /** Milliseconds that it took. */
  readonly ms: number;
  /** Counts from 1. */
  readonly attempt: number;
  /** Milliseconds until it is tried again; absent where it is not. */
  readonly retryInMs?: number;
  /** Code of the error. */
  readonly error?: string;
}

/** What somebody else knows of an error. */
export type Explanation = Pick<ErrorParts, 'hint' | 'details'>;

export interface TransportOptions {
  /** The address without a slash at its end; throws where none is set. */
  /** @param needsLogin whether the request carries credentials */
  readonly addresses: (api: Api, needsLogin: boolean) => string;
  readonly credentials?: Credentials | undefined;
  readonly dispatcher: Dispatcher;
  readonly userAgent: string;
  /** Milliseconds since 1970. */
  readonly now?: () => number;
  readonly sleep?: Sleep;
  /** From 0 to below 1. */
  readonly random?: () => number;
  /** Repetitions after the first try of an idempotent request: 4 where not given. */
  readonly retries?: number | undefined;
  /** A longer wait that the service asks for is not waited for: 120 where not given. */
  readonly maxWaitSeconds?: number | undefined;
  /** Largest answer, unpacked: 64 MiB where not given. */
  readonly maxBodyBytes?: number | undefined;
  /** Milliseconds for an answer's headers and between parts of its body; the dispatcher's where not given. */
  readonly timeout?: number | undefined;
  readonly log?: ((event: AttemptEvent) => void) | undefined;
  /** Asked about an error before it is thrown: whoever made the credentials may know what to do about it. */
  readonly explain?:
    | ((error: ServiceError, request: ServiceRequest) => Promise<Explanation | undefined>)
    | undefined;
  /** Calls off everything. */
  readonly signal?: AbortSignal | undefined;
}

export interface ServiceAnswer extends Exchanged {
  /** The address that was asked, with its query. */
  readonly requestUrl: string;
}

/** What a request would be. */
export interface RequestPreview {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
  readonly form?: readonly FormPart[] | undefined;
}

const systemSleep: Sleep = async (ms, signal) => {
  await wait(ms, undefined, signal ? { signal } : {});
};

/**
 * The one way to the service: pooled connections, time-outs, retry, one pause for all, one renewal of
 * credentials. Redirects are not followed.
 */
export class Transport {
  readonly #options: TransportOptions;
  readonly #now: () => number;
  readonly #sleep: Sleep;
  readonly #gate: Gate;
  /** The clock that it waits by, for those who wait between requests. */
  readonly clock: Clock;
  readonly #observers = new Set<(event: AttemptEvent) => void>();
  /** Addresses that have answered before. */
  readonly #reached = new Set<string>();
  /** Counts renewals, so that a request sent before one is not taken for a reason for the next. */
  #session = 0;
  #renewing: Promise<boolean> | undefined;

  constructor(options: TransportOptions) {
    this.#options = options;
    this.#now = options.now ?? Date.now;
    this.#sleep = options.sleep ?? systemSleep;
    this.#gate = new Gate(this.#now, this.#sleep);
    this.clock = { now: this.#now, sleep: this.#sleep };
  }

  /** Tells `observe` of each attempt as it ends, until the function that is returned is called. */
  watch(observe: (event: AttemptEvent) => void): () => void {
    this.#observers.add(observe);
    return () => void this.#observers.delete(observe);
  }

  /** The request as it would go out, its credentials masked; nothing is sent. */
  async preview(request: ServiceRequest): Promise<RequestPreview> {
    const { credentials, userAgent, addresses, signal } = this.#options;
    const plan = planRequest(request, addresses(request.api, request.auth), signal);
    const { method, origin, target, headers, body } = await signRequest(plan, credentials, userAgent);
    const own = Object.entries(headers).map(([name, value]) => [name, isSecretName(name) ? MASK : value]);
    const shown = { method, url: `${origin}${target}`, headers: Object.fromEntries(own) };
    return typeof body === 'string' ? { ...shown, body } : { ...shown, body: undefined, form: request.form };
  }

  /**
   * @returns a 2xx answer with its body parsed; its envelope is not looked at
   * @throws ServiceError for any other answer; CryptodataError of kind `usage` (nothing was sent),
   * `network` or `interrupted`; and whatever the credentials throw
   */
  async request(request: ServiceRequest): Promise<ServiceAnswer> {
    try {
      return await this.#request(request);
    } catch (error) {
      const { explain } = this.#options;
      if (!explain || !request.auth || !(error instanceof ServiceError)) throw error;
      // That it does not know more is no reason to lose the error.
      const more = await explain(error, request).catch(() => undefined);
      throw more ? error.explained(more) : error;
    }
  }

  async #request(request: ServiceRequest): Promise<ServiceAnswer> {
    const { credentials, userAgent, addresses, retries = 4 } = this.#options;
    const plan = planRequest(request, addresses(request.api, request.auth), this.#options.signal);
    const { signal } = plan;
    const tries = plan.idempotent ? retries + 1 : 1;
    let renewable = request.auth && credentials !== undefined;
    for (let attempt = 1; ; ) {
      await unlessAborted(this.#gate.pass(signal), signal);
      const session = this.#session;
      const out = await unlessAborted(signRequest(plan, credentials, userAgent), signal);
      // A pause may have begun while the credentials were made.
      await unlessAborted(this.#gate.pass(signal), signal);
      const report = this.#watch(out, attempt);
      try {
        const answer = await this.#send(out, request.read);
        report({ status: answer.status });
        return { ...answer, requestUrl: `${out.origin}${out.target}` };
      } catch (error) {
        if (!(error instanceof CryptodataError)) throw error;
        if (error.status === 401 && renewable) {
          report(outcome(error));
          // Refused before it reached the endpoint: even a POST may be sent once more.
          renewable = false;
          if (await unlessAborted(this.#renew(session), signal)) continue;
          throw error;
        }
        const pause = this.#pauseFor(error, attempt, this.#reached.has(plan.origin));
        if (pause === undefined || attempt >= tries) {
          report(outcome(error));
          throw error;
        }
        report({ ...outcome(error), retryInMs: pause.ms });
        // What the service asked for is waited for at the gate, with everyone else.
        if (!pause.shared) await unlessAborted(this.#sleep(pause.ms, signal), signal);
        attempt += 1;
      }
    }
  }

  /** How long to wait before another try; undefined where there is no sense in one. */
  #pauseFor(
    error: CryptodataError,
    attempt: number,
    reached: boolean,
  ): { ms: number; shared: boolean } | undefined {
    const { maxWaitSeconds = 120, random = Math.random } = this.#options;
    const asked = (error instanceof ServiceError && error.retryAfter) || 0;
    if (!isTransient(error, reached) || asked > maxWaitSeconds) return undefined;
    // Also after a request that is not repeated itself: the wait is asked of all.
    if (asked > 0) this.#gate.pause(asked * 1000);
    return asked > 0
      ? { ms: Math.ceil(asked * 1000), shared: true }
      : { ms: backoff(attempt, random), shared: false };
  }

  /** Begins to measure one attempt; what is returned ends it. */
  #watch(out: Outgoing, attempt: number): (how: Partial<AttemptEvent>) => void {
    const started = this.#now();
    const url = `${out.origin}${out.target}`;
    return (how) => {
      const event = { method: out.method, url, ms: this.#now() - started, attempt, ...how };
      this.#options.log?.(event);
      for (const observe of this.#observers) observe(event);
    };
  }

  async #send(out: Outgoing, read: ReadBody | undefined): Promise<Exchanged> {
    const { dispatcher, timeout, maxBodyBytes = 64 * 1024 * 1024 } = this.#options;
    try {
      const answer = await exchange(dispatcher, out, { maxBodyBytes, timeout, now: this.#now, read });
      this.#reached.add(out.origin);
      return answer;
    } catch (error) {
      if (error instanceof CryptodataError && error.status !== undefined) this.#reached.add(out.origin);
      throw error;
    }
  }

  /** One renewal for all that were refused together. */
  async #renew(session: number): Promise<boolean> {
    if (session !== this.#session) return true;
    this.#renewing ??= this.#renewOnce().finally(() => {
      this.#renewing = undefined;
    });
    return this.#renewing;
  }

  async #renewOnce(): Promise<boolean> {
    const renewed = (await this.#options.credentials?.renew()) ?? false;
    if (renewed) this.#session += 1;
    return renewed;
  }
}

function outcome(error: CryptodataError): Partial<AttemptEvent> {
  return error.status === undefined ? { error: error.code } : { status: error.status, error: error.code };
}
