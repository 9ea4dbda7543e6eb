import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { systemCode } from '../core/errors.ts';
import { type Refusal, Room, readBody } from './body.ts';

export interface Timeouts {
  /** Milliseconds for the headers of a request. */
  readonly headers: number;
  /** Milliseconds for a whole request. */
  readonly request: number;
  /** Milliseconds between two looks at who takes longer. */
  readonly look: number;
}

const TIMEOUTS: Timeouts = { headers: 10_000, request: 30_000, look: 2000 };

/** A body that came whole, with what stood above it. */
export interface Arrival {
  readonly body: Buffer;
  readonly headers: Readonly<Record<string, string | undefined>>;
}

export interface ReceiverOptions {
  readonly host: string;
  readonly port: number;
  /** The one path that is taken; undefined for any. */
  readonly path: string | undefined;
  /** Bytes of a body. */
  readonly limit: number;
  readonly timeouts?: Timeouts | undefined;
  /** Decides on a body; the answer leaves when it resolves. */
  readonly take: (arrival: Arrival) => Promise<200 | Refusal>;
  /** Told of what was refused before it came to that. */
  readonly refused: (refusal: Refusal) => void;
}

export interface Receiver {
  readonly url: string;
  /** Stops listening, then answers what has come. */
  close(): Promise<void>;
}

/** Bytes of bodies that are held at once. */
const ROOM = 256 * 1024 * 1024;
const CONNECTIONS = 5000;
/** Milliseconds for connections that are in the middle of a request when the listener stops. */
const LAST_CALL = 3000;

const METHODS = new Set(['POST', 'PUT', 'PATCH']);

/**
 * Listens for deliveries over HTTP. What is no delivery is refused with as little work as can be: wrong paths and methods,
 * what is too large, too slow, no HTTP.
 */
export async function receive(options: ReceiverOptions): Promise<Receiver> {
  const { host, port, timeouts = TIMEOUTS } = options;
  const room = new Room(ROOM);
  const inHand = new Set<Promise<void>>();
  let stopping = false;
  const server = createServer({
    headersTimeout: timeouts.headers,
    requestTimeout: timeouts.request,
    connectionsCheckingInterval: timeouts.look,
    keepAliveTimeout: 30_000,
    maxHeaderSize: 16 * 1024,
  });
  server.maxConnections = CONNECTIONS;
  server.on('clientError', (error, socket) => refuseConnection(error, socket as Socket, options));
  server.on('request', (request, response) => {
    response.on('error', () => undefined);
    const work = handle(request, response, options, room, () => stopping).catch(() => {
      request.socket.destroy();
    });
    inHand.add(work);
    void work.finally(() => inHand.delete(work));
  });
  await bound(server, host, port);
  return {
    url: urlOf(server, host),
    async close() {
      stopping = true;
      const closed = new Promise((resolve) => server.close(resolve));
      const timer = setTimeout(() => server.closeAllConnections(), LAST_CALL);
      await closed;
      clearTimeout(timer);
      while (inHand.size > 0) await Promise.all(inHand);
    },
  };
}

async function handle(
  request: IncomingMessage,
  response: ServerResponse,
  options: ReceiverOptions,
  room: Room,
  isStopping: () => boolean,
): Promise<void> {
  const early = refusalOf(request, options.path);
  if (early) return refuse(request, response, early, options);
  const { body, done } = await readBody(request, options.limit, room);
  try {
    if ('status' in body) return await refuse(request, response, body, options);
    const answer = await options.take({ body, headers: singleHeaders(request) });
    const [status, text] = answer === 200 ? [200, ''] : [answer.status, `${answer.why}\n`];
    response.writeHead(status, {
      'content-length': Buffer.byteLength(text),
      ...(text === '' ? {} : { 'content-type': 'text/plain; charset=utf-8' }),
      ...(isStopping() ? { connection: 'close' } : {}),
    });
    response.end(text);
  } finally {
    done();
  }
}

function refusalOf(request: IncomingMessage, path: string | undefined): Refusal | undefined {
  const [asked = ''] = (request.url ?? '').split('?', 1);
  if (path !== undefined && asked !== path) return { status: 404, why: `deliveries go to ${path}` };
  if (!METHODS.has(request.method ?? '')) return { status: 405, why: 'deliveries are POSTed' };
  // Browsers alone send these, and pages cannot keep them from it: any page could feed what listens on this machine. The
  // first is not sent to a name that leads here only because the page's owner says so; the second is, with every POST.
  const { 'sec-fetch-site': site, origin } = request.headers;
  if (site !== undefined || origin !== undefined) return { status: 403, why: 'it came from a web page' };
  const encoding = request.headers['content-encoding'] ?? 'identity';
  if (encoding.toLowerCase() !== 'identity') return { status: 415, why: 'the body has a content-encoding' };
  return undefined;
}

/** Connections that were given up, and told of, in the middle of a request. */
const told = new WeakSet<Socket>();

/** Milliseconds in which a refused body may still come: who is cut off in the middle never reads the answer. */
const DRAIN = 1000;

async function refuse(
  request: IncomingMessage,
  response: ServerResponse,
  refusal: Refusal,
  { refused }: ReceiverOptions,
): Promise<void> {
  if (!told.has(request.socket)) refused(refusal);
  const text = `${refusal.why}\n`;
  response.writeHead(refusal.status, {
    connection: 'close',
    'content-type': 'text/plain; charset=utf-8',
    'content-length': Buffer.byteLength(text),
    ...(refusal.status === 405 ? { allow: 'POST' } : {}),
    ...(refusal.status === 503 ? { 'retry-after': '5' } : {}),
  });
  response.write(request.method === 'HEAD' ? '' : text);
  request.resume();
  if (!request.complete && !request.destroyed) {
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, DRAIN);
      const done = () => {
        clearTimeout(timer);
        resolve();
      };
      request.once('end', done).once('close', done).once('error', done);
    });
  }
  response.end();
}

const SAID: Readonly<Record<string, Refusal>> = {
  ERR_HTTP_REQUEST_TIMEOUT: { status: 408, why: 'the request took too long' },
  HPE_HEADER_OVERFLOW: { status: 431, why: 'the headers are too large' },
};
const NO_HTTP: Refusal = { status: 400, why: 'it is not HTTP' };

/** Not TLS, not HTTP, headers without end, or nothing for a long time: an answer as short as can be. */
function refuseConnection(error: Error, socket: Socket, { refused }: ReceiverOptions): void {
  const code = systemCode(error) ?? '';
  if (code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const refusal = SAID[code] ?? NO_HTTP;
  if (!told.has(socket)) {
    told.add(socket);
    refused(refusal);
  }
  socket.end(`HTTP/1.1 ${refusal.status} ${refusal.why}\r\nconnection: close\r\ncontent-length: 0\r\n\r\n`);
  // Who does not read it either has no more claim on the connection.
  socket.destroySoon();
}

function singleHeaders({ headers }: IncomingMessage): Record<string, string | undefined> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, Array.isArray(value) ? value.join(', ') : value]),
  );
}

function bound(server: Server, host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen({ host, port, exclusive: true, backlog: 1024 }, () => {
      server.off('error', reject);
      server.on('error', () => undefined);
      resolve();
    });
  });
}

function urlOf(server: Server, host: string): string {
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
}
