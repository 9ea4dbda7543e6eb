// Spec: GET /v1/holdings, and its legacy form. The specification defines no filters for holdings, so the sandbox supports none.

import type { FastifyInstance } from 'fastify';
import type { Given } from '../../data/resources.ts';
import type { Access } from '../../http/auth.ts';
import { paginate } from '../../http/legacy.ts';
import { listingOfGiven, type RecordList, sendList, sendText } from '../../http/lists.ts';
import { type Asks, readQuery } from '../../http/parameters.ts';
import { holdingJson, legacyHoldingJson, totalValue } from './format.ts';
import type { TokenHolding } from './store.ts';

interface HoldingRoutes {
  readonly holdings: readonly TokenHolding[];
  readonly given: Given | undefined;
  readonly auth: Access;
  readonly clock: () => number;
}

export function routeHoldings(app: FastifyInstance, { holdings, given, auth, clock }: HoldingRoutes): void {
  app.get<Asks>('/v1/holdings', { preHandler: auth.guard() }, (request, reply) =>
    sendList(reply, request.query, given === undefined ? listing(holdings) : listingOfGiven(given)),
  );

  // The specification does not define the envelope of this list, so the sandbox uses the envelope of NFT holdings.
  app.get<Asks>('/api/v1/holdings', { preHandler: auth.legacyGuard() }, (request, reply) => {
    const page = readQuery(request.query, ({ page }) => page(100, 1000));
    const rows = holdings.slice(page.offset, page.offset + page.limit).map(legacyHoldingJson);
    const pagination = JSON.stringify(paginate(page, rows.length, holdings.length));
    const user = JSON.stringify(auth.uidOf(request));
    return sendText(
      reply,
      `{"holdings":[${rows.join(',')}],"pagination":${pagination},"user_id":${user},"timestamp":${clock()}}`,
    );
  });
}

function listing(holdings: readonly TokenHolding[]): RecordList {
  const texts = holdings.map(holdingJson);
  return {
    size: texts.length,
    json: (index) => texts[index] ?? 'null',
    extras: { totalValue: totalValue(holdings) },
  };
}
