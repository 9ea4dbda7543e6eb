import { once } from 'node:events';
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { onTestFinished } from 'vitest';

export interface RotatingServer {
  readonly url: string;
  /** The refresh tokens that the server received, in order. */
  readonly used: readonly string[];
  /** Returns the valid refresh token; null if the family of tokens was revoked. */
  readonly good: () => string | null;
}

/**
 * Starts an authorization server that accepts each refresh token once. If a token is used again, the server assumes theft and
 * revokes every token of the family (RFC 9700, 4.14.2). The first refresh token is `rt-0`.
 */
export async function startRotatingServer(): Promise<RotatingServer> {
  const used: string[] = [];
  let good: string | null = 'rt-0';
  const server = createServer(async (request, response) => {
    const token = new URLSearchParams(await text(request)).get('refresh_token') ?? '';
    const taken = token === good;
    used.push(token);
    good = taken ? `rt-${used.length}` : null;
    const body = taken
      ? { access_token: `at-${used.length}`, refresh_token: good, token_type: 'Bearer', expires_in: 86_400 }
      : { error: 'invalid_grant' };
    response.writeHead(taken ? 200 : 400, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return { url: `http://127.0.0.1:${address.port}`, used, good: () => good };
}
