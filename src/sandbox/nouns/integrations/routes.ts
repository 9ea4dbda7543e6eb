// Spec: the endpoints below /v1/integrations. The specification does not define the format of the request bodies, so the
// sandbox accepts ids and credentials anywhere in a body.

import type { FastifyInstance } from 'fastify';
import { shape } from '../../core/readers.ts';
import { scriptMembers } from '../../core/script.ts';
import { strings } from '../../core/strings.ts';
import { jsonOf, member, type Resources } from '../../data/resources.ts';
import type { Access } from '../../http/auth.ts';
import { refuseOauth, refuseWrapped } from '../../http/errors.ts';
import { hinted, sendList } from '../../http/lists.ts';
import type { Asks } from '../../http/parameters.ts';
import { CONNECTION } from './accounts.ts';
import { type ConnectedAccount, readStatusStep } from './entities.ts';
import { legacyWallet } from './format.ts';
import type { IntegrationStore } from './store.ts';

/** POST /v1/integrations/test-credentials rejects credentials that contain this text. */
const REJECTED_CREDENTIAL = 'rejected';

export function routeIntegrations(
  app: FastifyInstance,
  auth: Access,
  resources: Resources,
  store: IntegrationStore,
): void {
  const { provider } = store;
  const assets = resources.get('integration-assets');
  const preHandler = auth.guard();
  const path = '/v1/integrations';

  app.get('/api/v1/integrations', { preHandler: auth.keyGuard() }, (_request, reply) =>
    reply.send({ success: true, data: store.list().map(legacyWallet) }),
  );

  app.get<Asks>(path, { preHandler }, (request, reply) =>
    sendList(reply, request.query, store.look().map(jsonOf)),
  );

  // The specification does not name the query parameter for the alias, so any single parameter is accepted.
  app.get<Asks>(`${path}/alias-exists`, { preHandler }, (request, reply) => {
    const given = Object.entries(request.query).filter(([name]) => name !== 'wid');
    const [alias] = given.map(([, value]) => value);
    if (given.length !== 1 || typeof alias !== 'string')
      return invalid('alias', 'exactly one alias in the query');
    return reply.send({ success: true, data: hasAlias(store.list(), alias) });
  });

  app.post(`${path}/test-credentials`, { preHandler }, (request, reply) => {
    const texts = strings(request.body);
    if (texts.length === 0) return invalid('body', 'credentials');
    const alias = member(request.body, 'alias');
    if (typeof alias === 'string' && hasAlias(store.list(), alias)) {
      return refuseWrapped(409, 'CONFLICT', 'Another integration already has this alias', { alias });
    }
    if (texts.some((text) => provider(text)?.isWorking === false)) {
      return refuseWrapped(502, 'EXTERNAL_SERVICE_ERROR', 'The provider does not answer');
    }
    if (texts.some((text) => text.includes(REJECTED_CREDENTIAL))) {
      return refuseWrapped(400, 'CREDENTIAL_VALIDATION_FAILED', 'The provider rejected the credentials');
    }
    return reply.send({ success: true, data: {} });
  });

  app.post(`${path}/batch-delete`, { preHandler }, (request, reply) => {
    const ids = [...new Set(strings(request.body))];
    if (ids.length === 0) return invalid('body', 'ids of integrations');
    return reply.send({ success: true, data: { failed: store.remove(ids) } });
  });

  app.post(`${path}/resync-all`, { preHandler }, (_request, reply) => {
    const failed = store.resync();
    if (failed === undefined) return refuseWrapped(400, 'SYNC_ERROR', 'A sync is already running');
    return reply.send({ success: true, data: { failed } });
  });

  app.get<Asks & { Params: { id: string } }>(`${path}/:id/assets`, { preHandler }, (request, reply) => {
    const { id } = request.params;
    if (!store.list().some(({ walletId }) => walletId === id)) {
      return refuseWrapped(404, 'NOT_FOUND', 'No such integration in this workspace');
    }
    const { values = [], extras = {} } = assets ?? {};
    const own = values.filter((asset) => [undefined, id].includes(walletOf(asset)));
    return sendList(hinted(reply, assets), request.query, own.map(jsonOf), extras);
  });
}

/** Returns the account to which a user-supplied asset belongs. An asset without a `walletId` belongs to all accounts. */
function walletOf(asset: unknown): string | undefined {
  const walletId = member(asset, 'walletId');
  return typeof walletId === 'string' ? walletId : undefined;
}

function hasAlias(integrations: readonly ConnectedAccount[], alias: string): boolean {
  return alias !== '' && integrations.some((integration) => integration.alias === alias);
}

function invalid(name: string, expected: string): never {
  const message = `Expected ${expected}`;
  const issues = [{ code: 'invalid_type', expected, received: 'undefined', path: [name], message }];
  return refuseWrapped(400, 'VALIDATION_ERROR', 'Invalid request', { issues });
}

// POST /_sandbox/integrations connects an account. POST /_sandbox/integrations/:id gives an account a script of states. The
// script starts immediately, or when the account's next sync or removal starts.

const { states, every } = scriptMembers(readStatusStep);
const readConnect = shape.object(CONNECTION[0], { ...CONNECTION[1], states, every });
const readPlan = shape.object({ states }, { every, when: shape.oneOf('resync', 'delete') });

export function routeIntegrationControl(app: FastifyInstance, store: IntegrationStore): void {
  app.post('/_sandbox/integrations', (request, reply) => {
    const { states, every, ...connection } = readConnect(request.body, '');
    const { providerId, alias = '' } = connection;
    if (store.provider(providerId) === undefined) {
      return refuseOauth(404, 'not_found', `Unknown provider ${JSON.stringify(providerId)}`);
    }
    if (hasAlias(store.list(), alias)) {
      return refuseOauth(409, 'conflict', 'Another integration already has this alias');
    }
    const script = states && { states, ...(every === undefined ? {} : { every }) };
    return reply.code(201).send(store.connect(connection, script));
  });

  app.post<{ Params: { id: string } }>('/_sandbox/integrations/:id', (request, reply) => {
    const { when, ...script } = readPlan(request.body, '');
    const { id } = request.params;
    const found = when === undefined ? store.script(id, script) : store.plan(id, when, script);
    return found ? reply.code(204).send() : refuseOauth(404, 'not_found', 'No such integration');
  });
}
