// Spec: Ledgers. The endpoints require the scope transactions:read. Responses have no `success` field. Errors are nested
// (Shape 3).

import type { FastifyInstance, preHandlerAsyncHookHandler } from 'fastify';
import { type Edits, readNewLeg } from '../../books/edits.ts';
import type { LegBooks } from '../../books/index.ts';
import { shape } from '../../core/readers.ts';
import { hasUnstableTies } from '../../faults/drift.ts';
import { refuseNested, refuseOauth } from '../../http/errors.ts';
import { sendText } from '../../http/lists.ts';
import type { Asks } from '../../http/parameters.ts';

export function routeLedgers(
  app: FastifyInstance,
  { store, book, json }: LegBooks,
  guard: preHandlerAsyncHookHandler,
): void {
  app.get<Asks>('/v1/ledgers', { preHandler: guard }, (request, reply) => {
    const ties = hasUnstableTies(request.raw) ? 'unstable' : undefined;
    const { rows, meta } = store.page(request.query, ties);
    reply.type('application/json; charset=utf-8');
    return reply.send(pageOf(rows.map(json), JSON.stringify(meta)));
  });

  app.get<{ Params: { id: string } }>('/v1/ledgers/:id', { preHandler: guard }, (request, reply) => {
    const row = book.find(request.params.id);
    if (row === undefined) return refuseNested(404, 'NOT_FOUND', 'No such ledger in this workspace');
    return sendText(reply, `{"data":${json(row)}}`);
  });
}

/**
 * POST /_sandbox/ledgers adds legs and returns their ledgers. POST /_sandbox/ledgers/:id edits a leg, and DELETE removes it.
 */
export function routeLedgerControl(app: FastifyInstance, ledgers: LegBooks, edit: Edits['edit']): void {
  app.post('/_sandbox/ledgers', (request, reply) => {
    const given: unknown[] = Array.isArray(request.body) ? request.body : [request.body];
    const ids = ledgers.insert(given.map((leg) => readNewLeg(leg, '')));
    const rows = ids.map((id) => ledgers.book.find(id)).filter((row) => row !== undefined);
    return sendText(reply.code(201), `{"data":[${rows.map(ledgers.json).join(',')}]}`);
  });

  app.post<{ Params: { id: string } }>('/_sandbox/ledgers/:id', (request, reply) => {
    const { id } = request.params;
    const { recalculate = false, ...fields } = shape.record(request.body, '');
    if (!edit(id, fields, shape.flag(recalculate, 'recalculate')))
      return refuseOauth(404, 'not_found', 'No such ledger');
    return sendText(reply, `{"data":${ledgers.json(ledgers.book.find(id) ?? 0)}}`);
  });

  app.delete<{ Params: { id: string } }>('/_sandbox/ledgers/:id', (request, reply) =>
    ledgers.remove(request.params.id)
      ? reply.code(204).send()
      : refuseOauth(404, 'not_found', 'No such ledger'),
  );
}

/** Buffer for pages, replaced with a larger buffer if a page does not fit. */
let scratch = Buffer.allocUnsafe(1 << 18);

/** Encodes each row separately, because one row with letters beyond Latin-1 would slow down the whole page. */
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
