// The Fastify application for the data API and the control endpoints. Other modules add the routes.

import { type FastifyInstance, type FastifyReply, fastify } from 'fastify';
import { misdirected } from './addresses.ts';
import { isControl } from './control.ts';
import { domainOf, ErrorResponse, errorBody, refuseNested, refuseOauth, refuseWrapped } from './errors.ts';
import { InvalidQuery, refuseQuery } from './parameters.ts';

/** @param onRoute called with the path of each endpoint */
export function createApplication(onRoute: (path: string) => void): FastifyInstance {
  const app = fastify({
    logger: false,
    routerOptions: { maxParamLength: 1000, ignoreTrailingSlash: false },
    // Fastify rejects malformed paths before routing. The specification defines a single status for all malformed requests.
    frameworkErrors: (_error, { url }, reply: FastifyReply) => reply.code(400).send(unreadable(url)),
  });

  app.addHook('onRoute', ({ url }) => onRoute(url));

  // A request for the path of another address.
  app.addHook('onRequest', (request, reply, done) => {
    if (misdirected.has(request.raw)) reply.callNotFound();
    else done();
  });

  app.setNotFoundHandler(({ url }) =>
    domainOf(url) === 'nested'
      ? refuseNested(404, 'NOT_FOUND', 'No such endpoint')
      : refuseWrapped(404, 'NOT_FOUND', 'No such endpoint'),
  );

  app.setErrorHandler((error, { url, routeOptions }, reply) => {
    const { status, body } = refusalOf(error, url, isControl(routeOptions.url ?? ''));
    return reply.code(status).send(body);
  });
  return app;
}

/** @param ofControl whether the request was for a control endpoint, which may throw a RangeError for an invalid body */
function refusalOf(error: unknown, url: string, ofControl: boolean): ErrorResponse {
  try {
    if (error instanceof InvalidQuery) refuseQuery(url, error);
    if (error instanceof RangeError && ofControl) refuseOauth(400, 'bad_request', error.message);
    if (statusOf(error) === 413 && /^\/v1\/csv\/upload\b/.test(url)) {
      refuseWrapped(413, 'FILE_TOO_LARGE', 'The files are too large');
    }
  } catch (refusal) {
    if (refusal instanceof ErrorResponse) return refusal;
  }
  if (error instanceof ErrorResponse) return error;
  return statusOf(error) < 500
    ? new ErrorResponse(400, unreadable(url))
    : new ErrorResponse(500, errorBody(url, 500, 'INTERNAL_ERROR', 'Unexpected server error'));
}

function unreadable(url: string): object {
  return errorBody(url, 400, undefined, 'The request could not be read');
}

function statusOf(error: unknown): number {
  const status =
    typeof error === 'object' && error !== null && 'statusCode' in error ? error.statusCode : 500;
  return typeof status === 'number' && status >= 400 && status < 600 ? status : 500;
}
