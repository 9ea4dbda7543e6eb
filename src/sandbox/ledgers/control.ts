// POST /_sandbox/ledgers adds a leg, or a list of them, and answers with their records; DELETE takes one away.

import type { FastifyInstance } from 'fastify';
import { oauthError } from '../errors.ts';
import { sendText } from '../lists.ts';
import { readNewLeg } from './edits.ts';
import type { Ledgers } from './index.ts';

export function routeLedgerControl(app: FastifyInstance, prefix: string, ledgers: Ledgers): void {
  app.post(`${prefix}ledgers`, (request, reply) => {
    const given = Array.isArray(request.body) ? request.body : [request.body];
    const legs = given.map(readNewLeg);
    const wrong = legs.find((leg) => typeof leg === 'string');
    if (wrong !== undefined) return oauthError(reply, 400, 'bad_request', wrong);
    try {
      const ids = ledgers.insert(legs.filter((leg) => typeof leg !== 'string'));
      const rows = ids.map((id) => ledgers.store.find(id)).filter((row) => row !== undefined);
      return sendText(reply.code(201), `{"data":[${rows.map(ledgers.formatter.json).join(',')}]}`);
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
