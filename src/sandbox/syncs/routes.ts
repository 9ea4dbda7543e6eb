// Spec: GET /v1/sync/{syncId}.

import type { FastifyInstance, preHandlerAsyncHookHandler } from 'fastify';
import { wrappedError } from '../errors.ts';
import type { SyncStore } from './store.ts';

export interface SyncRoutes {
  readonly store: SyncStore;
  readonly guard: preHandlerAsyncHookHandler;
}

export function routeSyncs(app: FastifyInstance, { store, guard }: SyncRoutes): void {
  app.get<{ Params: { syncId: string } }>('/v1/sync/:syncId', { preHandler: guard }, (request, reply) => {
    const sync = store.look(request.params.syncId);
    if (sync === undefined) return wrappedError(reply, 404, 'NOT_FOUND', 'No such sync in this workspace');
    return reply.send({ success: true, data: sync });
  });
}
