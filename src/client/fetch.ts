import { addAbortSignal, Readable } from 'node:stream';
import type { ReadableStream } from 'node:stream/web';
import { type Dispatcher, errors } from 'undici';
import { UpstreamError, type UsageError, usageError } from '../core/errors.ts';
import { unlessAborted } from '../core/network.ts';
import { visible } from './text.ts';

/** A function such as the global `fetch`. */
export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

/** The part of undici's dispatcher that sends requests. */
export type Sender = Pick<Dispatcher, 'request'>;

/**
 * Sends requests with a function such as the global `fetch`. The function may ignore the signal and the options that it
 * receives, so its response is checked. Redirects are not followed, because a redirect could send credentials to another
 * server.
 */
export class FetchSender {
  readonly #fetch: Fetch;
  readonly #pending = new Set<Promise<unknown>>();
  #isClosed = false;

  constructor(fetch: Fetch) {
    if (typeof fetch !== 'function') throw usageError('"fetch" is not a function', undefined, 'BAD_OPTION');
    this.#fetch = fetch;
  }

  readonly request = (async (options: Dispatcher.RequestOptions) => {
    if (this.#isClosed) throw new errors.ClientClosedError();
    const { method, origin, path, headers, body } = options;
    const signal = (options.signal as AbortSignal | null | undefined) ?? undefined;
    const init = {
      method,
      headers: headers as Record<string, string>,
      signal: signal ?? null,
      redirect: 'manual' as const,
      ...bodyOf(body),
    };
    const response = await this.#track(unlessAborted(this.#fetch(`${origin}${path}`, init), signal));
    const own = checkResponse(response);
    const stream = streamOf(response);
    if (signal) addAbortSignal(signal, stream);
    this.#track(new Promise((resolve) => stream.once('close', resolve)));
    return { statusCode: response.status, headers: own, body: stream };
  }) as unknown as Sender['request'];

  /** Waits for the requests that are in progress. Refuses later requests. */
  async close(): Promise<void> {
    this.#isClosed = true;
    // When a response arrives, also wait for its body.
    while (this.#pending.size > 0) await Promise.allSettled(this.#pending);
  }

  #track<T>(work: Promise<T>): Promise<T> {
    const done = Promise.resolve(work).finally(() => this.#pending.delete(done));
    this.#pending.add(done);
    done.catch(() => {});
    return done;
  }
}

function checkResponse(response: Response): Record<string, string> {
  const { status, headers, bodyUsed, body } = Object(response) as Partial<Response>;
  if (typeof status !== 'number' || typeof headers?.forEach !== 'function') {
    throw badFetch('returned something other than a Response');
  }
  if (bodyUsed || body?.locked) throw badFetch('returned a response whose body was already read');
  if (status === 0) throw new TypeError('"fetch" returned an error as its response');
  if (response.redirected) {
    throw new UpstreamError('REDIRECTED', `"fetch" followed a redirect to ${visible(response.url, 200)}`, {
      hint: 'The redirect may have sent credentials to another server. Your "fetch" must pass on its second argument, which contains "redirect" and "signal".',
    });
  }
  const own: Record<string, string> = {};
  headers.forEach((value, name) => {
    own[name.toLowerCase()] = value;
  });
  // `fetch` has already decompressed the body.
  if ('content-encoding' in own) for (const name of ['content-encoding', 'content-length']) delete own[name];
  return own;
}

function streamOf({ body }: Response): Readable {
  if (!body) return Readable.from([]);
  const isWeb = typeof body.getReader === 'function';
  return isWeb
    ? Readable.fromWeb(body as ReadableStream)
    : Readable.from(body as unknown as AsyncIterable<Uint8Array>);
}

function badFetch(what: string): UsageError {
  return usageError(`"fetch" ${what}`, 'Return the unread response of the global fetch.', 'BAD_OPTION');
}

function bodyOf(body: Dispatcher.RequestOptions['body']): RequestInit {
  if (body === null || body === undefined) return {};
  if (typeof body === 'string') return { body };
  return {
    body: Readable.toWeb(body as Readable) as unknown as NonNullable<RequestInit['body']>,
    duplex: 'half',
  };
}
