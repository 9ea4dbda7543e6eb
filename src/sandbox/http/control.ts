// Control endpoints for tests, which the real service does not have. Web pages from other sites cannot call these endpoints.

import type { FastifyInstance } from 'fastify';
import { type Clock, moveClock } from '../core/clock.ts';
import { ERRORS } from './error-table.ts';
import { oauthError } from './errors.ts';
import type { LiveGrant } from '../identity/index.ts';
import type { Journal } from './request-log.ts';
import { isCrossSite } from './origin.ts';

export interface ControlRoutes {
  readonly journal: Journal;
  readonly grants: () => LiveGrant[];
  readonly clock: Clock;
  readonly reset: () => Promise<void>;
}

export const CONTROL_PREFIX = '/_sandbox/';
/** Path of the page to open in a browser. */
export const PAGE_PATH = '/_sandbox';

export function isControl(path: string): boolean {
  return path === PAGE_PATH || path.startsWith(CONTROL_PREFIX);
}

export function routeControl(app: FastifyInstance, parts: ControlRoutes): void {
  const { journal, grants, clock, reset } = parts;

  // Check the route instead of the requested path, because percent-encoding allows several spellings of a path.
  app.addHook('onRequest', async (request, reply) =>
    isControl(request.routeOptions.url ?? '') && isCrossSite(request.raw)
      ? oauthError(reply, 403, 'forbidden', 'Cross-site requests are not allowed')
      : undefined,
  );

  app.get(`${CONTROL_PREFIX}requests`, (_request, reply) => reply.send(journal.list()));
  app.get(`${CONTROL_PREFIX}grants`, (_request, reply) => reply.send(grants()));
  app.post(`${CONTROL_PREFIX}reset`, async (_request, reply) => {
    await reset();
    return reply.code(204).send();
  });

  app.get(`${CONTROL_PREFIX}clock`, (_request, reply) => reply.send({ now: clock.now() }));
  app.post(`${CONTROL_PREFIX}clock`, (request, reply) => {
    const complaint = moveClock(clock, request.body);
    if (complaint !== undefined) return oauthError(reply, 400, 'bad_request', complaint);
    return reply.send({ now: clock.now() });
  });

  app.get(`${CONTROL_PREFIX}errors`, (_request, reply) => reply.send(ERRORS));
}
