// Control endpoints for tests, which the real service does not have. Web pages from other sites cannot call these endpoints.

import type { FastifyInstance } from 'fastify';
import { moveClock, type SandboxTime } from '../core/clock.ts';
import type { LiveGrant } from '../identity/index.ts';
import { ERRORS } from './error-table.ts';
import { refuseOauth } from './errors.ts';
import { isCrossSite } from './origin.ts';
import type { ReceivedRequests } from './request-log.ts';

export interface ControlRoutes {
  readonly log: ReceivedRequests;
  readonly grants: () => LiveGrant[];
  readonly clock: SandboxTime;
  readonly reset: () => Promise<void>;
}

export const CONTROL_PREFIX = '/_sandbox/';
export const PAGE_PATH = '/_sandbox';

export function isControl(path: string): boolean {
  return path === PAGE_PATH || path.startsWith(CONTROL_PREFIX);
}

export function routeControl(app: FastifyInstance, parts: ControlRoutes): void {
  const { log, grants, clock, reset } = parts;

  app.addHook('onRequest', async (request) => {
    // Check the route instead of the requested path, because percent-encoding allows several spellings of a path.
    const { url: path = '' } = request.routeOptions;
    if (!isControl(path)) return;
    if (isCrossSite(request.raw)) refuseOauth(403, 'forbidden', 'Cross-site requests are not allowed');
    if (path === PAGE_PATH) return;
    // Every body is JSON, whatever its content type, because `curl -d` sends the content type of a form.
    const { 'content-length': length = '0', 'transfer-encoding': encoding } = request.headers;
    const hasBody = length !== '0' || encoding !== undefined;
    request.headers = { 'content-type': hasBody ? 'application/json' : undefined };
  });

  app.get(`${CONTROL_PREFIX}requests`, (_request, reply) => reply.send(log.list()));
  app.get(`${CONTROL_PREFIX}grants`, (_request, reply) => reply.send(grants()));
  app.post(`${CONTROL_PREFIX}reset`, async (_request, reply) => {
    await reset();
    return reply.code(204).send();
  });

  app.get(`${CONTROL_PREFIX}clock`, (_request, reply) => reply.send({ now: clock.now() }));
  app.post(`${CONTROL_PREFIX}clock`, (request, reply) => {
    moveClock(clock, request.body);
    return reply.send({ now: clock.now() });
  });

  app.get(`${CONTROL_PREFIX}errors`, (_request, reply) => reply.send(ERRORS));
}
