// The data API and the control endpoints. Each noun brings its own routes.

import { type FastifyInstance, fastify } from 'fastify';
import { domainError } from './domains.ts';
import { legacyError, wrappedError } from './errors.ts';

export function createApplication(): FastifyInstance {
  const app = fastify({ logger: false, routerOptions: { maxParamLength: 1000, ignoreTrailingSlash: false } });

  app.setNotFoundHandler((_request, reply) => wrappedError(reply, 404, 'NOT_FOUND', 'No such endpoint'));

  app.setErrorHandler((error, request, reply) => {
    const { url } = request;
    if (statusOf(error) >= 500)
      return domainError(reply, url, 500, 'INTERNAL_ERROR', 'Unexpected server error');
    if (statusOf(error) === 413 && /^\/v1\/csv\/upload\b/.test(url)) {
      return wrappedError(reply, 413, 'FILE_TOO_LARGE', 'The files are too large');
    }
    // Whatever the library calls it: the spec has one status for a request that cannot be read.
    const message = 'The request could not be read';
    if (/^\/api\/v0\/transactions\b/.test(url)) return legacyError(reply, 400, message, []);
    const nested = /^\/v1\/(ledgers|transactions)\b/.test(url);
    return domainError(reply, url, 400, nested ? 'BAD_REQUEST' : 'VALIDATION_ERROR', message);
  });
  return app;
}

function statusOf(error: unknown): number {
  const status =
    typeof error === 'object' && error !== null && 'statusCode' in error ? error.statusCode : 500;
  return typeof status === 'number' && status >= 400 && status < 600 ? status : 500;
}
