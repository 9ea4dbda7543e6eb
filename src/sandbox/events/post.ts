// One attempt to deliver. However a receiver behaves, it ends: with a status, or with what went wrong.

import { request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';

export type Outcome = { readonly status: number } | { readonly error: string };

export interface PostOptions {
  readonly headers: Readonly<Record<string, string>>;
  /** Milliseconds of real time for the whole answer: a receiver that hangs does so in real time. */
  readonly timeout: number;
  readonly signal: AbortSignal;
}

/** What a receiver says is of no interest; one that says more than this is not listened to. */
const MOST_BYTES = 65_536;

export function post(url: string, body: Buffer, { headers, timeout, signal }: PostOptions): Promise<Outcome> {
  return new Promise((resolve) => {
    const send = url.startsWith('https:') ? httpsRequest : httpRequest;
    // A connection for each: one that is kept may be closed by the other side just as it is used again.
    const request = send(url, {
      method: 'POST',
      agent: false,
      headers: {
        'content-type': 'application/json',
        'content-length': String(body.length),
        connection: 'close',
        ...headers,
      },
    });
    let outcome: Outcome | undefined;
    const timer = setTimeout(() => end({ error: `no answer within ${timeout} ms` }), timeout);
    const abort = () => end({ error: 'called off' });

    function end(otherwise: Outcome): void {
      clearTimeout(timer);
      signal.removeEventListener('abort', abort);
      resolve(outcome ?? otherwise);
      request.destroy();
    }

    signal.addEventListener('abort', abort);
    request.on('error', (error) => end({ error: textOf(error) }));
    request.on('response', (response) => {
      outcome = { status: response.statusCode ?? 0 };
      let bytes = 0;
      response.on('data', (chunk: Buffer) => {
        bytes += chunk.length;
        if (bytes > MOST_BYTES) end({ error: '' });
      });
      response.on('close', () => end({ error: '' }));
      response.on('error', () => end({ error: '' }));
    });
    if (signal.aborted) return abort();
    request.end(body);
  });
}

function textOf(error: Error): string {
  return 'code' in error && typeof error.code === 'string' ? error.code : error.message;
}
