// A server that receives webhook deliveries, records them, and sends configured responses.

import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll } from 'vitest';
import { type Json, object } from './helpers.ts';

export interface Received {
  readonly body: Json;
  readonly raw: string;
  readonly headers: IncomingHttpHeaders;
  readonly method: string;
}

export interface Receiver {
  readonly url: string;
  readonly got: Received[];
  /** Each function responds to one of the next deliveries. If there is no function, the status is 200. */
  readonly answers: ((response: ServerResponse) => void)[];
  /** The `event` of each delivery, in order of arrival. */
  kinds(): unknown[];
  ids(): unknown[];
  stop(): Promise<void>;
}

export async function receiver(path = '/hook'): Promise<Receiver> {
  const got: Received[] = [];
  const answers: Receiver['answers'] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk) => chunks.push(chunk));
    request.on('end', () => {
      const raw = Buffer.concat(chunks).toString();
      const { headers, method = '' } = request;
      got.push({ body: object(JSON.parse(raw)), raw, headers, method });
      const answer = answers.shift();
      if (answer === undefined) response.end();
      else answer(response);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const stop = async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
  afterAll(stop);
  return {
    url: `http://127.0.0.1:${port}${path}`,
    got,
    answers,
    kinds: () => got.map(({ body }) => body['event']),
    ids: () => got.map(({ body }) => body['id']),
    stop,
  };
}

export const status = (code: number) => (response: ServerResponse) => void response.writeHead(code).end();
