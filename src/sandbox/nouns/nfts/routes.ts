import type { FastifyInstance } from 'fastify';
import type { Resources } from '../../data/resources.ts';
import type { Access } from '../../http/auth.ts';
import { paginate } from '../../http/legacy.ts';
import { routeGiven } from '../../http/lists.ts';
import type { Asks } from '../../http/parameters.ts';
import { readNftQuery } from './query.ts';
import type { ChainedNft } from './store.ts';

export function routeNfts(
  app: FastifyInstance,
  auth: Access,
  resources: Resources,
  nfts: readonly ChainedNft[],
): void {
  routeGiven(app, '/v1/nfts', auth.guard(), resources.get('nfts'), { totalEstimatedValueUsd: '0' });

  const preHandler = auth.legacyGuard('portfolios:read');
  app.get<Asks>('/api/v1/nft-holdings', { preHandler }, (request, reply) => {
    const query = readNftQuery(request.query);
    const found = nfts.filter(query.matches);
    const page = found.slice(query.offset, query.offset + query.limit).map(({ holding }) => holding);
    const pagination = paginate(query, page.length, found.length);
    return reply.send({ holdings: page, pagination, user_id: auth.uidOf(request) });
  });
}
