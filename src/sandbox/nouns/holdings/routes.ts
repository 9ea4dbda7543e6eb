// Spec: GET /v1/holdings, and its legacy form. The specification defines no filters for holdings, so the sandbox supports none.

import type { FastifyInstance } from 'fastify';
import { jsonOf, type Resources } from '../../data/resources.ts';
import type { Access } from '../../http/auth.ts';
import { paginate } from '../../http/legacy.ts';
import { sendList, sendText } from '../../http/lists.ts';
import { type Asks, readQuery } from '../../http/parameters.ts';
import { holdingJson, legacyHoldingJson, totalValue } from './format.ts';
import type { TokenHolding } from './store.ts';

export function routeHoldings(
  app: FastifyInstance,
  auth: Access,
  resources: Resources,
  holdings: readonly TokenHolding[],
  clock: () => number,
): void {
  const given = resources.get('holdings');
  const texts = given === undefined ? holdings.map(holdingJson) : given.values.map(jsonOf);
  const extras = given === undefined ? { totalValue: totalValue(holdings) } : given.extras;
  app.get<Asks>('/v1/holdings', { preHandler: auth.guard() }, (request, reply) =>
    sendList(reply, request.query, texts, extras),
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
