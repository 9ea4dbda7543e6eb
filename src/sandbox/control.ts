// Endpoints for those who test against the sandbox. They are no part of the service, and no page may use them.

import type { FastifyInstance, preHandlerAsyncHookHandler } from 'fastify';
import { oauthError } from './errors.ts';
import type { LiveGrant } from './identity/index.ts';
import type { Journal } from './journal.ts';
import { isCrossSite } from './origin.ts';

export interface ControlRoutes {
  readonly journal: Journal;
  readonly grants: () => LiveGrant[];
  readonly reset: () => void;
}

export const CONTROL_PREFIX = '/_sandbox/';

export function routeControl(app: FastifyInstance, { journal, grants, reset }: ControlRoutes): void {
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
}
