// The lists for which the specification does not define the records. Each list is empty unless the user supplies records.

import type { FastifyInstance } from 'fastify';
import { jsonOf, member, type Resource, type Resources } from '../../data/resources.ts';
import type { Access } from '../../http/auth.ts';
import { hinted, routeGiven, sendList } from '../../http/lists.ts';
import { type Asks, readQuery } from '../../http/parameters.ts';

/** The scope is omitted where the specification does not name one. Spec: Scopes, rule 2, names contacts:read. */
const LISTS: readonly (readonly [path: string, resource: Resource, scope?: string])[] = [
  ['/v1/calculated-balances', 'calculated-balances'],
  ['/v1/labels', 'labels'],
  ['/v1/spam', 'spam'],
  ['/v1/contacts', 'contacts', 'contacts:read'],
  ['/v1/counter-parties', 'counter-parties', 'contacts:read'],
];

export function routeLists(app: FastifyInstance, auth: Access, resources: Resources): void {
  for (const [path, resource, scope] of LISTS) {
    routeGiven(app, path, auth.guard(scope), resources.get(resource));
  }

  const assets = resources.get('assets');
  app.get<Asks>('/v1/assets/search', { preHandler: auth.guard() }, (request, reply) => {
    const address = readQuery(request.query, ({ text }) => text('contractAddress'));
    const found = assets?.values.filter((asset) => address === undefined || hasAddress(asset, address)) ?? [];
    return sendList(hinted(reply, assets), request.query, found.map(jsonOf));
  });
}

/** Whether the asset has this address. Case is ignored. */
function hasAddress(asset: unknown, address: string): boolean {
  const own = member(asset, 'contractAddress');
  return typeof own === 'string' && own.toLowerCase() === address.toLowerCase();
}
