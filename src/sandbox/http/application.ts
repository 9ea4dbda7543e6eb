// The Fastify application for the data API and the control endpoints. Other modules add the routes.

import { type FastifyInstance, type FastifyReply, fastify } from 'fastify';
import { misdirected } from './addresses.ts';
import { isControl } from './control.ts';
import { domainOf, ErrorResponse, errorBody, type Issue, refuseNested, refuseWrapped } from './errors.ts';
import { InvalidQuery } from './parameters.ts';

const UNREADABLE = 'The request could not be read';

/** @param onRoute called with the path of each endpoint */
export function createApplication(onRoute: (path: string) => void): FastifyInstance {
  const app = fastify({
    logger: false,
    routerOptions: { maxParamLength: 1000, ignoreTrailingSlash: false },
    // Fastify rejects malformed paths before routing. The specification defines a single status for all malformed requests.
    frameworkErrors: (_error, { url }, reply: FastifyReply) =>
      reply.code(400).send(errorBody(url, 400, undefined, UNREADABLE)),
  });

  app.addHook('onRoute', ({ url }) => onRoute(url));

  // Reject a request that was sent to the wrong address.
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
  if (error instanceof ErrorResponse) return error;
  const refusal = (
    status: number,
    ...rest: [code: string | undefined, message: string, issues?: readonly Issue[]]
  ) => new ErrorResponse(status, errorBody(url, status, ...rest));
  if (error instanceof InvalidQuery) return refusal(400, undefined, error.message, error.issues);
  if (error instanceof RangeError && ofControl) return refusal(400, 'bad_request', error.message);
  const status = statusOf(error);
  if (status === 413 && /^\/v1\/csv\/upload\b/.test(url)) {
    return refusal(413, 'FILE_TOO_LARGE', 'The files are too large');
  }
  return status < 500
    ? refusal(400, undefined, UNREADABLE)
    : refusal(500, 'INTERNAL_ERROR', 'Unexpected server error');
}

function statusOf(error: unknown): number {
  const status =
    typeof error === 'object' && error !== null && 'statusCode' in error ? error.statusCode : 500;
  return typeof status === 'number' && status >= 400 && status < 600 ? status : 500;
}
