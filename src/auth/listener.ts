import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type CryptodataError, messageOf, systemCode, usageError } from '../core/errors.ts';
import { readCallback } from './callback.ts';
import { PAGE_HEADERS, page } from './page.ts';

export interface Listener {
  /** The authorization code; rejects where the one redirect that is answered cannot be accepted. */
  readonly code: Promise<string>;
  /** Closes the port and every connection. */
  close(): Promise<void>;
}

/**
 * Waits at the port of `redirectUri`, on 127.0.0.1 alone, for the redirect that ends the consent (RFC 8252,
 * 7.3). One request for the exact path is answered with what became of it; whatever else comes learns nothing, and
 * ends nothing: also not what is sent to another host's name, which leads here by a DNS entry that its owner made.
 *
 * @param login how one logs in here
 * @throws usage error `PORT_IN_USE`
 */
export async function listen(redirectUri: string, state: string, login?: string): Promise<Listener> {
  const { port, pathname } = new URL(redirectUri);
  // Some browsers show one of this machine's two names for the other.
  const names = new Set([`127.0.0.1:${port}`, `localhost:${port}`]);
  const server = createServer({ maxHeaderSize: 16 * 1024, headersTimeout: 10_000, requestTimeout: 10_000 });
  // Not TLS, not HTTP, headers without end: an answer as short as can be.
  server.on('clientError', (_error, socket) => {
    if (socket.writable) socket.end('HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n');
    else socket.destroy();
  });
  const code = new Promise<string>((resolve, reject) => {
    let answered = false;
    server.on('request', (request, response) => {
      const [path, query = ''] = splitOnce(request.url ?? '', '?');
      if (!names.has(request.headers.host?.toLowerCase() ?? '')) return refuse(request, response, 421);
      if (path !== pathname) return refuse(request, response, 404);
      if (request.method !== 'GET') return refuse(request, response, 405);
      if (answered) return refuse(request, response, 410);
      answered = true;
      let settle: () => void;
      try {
        const found = readCallback(new URLSearchParams(query), state, login);
        settle = () => resolve(found);
        const text = 'cryptodata has what it needs. You can close this window and go back to the terminal.';
        answer(response, 200, page('Consent given', text));
      } catch (error) {
        settle = () => reject(error);
        const text = `${messageOf(error)}. You can close this window; the terminal says what to do next.`;
        answer(response, 400, page('Not logged in', text));
      }
      // Only once the page has left, since whoever waits for the code closes the connection. A browser that
      // hangs up first changes nothing.
      response.once('close', settle);
    });
  });
  code.catch(() => undefined); // nobody may be waiting any more
  await bound(server, Number(port), redirectUri);
  return { code, close: () => close(server) };
}

function bound(server: Server, port: number, redirectUri: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (error) => reject(portError(error, port, redirectUri)));
    server.listen({ port, host: '127.0.0.1', exclusive: true }, () => {
      server.on('error', () => undefined);
      resolve();
    });
  });
}

function portError(error: Error, port: number, redirectUri: string): CryptodataError {
  const hint = `The redirect address is the setting redirect_uri (now ${redirectUri}); the client must be registered with it. Change it: cryptodata config set redirect_uri http://127.0.0.1:PORT/PATH. Another login may be waiting there.`;
  const code = systemCode(error);
  if (code === 'EADDRINUSE') return usageError(`Port ${port} is in use`, hint, 'PORT_IN_USE');
  return usageError(`Port ${port} cannot be listened on: ${code ?? error.message}`, hint, 'PORT_UNAVAILABLE');
}

function refuse(request: IncomingMessage, response: ServerResponse, status: 404 | 405 | 410 | 421): void {
  request.resume();
  response.writeHead(status, {
    'content-length': 0,
    connection: 'close',
    ...(status === 405 ? { allow: 'GET' } : {}),
  });
  response.end();
}

function answer(response: ServerResponse, status: number, html: string): void {
  response.writeHead(status, { ...PAGE_HEADERS, 'content-length': Buffer.byteLength(html) });
  response.end(html);
}

function splitOnce(text: string, separator: string): [string, string?] {
  const at = text.indexOf(separator);
  return at < 0 ? [text] : [text.slice(0, at), text.slice(at + 1)];
}

function close(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}
