// Spec: GET /v1/sync/{syncId}.

import type { FastifyInstance, preHandlerAsyncHookHandler } from 'fastify';
import { oauthError, wrappedError } from '../errors.ts';
import { readScript } from '../script.ts';
import { readSyncState, type SyncStore } from './store.ts';

interface SyncRoutes {
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

// POST /_sandbox/syncs/:id has a sync move through states, and the account with it that `walletId` names.

export function routeSyncControl(app: FastifyInstance, store: SyncStore): void {
  app.post<{ Params: { id: string } }>('/_sandbox/syncs/:id', (request, reply) => {
    const { body } = request;
    const script = readScript(body, readSyncState);
    if (typeof script === 'string') return oauthError(reply, 400, 'bad_request', script);
    const walletId =
      typeof body === 'object' && body !== null && 'walletId' in body ? body.walletId : undefined;
    if (walletId === undefined) store.script(request.params.id, script);
    else if (typeof walletId !== 'string' || !store.isAccount(walletId)) {
      return oauthError(reply, 404, 'not_found', 'No such integration');
    } else store.script(request.params.id, { ...script, walletId });
    return reply.code(204).send();
  });
}
