import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { systemCode } from '../core/errors.ts';
import { count } from '../core/text.ts';

export interface DeliveryRefusal {
  readonly status: number;
  readonly why: string;
}

/** Timeouts in milliseconds. */
interface Timeouts {
  readonly headers: number;
  /** Maximum time for a complete request, in milliseconds. */
  readonly request: number;
  /** Milliseconds between checks for slow requests. */
  readonly interval: number;
}

const TIMEOUTS: Timeouts = { headers: 10_000, request: 30_000, interval: 2000 };

export interface ReceiveOptions {
  readonly host: string;
  readonly port: number;
  /** The only accepted path. If the path is undefined, every path is accepted. */
  readonly path?: string | undefined;
  /** Maximum size of a body in bytes. */
  readonly limit: number;
  readonly timeouts?: Timeouts | undefined;
  /** Accepts or refuses a complete body. The response is sent when the promise resolves. */
  readonly accept: (body: Buffer, headers: IncomingHttpHeaders) => Promise<200 | DeliveryRefusal>;
  /** Called for each request that is refused before its body is complete. */
  readonly refused: (refusal: DeliveryRefusal) => void;
}

export interface Receiver {
  readonly url: string;
  /** Stops listening, and waits for the requests in progress. */
  close(): Promise<void>;
}

/** Maximum total size of the bodies in memory, in bytes. Without this limit, many requests could exhaust the memory. */
const MAX_BYTES = 256 * 1024 * 1024;
const MAX_CONNECTIONS = 5000;
/** Number of milliseconds that requests in progress have left after the receiver closes. */
const CLOSE_TIMEOUT = 3000;
/**
 * Maximum number of milliseconds to read a refused body. The sender may miss a response that comes before the end of the body.
 */
const DRAIN_TIMEOUT = 1000;

const METHODS = new Set(['POST', 'PUT', 'PATCH']);

export async function receive(options: ReceiveOptions): Promise<Receiver> {
  const { host, port, limit, accept, refused, timeouts = TIMEOUTS } = options;
  const inProgress = new Set<Promise<void>>();
  let bytes = 0;
  let isClosing = false;
  const server = createServer({
    headersTimeout: timeouts.headers,
    requestTimeout: timeouts.request,
    connectionsCheckingInterval: timeouts.interval,
    keepAliveTimeout: 30_000,
    maxHeaderSize: 16 * 1024,
  });
  server.maxConnections = MAX_CONNECTIONS;
  server.on('clientError', (error, socket) => refuseConnection(error, socket as Socket, refused));
  server.on('request', (request, response) => {
    response.on('error', () => undefined);
    const work = handle(request, response).catch(() => request.socket.destroy());
    const done = work.then(() => void inProgress.delete(done));
    inProgress.add(done);
  });

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let held = 0;
    const reserve = (size: number) => {
      if (bytes + size > MAX_BYTES) return false;
      bytes += size;
      held += size;
      return true;
    };
    try {
      const body = refusalOf(request, options.path) ?? (await readBody(request, limit, reserve));
      if (!('status' in body)) return answer(response, await accept(body, request.headers), isClosing);
      // During the read, `refuseConnection` may already have reported and answered the request, for example with 408.
      if (request.socket.writableEnded) return;
      refused(body);
      await refuse(request, response, body);
    } finally {
      bytes -= held;
    }
  }

  const listening = once(server, 'listening');
  server.listen({ host, port, exclusive: true, backlog: 1024 });
  await listening;
  server.on('error', () => undefined);
  const address = server.address();
  const bound = typeof address === 'object' && address !== null ? address.port : port;
  return {
    url: `http://${host.includes(':') ? `[${host}]` : host}:${bound}`,
    async close() {
      isClosing = true;
      const timer = setTimeout(() => server.closeAllConnections(), CLOSE_TIMEOUT);
      await new Promise((resolve) => server.close(resolve));
      clearTimeout(timer);
      while (inProgress.size > 0) await Promise.all(inProgress);
    },
  };
}

function refusalOf(request: IncomingMessage, path: string | undefined): DeliveryRefusal | undefined {
  const [asked = ''] = (request.url ?? '').split('?', 1);
  if (path !== undefined && asked !== path) return { status: 404, why: `deliveries are accepted at ${path}` };
  if (!METHODS.has(request.method ?? '')) return { status: 405, why: 'deliveries must be POST requests' };
  // Refuse requests from web pages. Only browsers send these headers, and a page cannot suppress them. If the page uses a host
  // name that resolves to this machine, browsers omit Sec-Fetch-Site, but still send Origin with every POST.
  const { 'sec-fetch-site': site, origin } = request.headers;
  if (site !== undefined || origin !== undefined)
    return { status: 403, why: 'the request is from a web page' };
  const encoding = request.headers['content-encoding'] ?? 'identity';
  if (encoding.toLowerCase() !== 'identity') return { status: 415, why: 'Content-Encoding is not supported' };
  return undefined;
}

/** @param reserve reserves memory for a part of the body; returns false if not enough memory is left */
async function readBody(
  request: IncomingMessage,
  limit: number,
  reserve: (bytes: number) => boolean,
): Promise<Buffer | DeliveryRefusal> {
  const tooLarge = { status: 413, why: `the body is larger than ${count(limit)} bytes` };
  if (Number(request.headers['content-length'] ?? 0) > limit) return tooLarge;
  const parts: Buffer[] = [];
  let size = 0;
  try {
    // Do not destroy the request when the loop ends early, because the response must still be sent.
    for await (const part of request.iterator({ destroyOnReturn: false })) {
      size += part.length;
      if (size > limit) return tooLarge;
      if (!reserve(part.length)) return { status: 503, why: 'too many requests at the same time' };
      parts.push(part);
    }
  } catch {
    return { status: 400, why: 'the connection closed before the body was complete' };
  }
  return Buffer.concat(parts);
}

function answer(response: ServerResponse, result: 200 | DeliveryRefusal, isLast: boolean): void {
  const [status, text] = result === 200 ? [200, ''] : [result.status, `${result.why}\n`];
  response.writeHead(status, {
    'content-length': Buffer.byteLength(text),
    ...(text === '' ? {} : { 'content-type': 'text/plain; charset=utf-8' }),
    ...(isLast ? { connection: 'close' } : {}),
  });
  response.end(text);
}

async function refuse(
  request: IncomingMessage,
  response: ServerResponse,
  { status, why }: DeliveryRefusal,
): Promise<void> {
  const text = `${why}\n`;
  response.writeHead(status, {
    connection: 'close',
    'content-type': 'text/plain; charset=utf-8',
    'content-length': Buffer.byteLength(text),
    ...(status === 405 ? { allow: 'POST' } : {}),
    ...(status === 503 ? { 'retry-after': '5' } : {}),
  });
  response.write(request.method === 'HEAD' ? '' : text);
  request.resume();
  if (!request.complete && !request.destroyed) {
    await once(request, 'end', { signal: AbortSignal.timeout(DRAIN_TIMEOUT) }).catch(() => undefined);
  }
  response.end();
}

const CONNECTION_REFUSALS: Readonly<Record<string, DeliveryRefusal>> = {
  ERR_HTTP_REQUEST_TIMEOUT: { status: 408, why: 'the request took too long' },
  HPE_HEADER_OVERFLOW: { status: 431, why: 'the headers are too large' },
};
const NOT_HTTP: DeliveryRefusal = { status: 400, why: 'the request is not HTTP' };

/** Refuses a connection that uses TLS or another protocol, sends headers without end, or takes too long. */
function refuseConnection(error: Error, socket: Socket, refused: ReceiveOptions['refused']): void {
  const code = systemCode(error) ?? '';
  if (code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const refusal = CONNECTION_REFUSALS[code] ?? NOT_HTTP;
  refused(refusal);
  socket.end(`HTTP/1.1 ${refusal.status} ${refusal.why}\r\nconnection: close\r\ncontent-length: 0\r\n\r\n`);
  socket.destroySoon();
}
