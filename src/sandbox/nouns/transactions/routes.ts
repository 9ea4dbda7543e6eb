// Serves GET /v1/transactions and the endpoints below that path. A response is { data, meta }, without a `success` field.
// Errors are nested (Shape 3).

import type { FastifyInstance, preHandlerAsyncHookHandler } from 'fastify';
import { nestedError } from '../../http/errors.ts';
import type { LedgerJson } from '../ledgers/format.ts';
import { sendText } from '../../http/lists.ts';
import { attempt, InvalidParameter, type RawQuery, refuseNested } from '../../http/parameters.ts';
import { PERIOD_LOCKED, type Period } from '../period/store.ts';
import { applyBatch, type Converts } from './batch.ts';
import type { Transaction } from '../../books/legs.ts';
import { readTransactionQuery } from './query.ts';
import type { TransactionStore } from './store.ts';

/**
 * Whether `meta` contains `total`, `limit` and `offset` in addition to `hasMore`. The specification defines only `hasMore`.
 */
export type TransactionsMeta = 'with-total' | 'without-total';

export interface TransactionRoutes {
  readonly store: TransactionStore;
  readonly json: (transaction: Transaction) => string;
  readonly ledgerJson: LedgerJson;
  readonly meta: TransactionsMeta;
  readonly period: Period;
  readonly converts: Converts;
  readonly guard: preHandlerAsyncHookHandler;
}

const REFUSALS = {
  BAD_REQUEST: [400, 'The body is neither an object nor a list'],
  PERIOD_LOCKED: [409, PERIOD_LOCKED],
  CURRENCY_CONVERSION_FAILED: [422, 'A supplied price could not be converted'],
} as const;

export function routeTransactions(app: FastifyInstance, options: TransactionRoutes): void {
  const { store, json, ledgerJson, period, converts, guard } = options;
  const path = '/v1/transactions';

  app.get<{ Querystring: RawQuery }>(path, { preHandler: guard }, (request, reply) => {
    const query = attempt(() => readTransactionQuery(request.query));
    if (query instanceof InvalidParameter) return refuseNested(reply, query);
    const { transactions, total } = store.page(query);
    const { limit, offset } = query;
    const hasMore = offset + transactions.length < total;
    const meta = options.meta === 'with-total' ? { total, limit, offset, hasMore } : { hasMore };
    return sendText(reply, `{"data":[${transactions.map(json).join(',')}],"meta":${JSON.stringify(meta)}}`);
  });

  app.get<{ Params: { id: string } }>(`${path}/:id/ledgers`, { preHandler: guard }, (request, reply) => {
    const transaction = store.find(request.params.id);
    if (transaction === undefined)
      return nestedError(reply, 404, 'NOT_FOUND', 'No such transaction in this workspace');
    // Return the last leg first, as GET /v1/ledgers?transactionIds=ID does.
    const rows = [...transaction.rows].reverse().map((row) => ledgerJson(row));
    const meta = { total: rows.length, limit: rows.length, offset: 0 };
    return sendText(reply, `{"data":[${rows.join(',')}],"meta":${JSON.stringify(meta)}}`);
  });

  app.post(`${path}/batch`, { preHandler: guard }, (request, reply) => {
    const outcome = applyBatch(request.body, { store, period, converts });
    if ('errorCount' in outcome) return reply.send({ data: outcome });
    const [status, message] = REFUSALS[outcome.refused];
    return nestedError(reply, status, outcome.refused, message);
  });
}
