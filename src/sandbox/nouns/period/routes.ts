import type { FastifyInstance } from 'fastify';
import { unixTimeOf } from '../../core/instant.ts';
import { type Reader, refuse, shape } from '../../core/readers.ts';
import type { Period } from './store.ts';

const readMoment: Reader<number | null> = (value, place) => {
  if (value === null || (typeof value === 'number' && Number.isSafeInteger(value))) return value;
  const moment = typeof value === 'string' ? unixTimeOf(value) : undefined;
  return moment ?? refuse(place, 'Unix milliseconds, a day, a time with an offset (ISO 8601), or null');
};
const readLock = shape.object({ lockedUntil: readMoment });

export function routePeriodControl(app: FastifyInstance, period: Period): void {
  const state = () => ({ lockedUntil: period.lockedUntil() });
  app.get('/_sandbox/period', (_request, reply) => reply.send(state()));
  app.post('/_sandbox/period', (request, reply) => {
    period.lock(readLock(request.body, '').lockedUntil);
    return reply.send(state());
  });
}
