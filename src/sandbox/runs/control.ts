// POST /_sandbox/runs starts a recalculation; { fail, reason? } has one of its two runs fail, { next: true } not now but
// when a sync next causes one.

import type { FastifyInstance } from 'fastify';
import { oauthError } from '../errors.ts';
import { type Failure, RUN_ORDER, type Runs } from './store.ts';

const REASON = 'The calculation ended with an error';

export function routeRunsControl(app: FastifyInstance, runs: Runs): void {
  app.post('/_sandbox/runs', (request, reply) => {
    const read = readRequest(request.body ?? {});
    if (typeof read === 'string') return oauthError(reply, 400, 'bad_request', read);
    if (read.next) runs.plan(read.failure);
    else runs.recalculate(read.failure);
    return reply.code(204).send();
  });
}

type Asked =
  | { readonly next: true; readonly failure: Failure }
  | { readonly next: false; readonly failure: Failure | undefined };

function readRequest(body: unknown): Asked | string {
  if (typeof body !== 'object' || body === null) return 'Send an object';
  const { fail, reason = REASON, next = false }: { fail?: unknown; reason?: unknown; next?: unknown } = body;
  const category = RUN_ORDER.find((known) => known === fail);
  if (category !== fail) return `fail must be ${RUN_ORDER.join(' or ')}`;
  if (typeof reason !== 'string') return 'reason must be a string';
  if (typeof next !== 'boolean') return 'next must be true or false';
  const failure = category === undefined ? undefined : { of: category, reason };
  if (!next) return { next, failure };
  return failure === undefined ? 'next says how the next one fails: it needs fail' : { next, failure };
}
