// Serves GET /v1/transactions and the endpoints below that path. A response is { data, meta }, without a `success` field.
// Errors are nested (Shape 3).

import type { FastifyInstance, preHandlerAsyncHookHandler } from 'fastify';
import type { LegGroup } from '../../books/legs.ts';
import { refuseNested } from '../../http/errors.ts';
import { sendText } from '../../http/lists.ts';
import type { Asks } from '../../http/parameters.ts';
import type { SandboxSettings } from '../../options.ts';
import type { LedgerJson } from '../ledgers/format.ts';
import type { Period } from '../period/store.ts';
import { applyBatch, type Converts } from './batch.ts';
import type { TransactionStore } from './store.ts';

export interface TransactionRoutes {
  readonly store: TransactionStore;
  readonly json: (transaction: LegGroup) => string;
  readonly ledgerJson: LedgerJson;
  readonly meta: SandboxSettings['transactionsMeta'];
  readonly period: Period;
  readonly converts: Converts;
  readonly guard: preHandlerAsyncHookHandler;
}

export function routeTransactions(app: FastifyInstance, options: TransactionRoutes): void {
  const { store, json, ledgerJson, period, converts, guard } = options;
  const path = '/v1/transactions';

  app.get<Asks>(path, { preHandler: guard }, (request, reply) => {
    const { transactions, ...bounds } = store.page(request.query);
    const meta = options.meta === 'with-total' ? bounds : { hasMore: bounds.hasMore };
    return sendText(reply, `{"data":[${transactions.map(json).join(',')}],"meta":${JSON.stringify(meta)}}`);
  });

  app.get<{ Params: { id: string } }>(`${path}/:id/ledgers`, { preHandler: guard }, (request, reply) => {
    const transaction = store.find(request.params.id);
    if (transaction === undefined)
      return refuseNested(404, 'NOT_FOUND', 'No such transaction in this workspace');
    // Return the last leg first, as GET /v1/ledgers?transactionIds=ID does.
    const rows = [...transaction.rows].reverse().map((row) => ledgerJson(row));
    const meta = { total: rows.length, limit: rows.length, offset: 0 };
    return sendText(reply, `{"data":[${rows.join(',')}],"meta":${JSON.stringify(meta)}}`);
  });

  app.post(`${path}/batch`, { preHandler: guard }, (request, reply) => {
    const errorCount = applyBatch(request.body, { store, period, converts });
    reply.header(
      'x-cryptodata-sandbox',
      'The sandbox checks the items of a batch, but changes no transaction.',
    );
    return reply.send({ data: { errorCount } });
  });
}
