// Endpoints for those who test against the sandbox. They are no part of the service, and no page may use them.

import type { FastifyInstance, preHandlerAsyncHookHandler } from 'fastify';
import { ERRORS } from './error-table.ts';
import { oauthError } from './errors.ts';
import { type Faults, readFault } from './faults.ts';
import type { LiveGrant } from './identity/index.ts';
import { readStatus } from './integrations/entities.ts';
import type { IntegrationStore } from './integrations/store.ts';
import type { Journal } from './journal.ts';
import { isCrossSite } from './origin.ts';
import { readScript } from './script.ts';
import { readSyncState, type SyncStore } from './syncs/store.ts';

export interface ControlRoutes {
  readonly journal: Journal;
  readonly grants: () => LiveGrant[];
  readonly faults: Faults;
  readonly syncs: SyncStore;
  readonly integrations: IntegrationStore;
  readonly reset: () => void;
}

export const CONTROL_PREFIX = '/_sandbox/';

export function routeControl(app: FastifyInstance, parts: ControlRoutes): void {
  const { journal, grants, faults, syncs, integrations, reset } = parts;
  const preHandler: preHandlerAsyncHookHandler = async (request, reply) =>
    isCrossSite(request.raw)
      ? oauthError(reply, 403, 'forbidden', 'Not for pages of other sites')
      : undefined;

  app.get(`${CONTROL_PREFIX}requests`, { preHandler }, (_request, reply) => reply.send(journal.list()));
  app.get(`${CONTROL_PREFIX}grants`, { preHandler }, (_request, reply) => reply.send(grants()));
  app.post(`${CONTROL_PREFIX}reset`, { preHandler }, (_request, reply) => {
    reset();
    return reply.code(204).send();
  });

  app.get(`${CONTROL_PREFIX}errors`, { preHandler }, (_request, reply) => reply.send(ERRORS));

  app.get(`${CONTROL_PREFIX}faults`, { preHandler }, (_request, reply) => reply.send(faults.list()));
  app.post(`${CONTROL_PREFIX}faults`, { preHandler }, (request, reply) => {
    const fault = readFault(request.body);
    if (typeof fault === 'string') return oauthError(reply, 400, 'bad_request', fault);
    faults.add(fault);
    return reply.code(204).send();
  });
  app.delete(`${CONTROL_PREFIX}faults`, { preHandler }, (_request, reply) => {
    faults.clear();
    return reply.code(204).send();
  });

  app.post<{ Params: { id: string } }>(`${CONTROL_PREFIX}syncs/:id`, { preHandler }, (request, reply) => {
    const script = readScript(request.body, readSyncState);
    if (typeof script === 'string') return oauthError(reply, 400, 'bad_request', script);
    syncs.script(request.params.id, script);
    return reply.code(204).send();
  });
  app.post<{ Params: { id: string } }>(
    `${CONTROL_PREFIX}integrations/:id`,
    { preHandler },
    (request, reply) => {
      const script = readScript(request.body, readStatus);
      if (typeof script === 'string') return oauthError(reply, 400, 'bad_request', script);
      if (!integrations.script(request.params.id, script)) {
        return oauthError(reply, 404, 'not_found', 'No such integration');
      }
      return reply.code(204).send();
    },
  );
}
