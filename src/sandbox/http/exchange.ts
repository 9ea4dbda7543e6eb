// Records the headers and bodies of requests and responses for the sandbox page. The server uses the classes in this file for
// its requests and responses. The classes copy the beginning of each body, and pass the stream on without delay.

import { IncomingMessage, type OutgoingHttpHeaders, ServerResponse } from 'node:http';

/** Number of bytes to keep of each body. */
export const KEPT_BYTES = 16 * 1024;
/** Number of requests whose headers and bodies are kept. */
export const MAX_RECENT = 200;

export type Headers = readonly (readonly [name: string, value: string])[];

/** The beginning of a body. */
export interface Excerpt {
  readonly bytes: Buffer;
  /** Number of bytes of the body so far, including bytes that are not kept. */
  readonly length: number;
}

export interface Exchange {
  /** Path and query of the request, as received. */
  readonly target: string;
  readonly requestHeaders: Headers;
  readonly requestBody: Excerpt;
  readonly responseHeaders: Headers;
  readonly responseBody: Excerpt;
}

class Recorder implements Excerpt {
  length = 0;
  bytes = Buffer.alloc(0);
  /** Whether to keep the beginning of the body. */
  keeps = false;

  add(chunk: unknown): void {
    if (!this.keeps || !(typeof chunk === 'string' || chunk instanceof Uint8Array)) return;
    this.length += Buffer.byteLength(chunk);
    const left = KEPT_BYTES - this.bytes.length;
    if (left <= 0) return;
    // A character of a string takes at least one byte.
    const more = Buffer.from(chunk.slice(0, left + 1)).subarray(0, left);
    this.bytes = this.bytes.length === 0 ? more : Buffer.concat([this.bytes, more]);
  }
}

type Callback = (error: Error | null | undefined) => void;

export class RecordedRequest extends IncomingMessage {
  readonly received = new Recorder();

  override push(chunk: unknown, encoding?: BufferEncoding): boolean {
    this.received.add(chunk);
    return super.push(chunk, encoding);
  }
}

export class RecordedResponse extends ServerResponse<RecordedRequest> {
  readonly sent = new Recorder();
  /** The headers passed to `writeHead`. Stored here, because `getHeaders()` does not return these headers. */
  given: object = {};

  override writeHead(status: number, ...rest: unknown[]): this {
    for (const item of rest) if (typeof item === 'object' && item !== null) this.given = item;
    return Reflect.apply(super.writeHead, this, [status, ...rest]);
  }

  override write(chunk: unknown, encoding?: BufferEncoding | Callback, callback?: Callback): boolean {
    this.sent.add(chunk);
    return typeof encoding === 'string'
      ? super.write(chunk, encoding, callback)
      : super.write(chunk, encoding ?? callback);
  }

  override end(chunk?: unknown, encoding?: unknown, callback?: unknown): this {
    this.sent.add(chunk);
    return Reflect.apply(super.end, this, [chunk, encoding, callback]);
  }
}

/** The exchange must not reference `req` or `res`, because such a reference would keep the connection in memory. */
export function exchangeOf(req: RecordedRequest, res: RecordedResponse): Exchange {
  const { url: target = '', rawHeaders, received } = req;
  const { sent, given, headersSent } = res;
  const own = res.getHeaders();
  return {
    target,
    requestBody: received,
    responseBody: sent,
    // Compute the headers only when they are read, because most requests are never shown.
    get requestHeaders() {
      return rawHeaders.flatMap((name, at) =>
        at % 2 === 0 ? [[name, rawHeaders[at + 1] ?? ''] as const] : [],
      );
    },
    get responseHeaders() {
      return headersSent ? headersOf({ ...own, ...given }) : [];
    },
  };
}

function headersOf(headers: OutgoingHttpHeaders): Headers {
  return Object.entries(headers).flatMap(([name, value]) =>
    (Array.isArray(value) ? value : [value ?? '']).map((one) => [name, String(one)] as const),
  );
}
