import { Readable } from 'node:stream';
import type { ReadableStream } from 'node:stream/web';
import type { Dispatcher } from 'undici';

/** A function such as the global `fetch`. */
export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

/** The part of undici's dispatcher that sends requests. */
export type Sender = Pick<Dispatcher, 'request'>;

/** Sends requests with a function such as the global `fetch`. Redirects are not followed, because they could leak credentials. */
export function fetchSender(fetch: Fetch): Sender {
  return {
    request: async ({ method, origin, path, headers, body, signal }: Dispatcher.RequestOptions) => {
      const response = await fetch(`${origin}${path}`, {
        method,
        headers: headers as Record<string, string>,
        signal: (signal as AbortSignal | null | undefined) ?? null,
        redirect: 'manual',
        ...bodyOf(body),
      });
      const own = Object.fromEntries(response.headers);
      // `fetch` has already decompressed the body.
      if ('content-encoding' in own)
        for (const name of ['content-encoding', 'content-length']) delete own[name];
      const stream = response.body ? Readable.fromWeb(response.body as ReadableStream) : Readable.from([]);
      return {
        statusCode: response.status,
        headers: own,
        body: stream,
      } as unknown as Dispatcher.ResponseData;
    },
  } as Sender;
}

function bodyOf(body: Dispatcher.RequestOptions['body']): RequestInit {
  if (body === null || body === undefined) return {};
  if (typeof body === 'string') return { body };
  return {
    body: Readable.toWeb(body as Readable) as unknown as NonNullable<RequestInit['body']>,
    duplex: 'half',
  };
}
