import type { FastifyInstance } from 'fastify';
import { jsonOf, type Resources } from '../../data/resources.ts';
import type { Access } from '../../http/auth.ts';
import { routeGiven, sendText } from '../../http/lists.ts';
import type { Asks } from '../../http/parameters.ts';
import { readDefiQuery } from './query.ts';
import { type DefiPosition, totalDefiValue } from './store.ts';

export function routeDefi(
  app: FastifyInstance,
  auth: Access,
  resources: Resources,
  defi: readonly DefiPosition[],
): void {
  const preHandler = auth.guard();
  routeGiven(app, '/v1/defi', preHandler, resources.get('defi'));

  const [sums = {}] = resources.get('defi-totals')?.values ?? [];
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
