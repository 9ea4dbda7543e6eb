// Spec: Providers catalogue. No authentication.

import type { FastifyInstance } from 'fastify';
import { wrappedError } from '../errors.ts';
import { readProviderQuery } from './query.ts';
import type { ProviderStore } from './store.ts';

export function routeProviders(app: FastifyInstance, store: ProviderStore): void {
  app.get<{ Querystring: Record<string, unknown> }>('/v1/providers', (request, reply) => {
    const query = readProviderQuery(request.query);
    if ('issues' in query) {
      return wrappedError(reply, 400, 'VALIDATION_ERROR', 'Invalid query parameters', {
        issues: query.issues,
      });
    }
    return reply.send({ success: true, data: store.page(query) });
  });

  app.get<{ Params: { id: string } }>('/v1/providers/:id', (request, reply) => {
    const provider = store.get(request.params.id);
    if (provider === undefined) return wrappedError(reply, 404, 'NOT_FOUND', 'Provider not found');
    return reply.send({ success: true, data: provider });
  });
}
