// Sends a response to the client, either unchanged or with a fault.

import type { OutgoingHttpHeader, OutgoingHttpHeaders, ServerResponse } from 'node:http';

export interface HeldResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, OutgoingHttpHeader>>;
  readonly body: Buffer;
}

/** Milliseconds to wait before a reset, so that the client can read the bytes sent so far. */
const FLUSH = 20;

/**
 * Runs a handler and captures its response instead of sending it. The captured response includes the headers that the handler
 * set.
 */
export function hold(res: ServerResponse, run: () => void): Promise<HeldResponse> {
  const { writeHead, write, end } = res;
  const pieces: Buffer[] = [];
  const take = (chunk: unknown, encoding: unknown) => {
    if (typeof chunk === 'string') {
      pieces.push(
        Buffer.from(chunk, typeof encoding === 'string' && Buffer.isEncoding(encoding) ? encoding : 'utf8'),
      );
    } else if (chunk instanceof Uint8Array) pieces.push(Buffer.from(chunk));
  };
  const called = (rest: readonly unknown[]) => {
    for (const callback of rest) if (typeof callback === 'function') process.nextTick(() => callback());
  };
  return new Promise((resolve) => {
    const holding = {
      writeHead(status: number, ...rest: unknown[]): ServerResponse {
        res.statusCode = status;
        const given = rest.find((item) => typeof item === 'object' && item !== null) ?? {};
        for (const [name, value] of Object.entries(given)) res.setHeader(name, value);
        return res;
      },
      write(chunk: unknown, ...rest: unknown[]): boolean {
        take(chunk, rest[0]);
        called(rest);
        return true;
      },
      end(chunk: unknown, ...rest: unknown[]): ServerResponse {
        take(chunk, rest[0]);
        called([chunk, ...rest]);
        Object.assign(res, { writeHead, write, end });
        const headers = Object.fromEntries(
          Object.entries(res.getHeaders()).filter(
            (entry): entry is [string, OutgoingHttpHeader] => entry[1] !== undefined,
          ),
        );
        resolve({ status: res.statusCode, headers, body: Buffer.concat(pieces) });
        return res;
      },
    };
    Object.assign(res, holding);
    run();
  });
}

export function resetConnection(res: ServerResponse): void {
  if (res.socket === null) res.destroy();
  else res.socket.resetAndDestroy();
}

/** How much of a response is sent, and how the connection ends. */
export interface ResponseCut {
  readonly bytes: number;
  /** Value of the content-length header. */
  readonly declared: number;
  /** Whether to end the connection with a reset instead of a normal close. */
  readonly reset: boolean;
}

export interface Delays {
  /** Milliseconds to wait before the headers are sent. */
  readonly before: number;
  /** Milliseconds between two pieces of the body. If `drip` is 0, the body is sent in one piece. */
  readonly drip: number;
  /** Bytes per piece. */
  readonly chunk: number;
}

interface Sending extends Omit<Delays, 'before'> {
  /** The part of the response to send. If undefined, the whole response is sent. */
  readonly cut: ResponseCut | undefined;
}

export async function sendResponse(
  res: ServerResponse,
  answer: HeldResponse,
  sending: Sending,
): Promise<void> {
  if (res.destroyed) return;
  const { body } = answer;
  const { bytes, declared, reset } = sending.cut ?? {
    bytes: body.length,
    declared: body.length,
    reset: false,
  };
  res.writeHead(answer.status, headersOf(res, answer, declared));
  res.flushHeaders();
  await sendBody(res, body.subarray(0, bytes), sending);
  if (res.destroyed) return;
  if (reset) {
    // Wait, because a reset may discard bytes that the client has not read yet.
    await waitFor(res, FLUSH);
    resetConnection(res);
  } else if (declared === bytes) res.end();
  else res.socket?.destroySoon();
}

/** Sets content-length to `declared`. A response to HEAD, or an empty response without content-length, keeps its headers. */
function headersOf(
  res: ServerResponse,
  { headers, body }: HeldResponse,
  declared: number,
): OutgoingHttpHeaders {
  const bodiless =
    res.req.method === 'HEAD' || (body.length === 0 && headers['content-length'] === undefined);
  res.removeHeader('transfer-encoding');
  return bodiless ? { ...headers } : { ...headers, 'content-length': declared };
}

async function sendBody(res: ServerResponse, body: Buffer, { drip, chunk }: Sending): Promise<void> {
  const size = drip === 0 ? Math.max(1, body.length) : chunk;
  for (let start = 0; start < body.length && !res.destroyed; start += size) {
    if (start > 0) await waitFor(res, drip);
    await written(res, body.subarray(start, start + size));
  }
}

function written(res: ServerResponse, piece: Buffer): Promise<void> {
  return new Promise((resolve) => {
    if (res.destroyed) return resolve();
    res.once('close', resolve);
    res.write(piece, () => {
      res.off('close', resolve);
      resolve();
    });
  });
}

/** Waits for the given real time, or until the client disconnects. */
export function waitFor(res: ServerResponse, milliseconds: number): Promise<void> {
  return new Promise((resolve) => {
    if (milliseconds === 0 || res.destroyed) return resolve();
    const over = () => {
      clearTimeout(timer);
      res.off('close', over);
      resolve();
    };
    const timer = setTimeout(over, milliseconds);
    res.once('close', over);
  });
}
