// Spec: GET /v1/users/me returns uid, and no further field is shown.

import type { FastifyInstance, preHandlerAsyncHookHandler } from 'fastify';
import type { Caller } from '../auth.ts';

export interface UserRoutes {
  readonly guard: preHandlerAsyncHookHandler;
  readonly callerOf: (request: object) => Caller | undefined;
}

export function routeUsers(app: FastifyInstance, { guard, callerOf }: UserRoutes): void {
  app.get('/v1/users/me', { preHandler: guard }, (request, reply) =>
    reply.send({ success: true, data: { uid: callerOf(request)?.uid } }),
  );
}
