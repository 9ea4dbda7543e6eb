import type { FastifyInstance } from 'fastify';
import { type Given, jsonOf } from '../../data/resources.ts';
import type { Access } from '../../http/auth.ts';
import { hinted, listingOfGiven, sendList, sendText } from '../../http/lists.ts';
import type { Asks } from '../../http/parameters.ts';
import { readDefiQuery } from './query.ts';
import { type DefiPosition, totalDefiValue } from './store.ts';

interface DefiRoutes {
  readonly defi: readonly DefiPosition[];
  readonly given: Given | undefined;
  readonly totals: Given | undefined;
  readonly auth: Access;
}

export function routeDefi(app: FastifyInstance, { defi, given, totals, auth }: DefiRoutes): void {
  const preHandler = auth.guard();
  const listing = listingOfGiven(given);
  app.get<Asks>('/v1/defi', { preHandler }, (request, reply) =>
    sendList(hinted(reply, given), request.query, listing),
  );

  const [sums = {}] = totals?.values ?? [];
  app.get('/v1/defi/totals', { preHandler }, (_request, reply) =>
    sendText(reply, `{"success":true,"data":${jsonOf(sums)}}`),
  );

  app.get<Asks>('/v0/defi-holdings', { preHandler: auth.legacyGuard() }, (request, reply) => {
    const { docId, limit, sortByHighestValue } = readDefiQuery(request.query);
    const found = defi.filter(({ id }) => docId === undefined || id === docId);
    if (sortByHighestValue) found.sort((a, b) => b.stats.net_usd_value - a.stats.net_usd_value);
    return reply.send({
      holdings: found.slice(0, limit),
      user_id: auth.uidOf(request),
      base_currency: 'USD',
      // The totals include all matching holdings, not only those on the page.
      total_defi_value: totalDefiValue(found),
      total_count: found.length,
      sorted_by_highest_value: sortByHighestValue,
    });
  });
}
