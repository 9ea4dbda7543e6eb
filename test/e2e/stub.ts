// A minimal service for responses that the sandbox never sends. The service shares no code with the sandbox.

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { unspecified } from '../schema-check.ts';
import { atEnd, type Env } from './harness.ts';

export interface Stub {
  readonly url: string;
  /** Environment variables with the addresses of the stub, and with a token that the stub does not check. */
  readonly env: Env;
  /** The path and query of each request, in order. */
  readonly requests: string[];
}

export type Answer = (request: IncomingMessage, response: ServerResponse, url: URL) => void;

export async function stub(answer: Answer): Promise<Stub> {
  const requests: string[] = [];
  const server = createServer((request, response) => {
    requests.push(request.url ?? '');
    answer(request, response, new URL(request.url ?? '', 'http://stub'));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  atEnd(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  const url = `http://127.0.0.1:${address.port}`;
  unspecified.add(url);
  return {
    url,
    requests,
    env: { CRYPTODATA_BASE_URL: url, CRYPTODATA_AUTH_URL: url, CRYPTODATA_ACCESS_TOKEN: 'stub-token' },
  };
}

export function sendJson(
  response: ServerResponse,
  status: number,
  text: string,
  headers: Record<string, string> = {},
): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(text);
}

/** Starts a stub that serves these rows, in pages, at any path. Each row is the text of a JSON object. */
export function stubLedgers(rows: readonly string[]): Promise<Stub> {
  return stub((_request, response, { searchParams }) => {
    const limit = Number(searchParams.get('limit') ?? 50);
    const offset = Number(searchParams.get('offset') ?? 0);
    const data = rows.slice(offset, offset + limit).join(',');
    sendJson(
      response,
      200,
      `{"data":[${data}],"meta":{"total":${rows.length},"limit":${limit},"offset":${offset}}}`,
    );
  });
}
