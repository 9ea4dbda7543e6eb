// POST /_sandbox/syncs/:id has a sync move through states, and the account with it that `walletId` names.

import type { FastifyInstance } from 'fastify';
import { oauthError } from '../errors.ts';
import { readScript } from '../script.ts';
import { readSyncState, type SyncStore } from './store.ts';

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
