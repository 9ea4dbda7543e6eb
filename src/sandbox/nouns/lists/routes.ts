// The lists for which the specification does not define the records. They are empty unless the user supplies records.

import type { FastifyInstance, preHandlerAsyncHookHandler } from 'fastify';
import type { Caller } from '../../http/auth.ts';
import { type Given, jsonOf, member, type Resource } from '../../data/resources.ts';
import { hinted, listingOf, listingOfGiven, sendList, sendText } from '../../http/lists.ts';
import { attempt, InvalidParameter, parametersOf, type RawQuery, refuseWrapped } from '../../http/parameters.ts';

interface OpenRoutes {
  readonly resources: ReadonlyMap<string, Given>;
  /** Requires no scope, because the specification does not name a scope for these endpoints. */
  readonly guard: preHandlerAsyncHookHandler;
  /** Requires the scope contacts:read (spec: Scopes, rule 2). */
  readonly contactsGuard: preHandlerAsyncHookHandler;
}

const LISTS: readonly (readonly [path: string, resource: Resource])[] = [
  ['/v1/defi', 'defi'],
  ['/v1/calculated-balances', 'calculated-balances'],
  ['/v1/labels', 'labels'],
  ['/v1/spam', 'spam'],
];

const CONTACTS: readonly (readonly [path: string, resource: Resource])[] = [
  ['/v1/contacts', 'contacts'],
  ['/v1/counter-parties', 'counter-parties'],
];

export function routeOpenLists(app: FastifyInstance, { resources, guard, contactsGuard }: OpenRoutes): void {
  function list(path: string, resource: Resource, preHandler: preHandlerAsyncHookHandler): void {
    const given = resources.get(resource);
    const listing = listingOfGiven(given);
    app.get<{ Querystring: RawQuery }>(path, { preHandler }, (request, reply) =>
      sendList(hinted(reply, given), request.query, listing),
    );
  }
  for (const [path, resource] of LISTS) list(path, resource, guard);
  for (const [path, resource] of CONTACTS) list(path, resource, contactsGuard);

  const nfts = listingOfGiven(resources.get('nfts'));
  app.get<{ Querystring: RawQuery }>('/v1/nfts', { preHandler: guard }, (request, reply) =>
    sendList(hinted(reply, resources.get('nfts')), request.query, {
      ...nfts,
      extras: { totalEstimatedValueUsd: '0', ...nfts.extras },
    }),
  );

  const [totals = {}] = resources.get('defi-totals')?.values ?? [];
  app.get('/v1/defi/totals', { preHandler: guard }, (_request, reply) =>
    sendText(reply, `{"success":true,"data":${jsonOf(totals)}}`),
  );

  const assets = resources.get('assets')?.values ?? [];
  app.get<{ Querystring: RawQuery }>('/v1/assets/search', { preHandler: guard }, (request, reply) => {
    const address = attempt(() => parametersOf(request.query).text('contractAddress'));
    if (address instanceof InvalidParameter) return refuseWrapped(reply, address);
    const found = assets.filter((asset) => address === undefined || hasAddress(asset, address));
    return sendList(hinted(reply, resources.get('assets')), request.query, listingOf(found));
  });
}

/** Whether the asset has this address. Case is ignored. */
function hasAddress(asset: unknown, address: string): boolean {
  const own = member(asset, 'contractAddress');
  return typeof own === 'string' && own.toLowerCase() === address.toLowerCase();
}

// Spec: GET /v1/users/me returns uid. The specification defines no other field.

interface UserRoutes {
  readonly guard: preHandlerAsyncHookHandler;
  readonly callerOf: (request: object) => Caller | undefined;
}

export function routeUsers(app: FastifyInstance, { guard, callerOf }: UserRoutes): void {
  app.get('/v1/users/me', { preHandler: guard }, (request, reply) =>
    reply.send({ success: true, data: { uid: callerOf(request)?.uid } }),
  );
}
