// The Fastify application for the data API and the control endpoints. Other modules add the routes.

import { type FastifyInstance, type FastifyReply, fastify } from 'fastify';
import { domainError, errorBody, isNested, nestedError, wrappedError } from './errors.ts';

/** @param onRoute called with the path of each endpoint */
export function createApplication(onRoute: (path: string) => void): FastifyInstance {
  const app = fastify({
    logger: false,
    routerOptions: { maxParamLength: 1000, ignoreTrailingSlash: false },
    // Fastify rejects malformed paths before routing.
    frameworkErrors: (_error, { url }, reply) => unreadable(reply, url),
  });

  app.addHook('onRoute', ({ url }) => onRoute(url));

  app.setNotFoundHandler(({ url }, reply) =>
    isNested(url)
      ? nestedError(reply, 404, 'NOT_FOUND', 'No such endpoint')
      : wrappedError(reply, 404, 'NOT_FOUND', 'No such endpoint'),
  );

  app.setErrorHandler((error, request, reply) => {
    const { url } = request;
    if (statusOf(error) >= 500)
      return domainError(reply, url, 500, 'INTERNAL_ERROR', 'Unexpected server error');
    if (statusOf(error) === 413 && /^\/v1\/csv\/upload\b/.test(url)) {
      return wrappedError(reply, 413, 'FILE_TOO_LARGE', 'The files are too large');
    }
    return unreadable(reply, url);
  });
  return app;
}

/** The specification defines a single status for all malformed requests. */
function unreadable(reply: FastifyReply, url: string): FastifyReply {
  return reply.code(400).send(errorBody(url, 400, undefined, 'The request could not be read'));
}

function statusOf(error: unknown): number {
  const status =
    typeof error === 'object' && error !== null && 'statusCode' in error ? error.statusCode : 500;
  return typeof status === 'number' && status >= 400 && status < 600 ? status : 500;
}
