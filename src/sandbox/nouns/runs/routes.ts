// POST /_sandbox/runs starts a recalculation: transfer detection, then a cost basis run. In the body { fail, reason? }, `fail`
// names the run that fails. The body { next: true, fail, reason? } starts no recalculation, but makes the next one fail.

import type { FastifyInstance } from 'fastify';
import { shape } from '../../core/readers.ts';
import { RUN_ORDER, type Runs } from './store.ts';

const REASON = 'The calculation ended with an error';

const readRunRequest = shape.object(
  {},
  { fail: shape.oneOf(...RUN_ORDER), reason: shape.text, next: shape.flag },
);

export function routeRunsControl(app: FastifyInstance, runs: Runs): void {
  app.post('/_sandbox/runs', (request, reply) => {
    const { fail, reason = REASON, next = false } = readRunRequest(request.body ?? {}, '');
    const failure = fail === undefined ? null : { of: fail, reason };
    if (!next) runs.recalculate(failure);
    else if (failure === null) throw new RangeError('"next" requires "fail"');
    else runs.plan(failure);
    return reply.code(204).send();
  });
}
