// Spec: Holdings (current API). Its query parameters are not shown, so that nothing filters it.

import type { FastifyInstance, preHandlerAsyncHookHandler } from 'fastify';
import type { Given } from '../data/resources.ts';
import { type Listing, listingOfGiven, sendList } from '../lists.ts';
import type { RawQuery } from '../parameters.ts';
import type { Holding } from './store.ts';
import { holdingJson, totalValue } from './store.ts';

export interface HoldingRoutes {
  readonly holdings: readonly Holding[];
  readonly given: Given | undefined;
  readonly guard: preHandlerAsyncHookHandler;
}

export function routeHoldings(app: FastifyInstance, { holdings, given, guard }: HoldingRoutes): void {
  app.get<{ Querystring: RawQuery }>('/v1/holdings', { preHandler: guard }, (request, reply) =>
    sendList(reply, request.query, given === undefined ? listing(holdings) : listingOfGiven(given)),
  );
}

function listing(holdings: readonly Holding[]): Listing {
  return {
    size: holdings.length,
    json: (index) => {
      const holding = holdings[index];
      return holding === undefined ? 'null' : holdingJson(holding);
    },
    extras: { totalValue: totalValue(holdings) },
  };
}
