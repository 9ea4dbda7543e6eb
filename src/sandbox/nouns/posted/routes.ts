// Spec: POST /api/v0/transactions.

import type { FastifyInstance, FastifyReply } from 'fastify';
import type { Edits } from '../../books/edits.ts';
import { parseExact } from '../../core/exact-json.ts';
import type { Access } from '../../http/auth.ts';
import { refuseLegacy, refuseNested } from '../../http/errors.ts';
import { WRITE_TRANSACTIONS } from '../api-keys/store.ts';
import type { ConnectedAccount } from '../integrations/entities.ts';
import { shownName } from '../integrations/format.ts';
import type { Label } from '../labels/store.ts';
import { PERIOD_LOCKED, type Period } from '../period/store.ts';
import { isDetails, type Posted, postedLegs, readPosted } from './query.ts';

interface PostedRoutes {
  readonly auth: Access;
  readonly clock: () => number;
  readonly accounts: () => readonly ConnectedAccount[];
  readonly ledgers: Edits;
  /** Labels that a posted transaction may have. */
  readonly labels: readonly Label[];
  readonly period: Period;
  /** Records a posted payload. */
  readonly keep: (posted: Posted) => void;
}

/** Maximum size of a batch in bytes. The specification does not limit the number of transactions. */
const POST_LIMIT = 256 * 1024 * 1024;

/** The body, parsed in two ways: as ordinary JSON, and without rounding numbers. */
interface PostedBody {
  readonly plain: unknown;
  readonly exact: unknown;
}

export function routePosted(app: FastifyInstance, options: PostedRoutes): void {
  const { auth, clock, accounts, ledgers, labels, period, keep } = options;

  function book({ plain, exact }: PostedBody, request: object, reply: FastifyReply): FastifyReply {
    const posted = readPosted(plain, labels);
    if (!('walletId' in posted)) return refuseLegacy('Invalid parameters', posted);
    const { walletId, transactions } = posted;
    const wallet = accounts().find((account) => account.walletId === walletId);
    if (wallet === undefined) {
      const detail = { path: ['walletId'], message: 'Wallet not found' };
      return refuseLegacy('Wallet not found', [detail]);
    }
    const legs = postedLegs(posted, exact);
    if (isDetails(legs)) return refuseLegacy('Invalid parameters', legs);
    // Reject the whole batch. The error is nested, because the specification shows PERIOD_LOCKED only as a nested error.
    if (transactions.some(({ timestamp }) => period.isLocked(Number(timestamp)))) {
      return refuseNested(409, 'PERIOD_LOCKED', PERIOD_LOCKED);
    }
    ledgers.insert(legs);
    keep(posted);
    const source = { walletId, name: shownName(wallet) };
    return reply.code(201).send({
      message: 'Transactions added',
      data: transactions.map(({ timestamp, transactionType, transactionId }) => ({
        timestamp,
        transactionType,
        transactionId,
        source,
      })),
      count: transactions.length,
      user_id: auth.uidOf(request),
      timestamp: clock(),
    });
  }

  app.register(async (scope) => {
    scope.addContentTypeParser('application/json', { parseAs: 'string' }, (_request, body, done) => {
      const text = String(body);
      try {
        done(null, { plain: JSON.parse(text), exact: parseExact(text) });
      } catch (cause) {
        done(Object.assign(new Error('The body is not JSON', { cause }), { statusCode: 400 }));
      }
    });
    scope.post<{ Body: PostedBody }>(
      '/api/v0/transactions',
      { preHandler: auth.keyGuard(WRITE_TRANSACTIONS), bodyLimit: POST_LIMIT },
      (request, reply) => book(request.body, request, reply),
    );
  });
}
