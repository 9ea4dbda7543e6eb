// Spec: Ledgers. The endpoints require the scope transactions:read. Responses have no `success` field. Errors are nested
// (Shape 3).

import type { FastifyInstance, preHandlerAsyncHookHandler } from 'fastify';
import { nestedError, oauthError } from '../../http/errors.ts';

import { hasUnstableTies } from '../../faults/drift.ts';
import { sendText } from '../../http/lists.ts';
import { attempt, InvalidParameter, refuseNested } from '../../http/parameters.ts';
import { readNewLeg } from '../../books/edits.ts';
import type { Ledgers } from '../../books/index.ts';
import { readLedgerQuery } from './query.ts';

export function routeLedgers(
  app: FastifyInstance,
  { store, book, json }: Ledgers,
  guard: preHandlerAsyncHookHandler,
): void {
  app.get<{ Querystring: Record<string, unknown> }>(
    '/v1/ledgers',
    { preHandler: guard },
    (request, reply) => {
      const query = attempt(() => readLedgerQuery(request.query));
      if (query instanceof InvalidParameter) return refuseNested(reply, query);
      const { rows, total } = store.page(query, hasUnstableTies(request.raw) ? 'unstable' : undefined);
      const meta = JSON.stringify({ total, limit: query.limit, offset: query.offset });
      reply.type('application/json; charset=utf-8');
      return reply.send(
        pageOf(
          rows.map((row) => json(row)),
          meta,
        ),
      );
    },
  );

  app.get<{ Params: { id: string } }>('/v1/ledgers/:id', { preHandler: guard }, (request, reply) => {
    const row = book.find(request.params.id);
    if (row === undefined) return nestedError(reply, 404, 'NOT_FOUND', 'No such ledger in this workspace');
    reply.type('application/json; charset=utf-8');
    return reply.send(`{"data":${json(row)}}`);
  });
}

/** POST /_sandbox/ledgers adds legs and returns their ledgers. DELETE /_sandbox/ledgers/:id removes a leg. */
export function routeLedgerControl(app: FastifyInstance, prefix: string, ledgers: Ledgers): void {
  app.post(`${prefix}ledgers`, (request, reply) => {
    const given = Array.isArray(request.body) ? request.body : [request.body];
    const legs = given.map(readNewLeg);
    const wrong = legs.find((leg) => typeof leg === 'string');
    if (wrong !== undefined) return oauthError(reply, 400, 'bad_request', wrong);
    try {
      const ids = ledgers.insert(legs.filter((leg) => typeof leg !== 'string'));
      const rows = ids.map((id) => ledgers.book.find(id)).filter((row) => row !== undefined);
      return sendText(reply.code(201), `{"data":[${rows.map((row) => ledgers.json(row)).join(',')}]}`);
    } catch (error) {
      if (error instanceof RangeError) return oauthError(reply, 400, 'bad_request', error.message);
      throw error;
    }
  });

  app.delete<{ Params: { id: string } }>(`${prefix}ledgers/:id`, (request, reply) =>
    ledgers.remove(request.params.id)
      ? reply.code(204).send()
      : oauthError(reply, 404, 'not_found', 'No such ledger'),
  );
}

/** Buffer for pages. It is replaced with a larger buffer if a page does not fit. */
let scratch = Buffer.allocUnsafe(1 << 18);

/** Encodes each row separately. Otherwise, one row with letters beyond Latin-1 would slow down the whole page. */
function pageOf(rows: readonly string[], meta: string): Buffer {
  const parts = [
    '{"data":[',
    ...rows.flatMap((row, index) => (index === 0 ? row : [',', row])),
    `],"meta":${meta}}`,
  ];
  // A UTF-16 code unit takes at most three bytes in UTF-8.
  const longest = parts.reduce((sum, { length }) => sum + length * 3, 0);
  if (longest > scratch.length) scratch = Buffer.allocUnsafe(longest);
  let end = 0;
  for (const part of parts) end += scratch.write(part, end);
  return Buffer.from(scratch.subarray(0, end));
}
