// Spec: Providers catalogue. No authentication.

import type { FastifyInstance } from 'fastify';
import { refuseWrapped } from '../../http/errors.ts';
import type { Asks } from '../../http/parameters.ts';
import { publicIntegration } from './format.ts';
import { readProviderQuery } from './query.ts';
import type { ProviderStore } from './store.ts';

export function routeProviders(app: FastifyInstance, store: ProviderStore): void {
  app.get<Asks>('/v1/providers', (request, reply) =>
    reply.send({ success: true, data: store.page(readProviderQuery(request.query)) }),
  );

  app.get<{ Params: { id: string } }>('/v1/providers/:id', (request, reply) => {
    const provider = store.get(request.params.id);
    if (provider === undefined) return refuseWrapped(404, 'NOT_FOUND', 'Provider not found');
    return reply.send({ success: true, data: provider });
  });

  // Spec: the list of the legacy API.
  const catalogue = store.all.map(publicIntegration);
  app.get('/integrations/public/list', (_request, reply) => reply.send({ success: true, data: catalogue }));
}
