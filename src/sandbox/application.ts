// The data API and the control endpoints. Each noun brings its own routes.

import { type FastifyInstance, fastify } from 'fastify';
import { nestedError, wrappedError } from './errors.ts';

export function createApplication(): FastifyInstance {
  const app = fastify({ logger: false, routerOptions: { maxParamLength: 1000, ignoreTrailingSlash: false } });

  app.setNotFoundHandler((_request, reply) => wrappedError(reply, 404, 'NOT_FOUND', 'No such endpoint'));

  // The same failure takes the shape of the domain it happens in.
  app.setErrorHandler((error, request, reply) => {
    const status = statusOf(error);
    const code = status < 500 ? 'VALIDATION_ERROR' : 'INTERNAL_ERROR';
    const message = status < 500 ? 'The request could not be read' : 'Unexpected server error';
    if (/^\/v1\/(ledgers|transactions)\b/.test(request.url)) {
      return nestedError(reply, status, status < 500 ? 'BAD_REQUEST' : code, message);
    }
    return wrappedError(reply, status, code, message);
  });
  return app;
}

function statusOf(error: unknown): number {
  const status =
    typeof error === 'object' && error !== null && 'statusCode' in error ? error.statusCode : 500;
  return typeof status === 'number' && status >= 400 && status < 600 ? status : 500;
}
