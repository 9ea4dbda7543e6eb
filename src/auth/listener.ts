import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type CryptodataError, messageOf, systemCode, usageError } from '../core/errors.ts';
import { hasState, readCallback } from './callback.ts';

export interface RedirectListener {
  /** Resolves to the authorization code. Rejects if the redirect of this login is invalid or reports an error. */
  readonly code: Promise<string>;
  close(): Promise<void>;
}

/**
 * Waits for the redirect at the end of the consent (RFC 8252, 7.3). Listens only on 127.0.0.1, on the port of `redirectUri`.
 * Accepts one request, for the exact path and with the `state` of this login. Refuses all other requests, including requests
 * for another host (DNS rebinding), and continues to wait. An old tab or any web page can send such a request.
 *
 * @param login the login command, for messages
 * @throws usage error `PORT_IN_USE`
 */
export async function listenForRedirect(
  redirectUri: string,
  state: string,
  login?: string,
): Promise<RedirectListener> {
  const { port, pathname } = new URL(redirectUri);
  // Some browsers replace `localhost` with `127.0.0.1`, or `127.0.0.1` with `localhost`.
  const names = new Set([`127.0.0.1:${port}`, `localhost:${port}`]);
  const server = createServer({ maxHeaderSize: 16 * 1024, headersTimeout: 10_000, requestTimeout: 10_000 });
  // Called if the request is not plain HTTP, or if its headers are too long.
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
      const parameters = new URLSearchParams(query);
      if (!hasState(parameters, state)) return respond(response, 400, page('Not this login', NOT_THIS_LOGIN));
      answered = true;
      let settle: () => void;
      try {
        const found = readCallback(parameters, state, login);
        settle = () => resolve(found);
        respond(
          response,
          200,
          page('Consent given', 'You can close this window and return to the terminal.'),
        );
      } catch (error) {
        settle = () => reject(error);
        const text = `${messageOf(error)}. Close this window and return to the terminal.`;
        respond(response, 400, page('Not logged in', text));
      }
      // Settle the promise after the page is sent, because the caller closes the connection as soon as the promise settles.
      response.once('close', settle);
    });
  });
  code.catch(() => undefined); // The caller may have stopped waiting.
  await bind(server, Number(port), redirectUri);
  return { code, close: () => close(server) };
}

const NOT_THIS_LOGIN =
  'This page does not belong to the login that is waiting in the terminal. The login continues to wait. Open the address that the terminal shows.';

function bind(server: Server, port: number, redirectUri: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (error) => reject(portError(error, port, redirectUri)));
    server.listen({ port, host: '127.0.0.1', exclusive: true }, () => {
      server.on('error', () => undefined);
      resolve();
    });
  });
}

function portError(error: Error, port: number, redirectUri: string): CryptodataError {
  const hint = `Another login may be using the port. The setting redirect_uri contains the port: ${redirectUri}. A new address must be registered for the client. Change the address with: cryptodata config set redirect_uri http://127.0.0.1:PORT/PATH`;
  const code = systemCode(error);
  if (code === 'EADDRINUSE') return usageError(`Port ${port} is in use`, hint, 'PORT_IN_USE');
  return usageError(`Cannot listen on port ${port}: ${code ?? error.message}`, hint, 'PORT_UNAVAILABLE');
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

const STYLE =
  'body{font:1.1rem/1.5 system-ui,sans-serif;max-width:34rem;margin:20vh auto 0;padding:0 1.5rem;color:#1b1f24;background:#fff}h1{font-size:1.5rem}@media(prefers-color-scheme:dark){body{color:#e6e6e6;background:#16181b}}';

const STYLE_HASH = createHash('sha256').update(STYLE).digest('base64');

/**
 * The address of the page contains the authorization code. Therefore, the page loads nothing, sends no referrer and is not
 * cached.
 */
function respond(response: ServerResponse, status: number, html: string): void {
  response.writeHead(status, {
    'content-type': 'text/html; charset=utf-8',
    'content-length': Buffer.byteLength(html),
    'content-security-policy': `default-src 'none'; style-src 'sha256-${STYLE_HASH}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
    'cache-control': 'no-store',
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
    'x-frame-options': 'DENY',
    'cross-origin-opener-policy': 'same-origin',
    connection: 'close',
  });
  response.end(html);
}

function page(title: string, text: string): string {
  return `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${escapeHtml(title)} · cryptodata</title><style>${STYLE}</style></head>
<body><h1>${escapeHtml(title)}</h1><p>${escapeHtml(text)}</p></body>
</html>
`;
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
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
