import type { FastifyInstance } from 'fastify';
import type { Given } from '../../data/resources.ts';
import type { Access } from '../../http/auth.ts';
import { paginate } from '../../http/legacy.ts';
import { hinted, listingOfGiven, sendList } from '../../http/lists.ts';
import type { Asks } from '../../http/parameters.ts';
import { readNftQuery } from './query.ts';
import type { ChainedNft } from './store.ts';

interface NftRoutes {
  readonly nfts: readonly ChainedNft[];
  readonly given: Given | undefined;
  readonly auth: Access;
}

export function routeNfts(app: FastifyInstance, { nfts, given, auth }: NftRoutes): void {
  const listing = listingOfGiven(given);
  app.get<Asks>('/v1/nfts', { preHandler: auth.guard() }, (request, reply) =>
    sendList(hinted(reply, given), request.query, {
      ...listing,
      extras: { totalEstimatedValueUsd: '0', ...listing.extras },
    }),
  );

  const preHandler = auth.legacyGuard('portfolios:read');
  app.get<Asks>('/api/v1/nft-holdings', { preHandler }, (request, reply) => {
    const query = readNftQuery(request.query);
    const found = nfts.filter(query.matches);
    const page = found.slice(query.offset, query.offset + query.limit).map(({ holding }) => holding);
    const pagination = paginate(query, page.length, found.length);
    return reply.send({ holdings: page, pagination, user_id: auth.uidOf(request) });
  });
}
