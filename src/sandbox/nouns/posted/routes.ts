// Spec: Legacy API. The service uses three hosts; the sandbox serves all paths on one host.

import type { FastifyInstance, FastifyReply } from 'fastify';
import { WRITE_TRANSACTIONS } from '../api-keys/store.ts';
import type { Auth } from '../../http/auth.ts';
import { legacyError, nestedError } from '../../http/errors.ts';
import { parseExact } from '../../core/exact-json.ts';
import type { Holding } from '../holdings/store.ts';
import { changeOf, money, roiOf } from '../holdings/store.ts';
import type { Integration } from '../integrations/entities.ts';
import type { IntegrationStore } from '../integrations/store.ts';
import type { Edits } from '../../books/edits.ts';
import { objectText, sendText } from '../../http/lists.ts';
import { attempt, InvalidParameter, parametersOf, type RawQuery } from '../../http/parameters.ts';
import { PERIOD_LOCKED, type Period } from '../period/store.ts';
import type { Provider } from '../providers/entities.ts';
import { type DefiHolding, defiPage, readDefiQuery } from '../defi/store.ts';
import type { Label } from '../labels/store.ts';
import { type ChainedNft, readNftQuery } from '../nfts/store.ts';
import { isDetails, legsOf, type Posted, readPosted } from './format.ts';
import { publicIntegration } from '../providers/format.ts';

interface LegacyRoutes {
  readonly auth: Auth;
  readonly clock: () => number;
  readonly providers: readonly Provider[];
  readonly integrations: IntegrationStore;
  readonly holdings: readonly Holding[];
  readonly nfts: readonly ChainedNft[];
  readonly defi: readonly DefiHolding[];
  readonly ledgers: Edits;
  /** Labels that a posted transaction may have. */
  readonly labels: readonly Label[];
  readonly period: Period;
  /** Records a posted payload. */
  readonly keep: (posted: Posted) => void;
}

/** Maximum size of a batch in bytes. The specification does not limit the number of transactions. */
const POST_LIMIT = 256 * 1024 * 1024;

export function routeLegacy(app: FastifyInstance, options: LegacyRoutes): void {
  const { auth, clock, integrations, holdings, nfts, defi } = options;
  const uidOf = (request: object) => auth.callerOf(request)?.uid ?? '';

  const catalogue = options.providers.map(publicIntegration);
  app.get('/integrations/public/list', (_request, reply) => reply.send({ success: true, data: catalogue }));

  app.get('/api/v1/integrations', { preHandler: auth.keyGuard() }, (_request, reply) =>
    reply.send({ success: true, data: integrations.list().map(walletOf) }),
  );

  routePosting(app, options);

  app.get<{ Querystring: RawQuery }>(
    '/api/v1/nft-holdings',
    { preHandler: auth.legacyGuard('portfolios:read') },
    (request, reply) => {
      const query = attempt(() => readNftQuery(request.query));
      if (query instanceof InvalidParameter) return refuse(reply, query);
      const found = nfts.filter(query.matches);
      const page = found.slice(query.offset, query.offset + query.limit).map(({ holding }) => holding);
      return reply.send({
        holdings: page,
        pagination: paginate(query, page.length, found.length),
        user_id: uidOf(request),
      });
    },
  );

  app.get<{ Querystring: RawQuery }>(
    '/v0/defi-holdings',
    { preHandler: auth.legacyGuard() },
    (request, reply) => {
      const query = attempt(() => readDefiQuery(request.query));
      if (query instanceof InvalidParameter) return refuse(reply, query);
      const { holdings: page, ...totals } = defiPage(defi, query);
      return reply.send({ holdings: page, user_id: uidOf(request), ...totals });
    },
  );

  // The specification does not define the envelope of this list, so the sandbox uses the envelope of NFT holdings.
  app.get<{ Querystring: RawQuery }>(
    '/api/v1/holdings',
    { preHandler: auth.legacyGuard() },
    (request, reply) => {
      const query = attempt(() => readLegacyPage(request.query));
      if (query instanceof InvalidParameter) return refuse(reply, query);
      const page = holdings.slice(query.offset, query.offset + query.limit).map(legacyHoldingJson);
      const pagination = JSON.stringify(paginate(query, page.length, holdings.length));
      const user = JSON.stringify(uidOf(request));
      return sendText(
        reply,
        `{"holdings":[${page.join(',')}],"pagination":${pagination},"user_id":${user},"timestamp":${clock()}}`,
      );
    },
  );

  // Spec: the legacy API adds user_id and timestamp to nearly every response. The specification defines no other user field.
  app.get('/api/v1/userinfo', { preHandler: auth.legacyGuard() }, (request, reply) =>
    reply.send({ user_id: uidOf(request), timestamp: clock() }),
  );
}

/** The body, parsed in two ways: as ordinary JSON, and without rounding numbers. */
interface PostedBody {
  readonly plain: unknown;
  readonly exact: unknown;
}

function routePosting(app: FastifyInstance, options: LegacyRoutes): void {
  const { auth, clock, integrations, ledgers, labels, period, keep } = options;

  function book({ plain, exact }: PostedBody, request: object, reply: FastifyReply): FastifyReply {
    const posted = readPosted(plain, labels);
    if (!('walletId' in posted)) return legacyError(reply, 400, 'Invalid parameters', posted);
    const { walletId, transactions } = posted;
    const wallet = integrations.list().find((account) => account.walletId === walletId);
    if (wallet === undefined) {
      const detail = { path: ['walletId'], message: 'Wallet not found' };
      return legacyError(reply, 400, 'Wallet not found', [detail]);
    }
    const legs = legsOf(posted, exact);
    if (isDetails(legs)) return legacyError(reply, 400, 'Invalid parameters', legs);
    // Reject the whole batch. The error is nested, because the specification shows PERIOD_LOCKED only as a nested error.
    if (transactions.some(({ timestamp }) => period.isLocked(Number(timestamp)))) {
      return nestedError(reply, 409, 'PERIOD_LOCKED', PERIOD_LOCKED);
    }
    ledgers.insert(legs);
    keep(posted);
    const source = { walletId, name: nameOf(wallet) };
    return reply.code(201).send({
      message: 'Transactions added',
      data: transactions.map(({ timestamp, transactionType, transactionId }) => ({
        timestamp,
        transactionType,
        transactionId,
        source,
      })),
      count: transactions.length,
      user_id: auth.callerOf(request)?.uid ?? '',
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

function walletOf(account: Integration): Record<string, unknown> {
  const { walletId, category, publicAddress } = account;
  return { walletId, name: nameOf(account), type: category, address: publicAddress };
}

function nameOf({ alias, providerPublicName }: Integration): string {
  return alias === '' ? providerPublicName : alias;
}

function readLegacyPage(raw: RawQuery): { limit: number; offset: number } {
  const { whole } = parametersOf(raw);
  return { limit: whole('limit', 100, 1, 1000), offset: whole('offset', 0, 0, Number.MAX_SAFE_INTEGER) };
}

/** Spec: the legacy pagination object. */
function paginate(
  { limit, offset }: { limit: number; offset: number },
  returned_count: number,
  totalCount: number,
) {
  const hasNextPage = offset + returned_count < totalCount;
  return { limit, offset, returned_count, totalCount, hasNextPage, hasPreviousPage: offset > 0 };
}

function refuse(reply: FastifyReply, { parameter, message }: InvalidParameter): FastifyReply {
  return legacyError(reply, 400, 'Invalid parameters', [{ path: [parameter], message }]);
}

// The legacy API uses the old names of holdings fields. The specification lists the old names in its change list.

function legacyHoldingJson(holding: Holding): string {
  return objectText({
    asset: JSON.stringify({ tokenId: holding.tokenId }),
    costbasis: money(holding.costBasis),
    // 0 if unknown. The current API returns null instead.
    roi: String(roiOf(holding) ?? 0),
    // A percentage, despite its name.
    '24hrChange': String(changeOf(holding)),
  });
}
