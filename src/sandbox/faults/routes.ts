// The control endpoints for faults and scenarios.

import type { FastifyInstance } from 'fastify';
import { oauthError } from '../http/errors.ts';
import { pathComplaint, readFault } from './fault.ts';
import type { Faults } from './plan.ts';
import type { Player } from './scenario.ts';

export function routeFaultControl(
  app: FastifyInstance,
  prefix: string,
  faults: Faults,
  player: Player,
  routes: () => readonly string[],
): void {
  app.get(`${prefix}faults`, (_request, reply) => reply.send(faults.list()));
  app.post(`${prefix}faults`, (request, reply) => {
    const fault = readFault(request.body);
    if (typeof fault === 'string') return oauthError(reply, 400, 'bad_request', fault);
    const complaint = pathComplaint(fault, routes());
    if (complaint !== undefined) return oauthError(reply, 400, 'bad_request', complaint);
    faults.add(fault);
    return reply.code(204).send();
  });
  app.delete(`${prefix}faults`, (_request, reply) => {
    faults.clear();
    return reply.code(204).send();
  });
  app.get(`${prefix}scenario`, (_request, reply) => reply.send({ steps: player.steps() }));
}
