// The control endpoints of faults: POST in either form, GET what may still be met, DELETE all; and how far the
// scenario is.

import type { FastifyInstance } from 'fastify';
import { oauthError } from '../errors.ts';
import type { Faults } from './plan.ts';
import { readFault } from './read.ts';
import type { Player } from './scenario.ts';

export function routeFaultControl(
  app: FastifyInstance,
  prefix: string,
  faults: Faults,
  player: Player,
): void {
  app.get(`${prefix}faults`, (_request, reply) => reply.send(faults.list()));
  app.post(`${prefix}faults`, (request, reply) => {
    const fault = readFault(request.body);
    if (typeof fault === 'string') return oauthError(reply, 400, 'bad_request', fault);
    faults.add(fault);
    return reply.code(204).send();
  });
  app.delete(`${prefix}faults`, (_request, reply) => {
    faults.clear();
    return reply.code(204).send();
  });
  app.get(`${prefix}scenario`, (_request, reply) => reply.send({ steps: player.steps() }));
}
