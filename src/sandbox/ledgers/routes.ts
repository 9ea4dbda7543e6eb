// Spec: Ledgers. Scope transactions:read; { data, meta } without a success field; nested errors.

import type { FastifyInstance, preHandlerAsyncHookHandler } from 'fastify';
import { nestedError } from '../errors.ts';
import { hasOpenTies } from '../faults/ties.ts';
import { attempt, InvalidParameter, refuseNested } from '../parameters.ts';
import type { Formatter } from './format.ts';
import { readLedgerQuery } from './query.ts';
import type { LedgerStore } from './store.ts';

export interface LedgerRoutes {
  readonly store: LedgerStore;
  readonly formatter: Formatter;
  readonly guard: preHandlerAsyncHookHandler;
}

export function routeLedgers(app: FastifyInstance, { store, formatter, guard }: LedgerRoutes): void {
  app.get<{ Querystring: Record<string, unknown> }>(
    '/v1/ledgers',
    { preHandler: guard },
    (request, reply) => {
      const query = attempt(() => readLedgerQuery(request.query));
      if (query instanceof InvalidParameter) return refuseNested(reply, query);
      const { rows, total } = store.page(query, hasOpenTies(request.raw) ? 'unstable' : undefined);
      const meta = JSON.stringify({ total, limit: query.limit, offset: query.offset });
      reply.type('application/json; charset=utf-8');
      return reply.send(pageOf(rows.map(formatter.json), meta));
    },
  );

  app.get<{ Params: { id: string } }>('/v1/ledgers/:id', { preHandler: guard }, (request, reply) => {
    const row = store.find(request.params.id);
    if (row === undefined) return nestedError(reply, 404, 'NOT_FOUND', 'No such ledger in this workspace');
    reply.type('application/json; charset=utf-8');
    return reply.send(`{"data":${formatter.json(row)}}`);
  });
}

/** Where pages are put together; it grows to the longest. */
let scratch = Buffer.allocUnsafe(1 << 18);

/** Each row is encoded by itself: one with letters beyond Latin would make the whole page slow to write. */
function pageOf(rows: readonly string[], meta: string): Buffer {
  const parts = [
    '{"data":[',
    ...rows.flatMap((row, index) => (index === 0 ? row : [',', row])),
    `],"meta":${meta}}`,
  ];
  // No letter of a string takes more than three bytes.
  const longest = parts.reduce((sum, { length }) => sum + length * 3, 0);
  if (longest > scratch.length) scratch = Buffer.allocUnsafe(longest);
  let end = 0;
  for (const part of parts) end += scratch.write(part, end);
  return Buffer.from(scratch.subarray(0, end));
}
