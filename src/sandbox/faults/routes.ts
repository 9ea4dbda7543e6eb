// The control endpoints for faults and scenarios.

import type { FastifyInstance } from 'fastify';
import { refuseOauth } from '../http/errors.ts';
import type { SandboxFaults } from './fault.ts';
import type { Player } from './scenario.ts';

export function routeFaultControl(
  app: FastifyInstance,
  faults: Pick<SandboxFaults, 'add' | 'remove' | 'list'>,
  player: Player,
): void {
  app.get('/_sandbox/faults', (_request, reply) => reply.send(faults.list()));
  app.post('/_sandbox/faults', (request, reply) => {
    faults.add(request.body);
    return reply.code(204).send();
  });
  // Without a body, DELETE removes all faults.
  app.delete('/_sandbox/faults', (request, reply) =>
    faults.remove(request.body ?? undefined) || request.body === undefined || request.body === null
      ? reply.code(204).send()
      : refuseOauth(404, 'not_found', 'No such fault'),
  );
  app.get('/_sandbox/scenario', (_request, reply) => reply.send({ steps: player.steps() }));
}
