// Spec: GET /v1/sync/{syncId}.

import type { FastifyInstance, preHandlerAsyncHookHandler } from 'fastify';
import { refuseOauth, refuseWrapped } from '../../http/errors.ts';
import { readSyncScript, type SyncStore } from './store.ts';

export function routeSyncs(app: FastifyInstance, store: SyncStore, guard: preHandlerAsyncHookHandler): void {
  app.get<{ Params: { id: string } }>('/v1/sync/:id', { preHandler: guard }, (request, reply) => {
    const sync = store.look(request.params.id);
    if (sync === undefined) return refuseWrapped(404, 'NOT_FOUND', 'No such sync in this workspace');
    return reply.send({ success: true, data: sync });
  });
}

/**
 * POST /_sandbox/syncs/:id sets the script of a sync, which is the list of its states. If the body contains a `walletId`, the
 * status of that account changes together with the state of the sync.
 */
export function routeSyncControl(app: FastifyInstance, store: SyncStore): void {
  app.post<{ Params: { id: string } }>('/_sandbox/syncs/:id', (request, reply) => {
    const script = readSyncScript(request.body, '');
    if (script.walletId !== undefined && !store.isAccount(script.walletId)) {
      return refuseOauth(404, 'not_found', 'No such integration');
    }
    store.script(request.params.id, script);
    return reply.code(204).send();
  });
}
