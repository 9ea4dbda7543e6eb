// The HTTP servers of the sandbox, one for each address. The servers check every request before they look for the endpoint.

import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Meet } from '../faults/meet.ts';
import { ADDRESSES, type AddressName, addressOf, misdirected, type Origins, remarksOn } from './addresses.ts';
import { isControl } from './control.ts';
import { exchangeOf, RecordedRequest, RecordedResponse } from './exchange.ts';
import { isLoopbackHost } from './origin.ts';
import { queryRecord, type ReceivedRequests } from './request-log.ts';

type Handler = (req: IncomingMessage, res: ServerResponse) => void;
type RecordingServer = Server<typeof RecordedRequest, typeof RecordedResponse>;

export interface ServerParts {
  readonly log: ReceivedRequests;
  readonly origins: Origins;
  /** Applies the matching faults to a request. Routes the request unless a fault replaces the response. */
  readonly meet: Meet;
  readonly clock: () => number;
  /** Answers requests below /oidc; resolves to false if the endpoint does not exist. */
  readonly identity: (req: IncomingMessage, res: ServerResponse, url: URL) => Promise<boolean>;
  /** Handles all other requests. */
  readonly application: Handler;
}

/** Binds the ports before anything else is set up, because tokens and redirects contain the ports. */
export async function bindServers(port: number, oneOrigin: boolean) {
  const names = oneOrigin ? [undefined] : ADDRESSES;
  /** The address of each server; undefined for the only server of `oneOrigin`, which serves all paths. */
  const servers: [AddressName | undefined, RecordingServer][] = [];
  const origins: string[] = [];
  const close = async () => {
    await Promise.all(
      servers.map(([, server]) => {
        const closed = new Promise<void>((resolve) => server.close(() => resolve()));
        server.closeAllConnections();
        return closed;
      }),
    );
  };
  try {
    for (const [at, name] of names.entries()) {
      const server = createServer({
        keepAliveTimeout: 30_000,
        maxHeaderSize: 64 * 1024,
        IncomingMessage: RecordedRequest,
        ServerResponse: RecordedResponse,
      });
      servers.push([name, server]);
      origins.push(`http://127.0.0.1:${await bind(server, port === 0 ? 0 : port + at)}`);
    }
  } catch (error) {
    await close();
    throw error;
  }
  const [first = ''] = origins;
  const [auth_url = '', base_url = first, legacy_base_url = first, legacy_public_url = first] = origins;
  const named: Origins = { auth_url, base_url, legacy_base_url, legacy_public_url };
  return { servers, origins: named, close };
}

/** Returns the port on which the server listens. */
function bind(server: RecordingServer, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen({ port, host: '127.0.0.1' }, () => {
      server.off('error', reject);
      const address = server.address();
      if (typeof address === 'object' && address !== null) resolve(address.port);
      else reject(new Error('The server has no port'));
    });
  });
}

/** Returns the handler of the server at an address. */
export function createHandlers(parts: ServerParts) {
  const { log, origins, meet, clock, identity, application } = parts;

  return (own: AddressName | undefined) => (req: RecordedRequest, res: RecordedResponse) => {
    if (!isLoopbackHost(req.headers.host)) {
      return refuse(res, 403, 'forbidden', 'The sandbox accepts only loopback host names');
    }
    const url = parseTarget(req.url);
    if (url === undefined) return refuse(res, 400, 'bad_request', 'Malformed request target');
    const { pathname: path } = url;
    if (isControl(path)) return route(req, res, url);
    const home = addressOf(path);
    if (own !== undefined && home !== undefined && home !== own) misdirected.add(req);
    const faults: string[] = [];
    record(req, res, url, own ?? home ?? 'base_url', faults);
    meet({ req, res, path, faults }, () => route(req, res, url));
  };

  function route(req: IncomingMessage, res: ServerResponse, url: URL): void {
    if (!url.pathname.startsWith('/oidc/') || misdirected.has(req)) {
      application(req, res);
      return;
    }
    identity(req, res, url).then(
      (answered) => {
        if (!answered) application(req, res);
      },
      () => (res.headersSent ? res.destroy() : refuse(res, 500, 'server_error', 'The sandbox failed')),
    );
  }

  function record(
    req: RecordedRequest,
    res: RecordedResponse,
    url: URL,
    address: AddressName,
    faults: readonly string[],
  ): void {
    const { method = '', headers } = req;
    const { pathname: path, searchParams } = url;
    req.received.keeps = true;
    res.sent.keeps = true;
    const other = headers['x-api-key'] === undefined ? 'none' : 'api-key';
    const credential = headers.authorization === undefined ? other : 'bearer';
    const remarks = remarksOn(req, path, address, origins);
    const settle = log.open(
      {
        ...{ method, address, path, query: queryRecord(searchParams), time: clock(), credential },
        ...(remarks.length === 0 ? {} : { remarks }),
      },
      {
        outcome: () => ({
          status: res.headersSent ? res.statusCode : 0,
          ...(faults.length === 0 ? {} : { faults }),
        }),
        exchange: () => exchangeOf(req, res),
      },
    );
    // Each response, complete or not, emits `close` exactly once.
    res.once('close', settle);
  }
}

function parseTarget(target: string | undefined): URL | undefined {
  if (target === undefined || !target.startsWith('/') || !URL.canParse(target, 'http://sandbox'))
    return undefined;
  return new URL(target.replace(/^\/+/, '/'), 'http://sandbox');
}

function refuse(res: ServerResponse, status: number, error: string, description: string): void {
  res.writeHead(status, { 'content-type': 'application/json; charset=utf-8' });
  res.end(JSON.stringify({ error, error_description: description }));
}
