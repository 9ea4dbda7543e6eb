// Records the headers and bodies of requests and responses for the sandbox page. The server uses the classes in this file for
// its requests and responses. The classes copy the beginning of each body, and pass the stream on without delay.

import { IncomingMessage, type OutgoingHttpHeaders, ServerResponse } from 'node:http';

/** Number of bytes to keep of each body. */
export const KEPT_BYTES = 16 * 1024;
/** Number of requests whose headers and bodies are kept. */
export const MAX_RECENT = 200;

const NOTHING = Buffer.alloc(0);

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
  #kept = 0;
  #room: (() => Buffer) | undefined;

  get bytes(): Buffer {
    return this.#kept === 0 ? NOTHING : (this.#room?.().subarray(0, this.#kept) ?? NOTHING);
  }

  start(room: () => Buffer): void {
    this.#room = room;
  }

  stop(): void {
    this.#room = undefined;
  }

  add(chunk: unknown): void {
    if (this.#room === undefined) return;
    const left = KEPT_BYTES - this.#kept;
    if (typeof chunk === 'string') {
      if (left > 0) this.#kept += this.#room().write(chunk, this.#kept);
      this.length += Buffer.byteLength(chunk);
    } else if (chunk instanceof Uint8Array) {
      if (left > 0) {
        this.#room().set(chunk.length > left ? chunk.subarray(0, left) : chunk, this.#kept);
        this.#kept += Math.min(left, chunk.length);
      }
      this.length += chunk.length;
    }
  }
}

/** Reusable memory for the newest bodies. Allocating memory for each request would slow down the sandbox. */
export class Excerpts {
  readonly #owners: Recorder[] = [];
  readonly #rooms: Buffer[] = [];
  #count = 0;

  /** Starts to record a body. Reuses the memory of the oldest recorded body. */
  record(recorder: Recorder): void {
    const at = this.#count % MAX_RECENT;
    this.#count += 1;
    this.#owners[at]?.stop();
    this.#owners[at] = recorder;
    recorder.start(() => {
      const room = this.#rooms[at] ?? Buffer.allocUnsafeSlow(KEPT_BYTES);
      this.#rooms[at] = room;
      return room;
    });
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
