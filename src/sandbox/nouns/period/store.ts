// Spec: Accounting period. When a period has been filed and locked, the service rejects changes to transactions in that period.
// The specification does not define how to lock or unlock a period. In the sandbox, everything before a given time is locked.
// This time can be set with the option `lockedUntil` or with POST /_sandbox/period { lockedUntil }.

import type { FastifyInstance } from 'fastify';
import { member } from '../../data/resources.ts';
import { oauthError } from '../../http/errors.ts';
import { momentOf } from '../../core/instant.ts';

export interface Period {
  isLocked(timestamp: number): boolean;
  /** Unix milliseconds; null if nothing is locked. */
  lockedUntil(): number | null;
  /** Locks everything before `until`. Null unlocks everything. */
  lock(until: number | null): void;
  reset(): void;
}

export const PERIOD_LOCKED = 'Falls in a filed, locked accounting period';

export function createPeriod(first: number | null): Period {
  let until = first;
  return {
    isLocked: (timestamp) => until !== null && timestamp < until,
    lockedUntil: () => until,
    lock(given) {
      until = given;
    },
    reset() {
      until = first;
    },
  };
}

export function routePeriodControl(app: FastifyInstance, prefix: string, period: Period): void {
  const state = () => ({ lockedUntil: period.lockedUntil() });
  app.get(`${prefix}period`, (_request, reply) => reply.send(state()));
  app.post(`${prefix}period`, (request, reply) => {
    const until = readMoment(member(request.body, 'lockedUntil'));
    if (until === undefined) {
      const message =
        '"lockedUntil" must be Unix milliseconds, a day, a time with an offset (ISO 8601), or null';
      return oauthError(reply, 400, 'bad_request', message);
    }
    period.lock(until);
    return reply.send(state());
  });
}

function readMoment(value: unknown): number | null | undefined {
  if (value === null) return null;
  if (typeof value === 'number' && Number.isSafeInteger(value)) return value;
  return typeof value === 'string' ? momentOf(value) : undefined;
}
