// What a request and its answer contained, for the page of the sandbox. The server creates every request and response as
// one of these classes, so bodies are seen as they pass: nothing is buffered, and streams are not slowed.

import { IncomingMessage, type OutgoingHttpHeaders, ServerResponse } from 'node:http';

/** Bytes kept of each body. */
export const KEPT_BYTES = 16 * 1024;
const NOTHING = Buffer.alloc(0);

export type Headers = readonly (readonly [name: string, value: string])[];

/** The beginning of a body. */
export interface Excerpt {
  readonly bytes: Buffer;
  /** Length of the whole body so far. */
  readonly length: number;
}

export interface Exchange {
  /** Path and query as received. */
  readonly target: string;
  readonly requestHeaders: Headers;
  readonly requestBody: Excerpt;
  readonly responseHeaders: Headers;
  readonly responseBody: Excerpt;
}

class Recorder implements Excerpt {
  length = 0;
  #kept: Buffer = NOTHING;

  get bytes(): Buffer {
    return this.#kept;
  }

  add(chunk: unknown): void {
    if (typeof chunk === 'string') this.#addText(chunk);
    else if (chunk instanceof Uint8Array) {
      if (this.#kept.length < KEPT_BYTES) this.#keep(chunk.subarray(0, KEPT_BYTES - this.#kept.length));
      this.length += chunk.length;
    }
  }

  #addText(text: string): void {
    // A UTF-16 code unit takes at least one byte.
    const room = KEPT_BYTES - this.#kept.length;
    if (room > 0) this.#keep(Buffer.from(text.slice(0, room)).subarray(0, room));
    this.length += Buffer.byteLength(text);
  }

  /** Copies, because a small part of a large buffer would keep the whole buffer in memory. */
  #keep(part: Uint8Array): void {
    this.#kept = this.#kept.length === 0 ? Buffer.from(part) : Buffer.concat([this.#kept, part]);
  }
}

export class RecordedRequest extends IncomingMessage {
  readonly received = new Recorder();

  override push(...args: Parameters<IncomingMessage['push']>): boolean {
    this.received.add(args[0]);
    return super.push(...args);
  }
}

export class RecordedResponse extends ServerResponse<RecordedRequest> {
  readonly sent = new Recorder();
  #given: object = {};

  /** Headers that are passed here are not in `getHeaders()`. */
  override writeHead(status: number, ...rest: unknown[]): this {
    this.#given = rest.find((item) => typeof item === 'object' && item !== null) ?? {};
    return Reflect.apply(super.writeHead, this, [status, ...rest]);
  }

  override write(chunk: unknown, ...rest: unknown[]): boolean {
    this.sent.add(chunk);
    return Reflect.apply(super.write, this, [chunk, ...rest]);
  }

  override end(chunk?: unknown, ...rest: unknown[]): this {
    this.sent.add(chunk);
    return Reflect.apply(super.end, this, [chunk, ...rest]);
  }

  get sentHeaders(): Headers {
    if (!this.headersSent) return [];
    const headers: OutgoingHttpHeaders = { ...this.getHeaders(), ...this.#given };
    return Object.entries(headers).flatMap(([name, value]) =>
      (Array.isArray(value) ? value : [value ?? '']).map((one) => [name, String(one)] as const),
    );
  }
}

/** Keeps neither the request nor the response, which refer to their connection. */
export function exchangeOf(req: RecordedRequest, res: RecordedResponse): Exchange {
  const { rawHeaders, received } = req;
  return {
    target: req.url ?? '',
    requestHeaders: rawHeaders.flatMap((name, at) =>
      at % 2 === 0 ? [[name, rawHeaders[at + 1] ?? ''] as const] : [],
    ),
    requestBody: received,
    responseHeaders: res.sentHeaders,
    responseBody: res.sent,
  };
}
