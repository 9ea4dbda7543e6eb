// The service does not document signatures. Agree with the operator of the service on a header and a secret.
import { createHmac, timingSafeEqual } from 'node:crypto';
import { createServer } from 'node:http';
import { buffer } from 'node:stream/consumers';

/** Creates an HTTP server that handles each event once, even if the service delivers it several times. */
export function createReceiver({ secret, header, onEvent }) {
  const seen = new Set();
  return createServer(async (request, response) => {
    const body = await buffer(request);
    if (!isSigned(body, request.headers[header], secret)) return response.writeHead(401).end();
    const event = JSON.parse(body.toString());
    if (!seen.has(event.id)) {
      seen.add(event.id);
      onEvent(event);
    }
    response.writeHead(204).end();
  });
}

function isSigned(body, signature, secret) {
  const wanted = createHmac('sha256', secret).update(body).digest();
  const given = Buffer.from(String(signature), 'hex');
  return given.length === wanted.length && timingSafeEqual(given, wanted);
}
