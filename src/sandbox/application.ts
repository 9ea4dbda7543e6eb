// The data API and the control endpoints. Each noun brings its own routes.

import { type FastifyInstance, fastify } from 'fastify';
import { legacyError, wrappedError } from './errors.ts';
import { domainError } from './faults.ts';

export function createApplication(): FastifyInstance {
  const app = fastify({ logger: false, routerOptions: { maxParamLength: 1000, ignoreTrailingSlash: false } });

  app.setNotFoundHandler((_request, reply) => wrappedError(reply, 404, 'NOT_FOUND', 'No such endpoint'));

  app.setErrorHandler((error, request, reply) => {
    const status = statusOf(error);
    const { url } = request;
    if (status >= 500) return domainError(reply, url, status, 'INTERNAL_ERROR', 'Unexpected server error');
    const message = 'The request could not be read';
    if (/^\/v1\/(ledgers|transactions)\b/.test(url)) {
      return domainError(reply, url, status, 'BAD_REQUEST', message);
    }
    if (/^\/api\/v0\/transactions\b/.test(url)) return legacyError(reply, 400, message, []);
    const tooLarge = status === 413 && /^\/v1\/csv\/upload\b/.test(url);
    return wrappedError(reply, status, tooLarge ? 'FILE_TOO_LARGE' : 'VALIDATION_ERROR', message);
  });
  return app;
}

function statusOf(error: unknown): number {
  const status =
    typeof error === 'object' && error !== null && 'statusCode' in error ? error.statusCode : 500;
  return typeof status === 'number' && status >= 400 && status < 600 ? status : 500;
}
