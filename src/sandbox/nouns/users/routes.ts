import type { FastifyInstance } from 'fastify';
import type { Access } from '../../http/auth.ts';

export function routeUsers(app: FastifyInstance, auth: Access, clock: () => number): void {
  // Spec: GET /v1/users/me returns uid. The specification defines no other field.
  app.get('/v1/users/me', { preHandler: auth.guard() }, (request, reply) =>
    reply.send({ success: true, data: { uid: auth.uidOf(request) } }),
  );

  // Spec: the legacy API adds user_id and timestamp to nearly every response. The specification defines no other user field.
  app.get('/api/v1/userinfo', { preHandler: auth.legacyGuard() }, (request, reply) =>
    reply.send({ user_id: auth.uidOf(request), timestamp: clock() }),
  );
}
