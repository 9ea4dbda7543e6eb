// The HTTP server of the sandbox. It checks every request before it looks for the endpoint.

import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { isControl } from './control.ts';
import { Excerpts, exchangeOf, RecordedRequest, RecordedResponse } from './exchange.ts';
import type { Meet } from '../faults/meet.ts';
import { type Journal, queryRecord } from './request-log.ts';
import { isLoopbackHost } from './origin.ts';

export type Handler = (req: IncomingMessage, res: ServerResponse) => void;
type RecordingHandler = (req: RecordedRequest, res: RecordedResponse) => void;
type RecordingServer = Server<typeof RecordedRequest, typeof RecordedResponse>;

export interface ServerParts {
  readonly journal: Journal;
  /** Applies the matching faults to a request. Routes the request unless a fault replaces the response. */
  readonly meet: Meet;
  readonly clock: () => number;
  /** Answers requests below /oidc; resolves to false if the endpoint does not exist. */
  readonly identity: (req: IncomingMessage, res: ServerResponse, url: URL) => Promise<boolean>;
  /** Handles all other requests. */
  readonly application: Handler;
}

/** Binds the port before anything else is set up, because tokens and redirects contain the port. */
export async function listen(port: number): Promise<{ server: RecordingServer; origin: string }> {
  const server = createServer({
    keepAliveTimeout: 30_000,
    maxHeaderSize: 64 * 1024,
    IncomingMessage: RecordedRequest,
    ServerResponse: RecordedResponse,
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen({ port, host: '127.0.0.1' }, () => {
      server.off('error', reject);
      resolve();
    });
  });
  return { server, origin: `http://127.0.0.1:${portOf(server.address())}` };
}

function portOf(address: AddressInfo | string | null): number {
  if (address === null || typeof address === 'string') throw new Error('The server has no port');
  return address.port;
}

export function createHandler({
  journal,
  clock,
  meet,
  identity,
  application,
}: ServerParts): RecordingHandler {
  const [received, sent] = [new Excerpts(), new Excerpts()];

  return (req, res) => {
    if (!isLoopbackHost(req.headers.host)) {
      return refuse(res, 403, 'forbidden', 'The sandbox accepts only loopback host names');
    }
    const url = parseTarget(req.url);
    if (url === undefined) return refuse(res, 400, 'bad_request', 'Malformed request target');
    if (isControl(url.pathname)) {
      route(req, res, url);
      return;
    }
    const faults: string[] = [];
    record(req, res, url, faults);
    meet({ req, res, path: url.pathname, faults }, () => route(req, res, url));
  };

  function route(req: IncomingMessage, res: ServerResponse, url: URL): void {
    if (!url.pathname.startsWith('/oidc/')) {
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

  function record(req: RecordedRequest, res: RecordedResponse, url: URL, faults: readonly string[]): void {
    const { method = '', headers } = req;
    const time = clock();
    received.record(req.received);
    sent.record(res.sent);
    const credential =
      headers.authorization !== undefined
        ? 'bearer'
        : headers['x-api-key'] !== undefined
          ? 'api-key'
          : 'none';
    const request = {
      method,
      path: url.pathname,
      query: queryRecord(url.searchParams),
      time,
      credential,
    } as const;
    const settle = journal.open(request, {
      outcome: () => ({
        status: res.headersSent ? res.statusCode : 0,
        ...(faults.length === 0 ? {} : { faults }),
      }),
      exchange: () => exchangeOf(req, res),
    });
    // Each response emits `close` exactly once, even if the response is incomplete.
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
