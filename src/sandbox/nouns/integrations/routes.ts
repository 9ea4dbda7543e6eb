// Spec: the endpoints below /v1/integrations. The specification does not define the format of the request bodies, so the
// sandbox accepts ids and credentials anywhere in a body.

import type { FastifyInstance, FastifyReply, preHandlerAsyncHookHandler } from 'fastify';
import { type Given, member } from '../../data/resources.ts';
import { oauthError, wrappedError } from '../../http/errors.ts';
import { hinted, listingOf, sendList } from '../../http/lists.ts';
import type { RawQuery } from '../../http/parameters.ts';
import type { Provider } from '../providers/entities.ts';
import { readScript } from '../../core/script.ts';
import { strings } from '../../core/strings.ts';
import { readConnection } from './accounts.ts';
import { type Integration, readStatusStep } from './entities.ts';
import type { IntegrationStore, Occasion } from './store.ts';

interface IntegrationRoutes {
  readonly store: IntegrationStore;
  readonly provider: (id: string) => Provider | undefined;
  readonly assets: Given | undefined;
  readonly guard: preHandlerAsyncHookHandler;
}

/** POST /v1/integrations/test-credentials rejects credentials that contain this text. */
export const REJECTED_CREDENTIAL = 'rejected';

export function routeIntegrations(app: FastifyInstance, options: IntegrationRoutes): void {
  const { store, provider, assets, guard } = options;
  const preHandler = guard;
  const path = '/v1/integrations';

  app.get<{ Querystring: RawQuery }>(path, { preHandler }, (request, reply) =>
    sendList(reply, request.query, listingOf(store.look())),
  );

  // The specification does not name the query parameter for the alias, so any single parameter is accepted.
  app.get<{ Querystring: RawQuery }>(`${path}/alias-exists`, { preHandler }, (request, reply) => {
    const given = Object.entries(request.query).filter(([name]) => name !== 'wid');
    const [alias] = given.map(([, value]) => value);
    if (given.length !== 1 || typeof alias !== 'string')
      return invalid(reply, 'alias', 'exactly one alias in the query');
    return reply.send({ success: true, data: hasAlias(store.list(), alias) });
  });

  app.post(`${path}/test-credentials`, { preHandler }, (request, reply) => {
    const texts = strings(request.body);
    if (texts.length === 0) return invalid(reply, 'body', 'credentials');
    const alias = member(request.body, 'alias');
    if (typeof alias === 'string' && hasAlias(store.list(), alias)) {
      return wrappedError(reply, 409, 'CONFLICT', 'Another integration already has this alias', { alias });
    }
    if (texts.some((text) => provider(text)?.isWorking === false)) {
      return wrappedError(reply, 502, 'EXTERNAL_SERVICE_ERROR', 'The provider does not answer');
    }
    if (texts.some((text) => text.includes(REJECTED_CREDENTIAL))) {
      return wrappedError(
        reply,
        400,
        'CREDENTIAL_VALIDATION_FAILED',
        'The provider rejected the credentials',
      );
    }
    return reply.send({ success: true, data: {} });
  });

  app.post(`${path}/batch-delete`, { preHandler }, (request, reply) => {
    const ids = [...new Set(strings(request.body))];
    if (ids.length === 0) return invalid(reply, 'body', 'ids of integrations');
    return reply.send({ success: true, data: { failed: store.remove(ids) } });
  });

  app.post(`${path}/resync-all`, { preHandler }, (_request, reply) => {
    const failed = store.resync();
    if (failed === undefined) return wrappedError(reply, 400, 'SYNC_ERROR', 'A sync is already running');
    return reply.send({ success: true, data: { failed } });
  });

  app.get<{ Querystring: RawQuery; Params: { id: string } }>(
    `${path}/:id/assets`,
    { preHandler },
    (request, reply) => {
      const { id } = request.params;
      if (!store.list().some(({ walletId }) => walletId === id)) {
        return wrappedError(reply, 404, 'NOT_FOUND', 'No such integration in this workspace');
      }
      const { values = [], extras = {} } = assets ?? {};
      const own = values.filter((asset) => [undefined, id].includes(walletOf(asset)));
      return sendList(hinted(reply, assets), request.query, listingOf(own, extras));
    },
  );
}

/** Returns the account to which a user-supplied asset belongs. An asset without a `walletId` belongs to all accounts. */
function walletOf(asset: unknown): string | undefined {
  const walletId = member(asset, 'walletId');
  return typeof walletId === 'string' ? walletId : undefined;
}

function hasAlias(integrations: readonly Integration[], alias: string): boolean {
  return alias !== '' && integrations.some((integration) => integration.alias === alias);
}

function invalid(reply: FastifyReply, name: string, expected: string): FastifyReply {
  const message = `Expected ${expected}`;
  const issues = [{ code: 'invalid_type', expected, received: 'undefined', path: [name], message }];
  return wrappedError(reply, 400, 'VALIDATION_ERROR', 'Invalid request', { issues });
}

// POST /_sandbox/integrations connects an account. POST /_sandbox/integrations/:id gives an account a script of states. The
// script starts immediately, or when the account's next sync or removal starts.

interface IntegrationControl {
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
      return oauthError(reply, 404, 'not_found', `Unknown provider ${JSON.stringify(providerId)}`);
    }
    if (alias !== '' && store.list().some((other) => other.alias === alias)) {
      return oauthError(reply, 409, 'conflict', 'Another integration already has this alias');
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
    if (occasion !== when) return oauthError(reply, 400, 'bad_request', '"when" must be resync or delete');
    const found =
      occasion === undefined ? store.script(params.id, script) : store.plan(params.id, occasion, script);
    return found ? reply.code(204).send() : oauthError(reply, 404, 'not_found', 'No such integration');
  });
}
