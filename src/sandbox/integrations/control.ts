// POST /_sandbox/integrations connects an account. POST /_sandbox/integrations/:id has one move through states, at once
// or on occasion of its next sync or removal.

import type { FastifyInstance } from 'fastify';
import { oauthError } from '../errors.ts';
import type { Provider } from '../providers/entities.ts';
import { readScript } from '../script.ts';
import { readConnection } from './connection.ts';
import { readStatusStep } from './entities.ts';
import type { IntegrationStore, Occasion } from './store.ts';

export interface IntegrationControl {
  readonly store: IntegrationStore;
  readonly provider: (id: string) => Provider | undefined;
}

const OCCASIONS: readonly (Occasion | undefined)[] = [undefined, 'resync', 'delete'];

export function routeIntegrationControl(app: FastifyInstance, { store, provider }: IntegrationControl): void {
  app.post('/_sandbox/integrations', (request, reply) => {
    const refuse = (complaint: string) => oauthError(reply, 400, 'bad_request', complaint);
    const connection = readConnection(request.body);
    if (typeof connection === 'string') return refuse(connection);
    const { providerId, alias = '' } = connection;
    if (provider(providerId) === undefined) {
      return oauthError(reply, 404, 'not_found', `There is no provider ${JSON.stringify(providerId)}`);
    }
    if (alias !== '' && store.list().some((other) => other.alias === alias)) {
      return oauthError(reply, 409, 'conflict', 'An integration has this alias already');
    }
    const { body } = request;
    const scripted = typeof body === 'object' && body !== null && 'states' in body;
    const script = scripted ? readScript(body, readStatusStep) : undefined;
    if (typeof script === 'string') return refuse(script);
    return reply.code(201).send(store.connect(connection, script));
  });

  app.post<{ Params: { id: string } }>('/_sandbox/integrations/:id', (request, reply) => {
    const { body, params } = request;
    const script = readScript(body, readStatusStep);
    if (typeof script === 'string') return oauthError(reply, 400, 'bad_request', script);
    const when = typeof body === 'object' && body !== null && 'when' in body ? body.when : undefined;
    const occasion = OCCASIONS.find((known) => known === when);
    if (occasion !== when) return oauthError(reply, 400, 'bad_request', 'when must be resync or delete');
    const found =
      occasion === undefined ? store.script(params.id, script) : store.plan(params.id, occasion, script);
    return found ? reply.code(204).send() : oauthError(reply, 404, 'not_found', 'No such integration');
  });
}
