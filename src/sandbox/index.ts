/**
 * Runs the service on your own machine: `import { createSandbox } from "cryptodata/sandbox"`.
 *
 * The sandbox implements the service interface specification, listens on 127.0.0.1 only, and serves invented data.
 */

import type { FastifyInstance } from 'fastify';
import { readNewLeg } from './books/edits.ts';
import { createClock } from './core/clock.ts';
import { digest } from './core/hash.ts';
import { shape } from './core/readers.ts';
import { routeDataControl } from './data/control.ts';
import { routeEventsControl } from './events/control.ts';
import { createEventSender } from './events/index.ts';
import { applyDrifts } from './faults/drift.ts';
import { checkPath, readFault, type SandboxFaults, writeFault } from './faults/fault.ts';
import { createMeet } from './faults/meet.ts';
import { createFaults } from './faults/plan.ts';
import { routeFaultControl } from './faults/routes.ts';
import { createPlayer } from './faults/scenario.ts';
import type { Origins } from './http/addresses.ts';
import { createApplication } from './http/application.ts';
import { createAuth } from './http/auth.ts';
import { CONTROL_PREFIX, isControl, routeControl } from './http/control.ts';
import { ERRORS } from './http/error-table.ts';
import { createRequestLog } from './http/request-log.ts';
import { bindServers, createHandlers } from './http/server.ts';
import { IDENTITY_ROUTES } from './identity/gateway.ts';
import { createIdentity } from './identity/index.ts';
import { FOREIGN_WORKSPACE_ID, MEMBERS, OWNER, WORKSPACE, WORKSPACES } from './identity/members.ts';
import { routeKeyControl } from './nouns/api-keys/routes.ts';
import { createKeyring, WRITE_TRANSACTIONS } from './nouns/api-keys/store.ts';
import type { ConnectedAccount } from './nouns/integrations/entities.ts';
import {
  describeData,
  ofFurtherWorkspace,
  type SandboxOptions,
  type SandboxSettings,
  settleOptions,
} from './options.ts';
import { routePage } from './page/routes.ts';
import type { Sandbox, Truth } from './sandbox.ts';
import { createService } from './service.ts';
import { parseSnapshot, readSnapshotDocument } from './snapshot/document.ts';
import { routeSnapshot } from './snapshot/routes.ts';
import { withSaved } from './snapshot/settings.ts';
import { createState, type World } from './snapshot/state.ts';
import { createWorkspaces } from './workspaces.ts';

export type { NewLeg } from './books/edits.ts';
export type { LedgerTruth, NegativePair } from './books/truth.ts';
export { loadData, loadFile, resourceOf } from './data/load.ts';
export type { Resource, ResourceData, SandboxData } from './data/resources.ts';
export { RESOURCES } from './data/resources.ts';
export type { Attempt, Delivery, DeliverySignature, Emitted, EmittedKind, Envelope } from './events/index.ts';
export type { SandboxFault, SandboxFaults } from './faults/fault.ts';
export type { Scenario, ScenarioStep } from './faults/scenario.ts';
export type { ErrorEntry } from './http/error-table.ts';
export type { RequestRecord } from './http/request-log.ts';
export type { LiveGrant } from './identity/index.ts';
export type { ApiKey } from './nouns/api-keys/store.ts';
export type { Posted } from './nouns/posted/query.ts';
export type { SyncScript, SyncState } from './nouns/syncs/store.ts';
export type { SandboxOptions } from './options.ts';
export type {
  Sandbox,
  SandboxClock,
  SandboxEvents,
  SandboxLedgers,
  TrueMember,
  Truth,
} from './sandbox.ts';
export type { DataTruth } from './service.ts';
export { parseSnapshot, type SandboxSnapshot } from './snapshot/document.ts';

/**
 * Starts a sandbox. The promise resolves when the sandbox accepts connections.
 *
 * @throws RangeError if an option is invalid; Error with `code` EADDRINUSE if the port is in use.
 */
export async function createSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  const own = settleOptions(options);
  const snapshot = options.snapshot === undefined ? undefined : readSnapshotDocument(options.snapshot);
  const settings = snapshot === undefined ? own : withSaved(own, snapshot.settings);
  const { clientId, clientSecret, apiKey, secret } = settings;
  const movable = createClock(settings.clock);
  const clock = movable.now;
  const { servers, origins, close: closeServers } = await bindServers(settings.port, settings.oneOrigin);
  const ended = [movable.close];
  const close = async () => {
    for (const end of ended) end();
    await closeServers();
  };
  try {
    const log = createRequestLog(settings.onRequest);
    const identity = await createIdentity(settings, origins.auth_url, clock);
    const plan = createFaults({ seed: settings.scenario?.seed ?? settings.seed, clock });
    const { verify, grants } = identity;
    const events = createEventSender(settings, {
      clock: movable,
      origins: Object.values(origins),
      // The newest grant in the workspace, or an invented id if the workspace has no grant.
      grantId: (workspace) =>
        grants().findLast((grant) => grant.workspaceId === workspace)?.grantId ??
        `cgrant_${digest(workspace).slice(0, 20)}`,
      disturb: plan.disturb,
    });
    ended.push(events.close);
    const ownKey = { key: apiKey, permissions: [WRITE_TRANSACTIONS] };
    const keys = createKeyring([ownKey, ...settings.apiKeys], clock);
    const reset = async () => {
      movable.reset();
      identity.reset();
      events.reset();
      world = first;
      world.workspaces.reset();
      keys.reset();
      plan.clear();
      player.restore({ age: 0, order: null, steps: [] });
      log.clear();
      await begin();
    };
    async function begin(): Promise<void> {
      if (snapshot !== undefined) await state.load(snapshot);
      await player.start();
    }

    const player = createPlayer(settings.faults, settings.scenario, {
      faults: plan,
      clock: movable,
      integration: () => world.workspaces.service.integrations.list().find(isSynced)?.walletId ?? '',
      post: (path, body) => postControl(world.workspaces.first, `${CONTROL_PREFIX}${path}`, body),
    });
    const endpoints = new Set(IDENTITY_ROUTES);
    const routes = () => [...endpoints].filter((path) => !isControl(path));
    const faults: SandboxFaults = {
      add(given) {
        const fault = shape.checked(readFault)(given, '');
        checkPath(fault, routes());
        plan.add(fault);
      },
      remove(given) {
        if (given !== undefined) return plan.remove(shape.checked(readFault)(given, ''));
        const any = plan.list().length > 0;
        plan.clear();
        return any;
      },
      list: plan.list,
    };
    const createWorld = async (own: SandboxSettings): Promise<World> => ({
      settings: own,
      workspaces: await createWorkspaces(
        [WORKSPACE.id, ...WORKSPACES.slice(1).map(({ id }) => id)],
        keys,
        (workspaceId) => {
          const ofWorkspace = workspaceId === WORKSPACE.id ? own : ofFurtherWorkspace(own, workspaceId);
          const service = createService(ofWorkspace, movable, events.emit, workspaceId);
          const { ledgers } = service;
          const app = createApplication((path) => endpoints.add(path));
          applyDrifts(app, ledgers, clock);
          service.route(app, createAuth({ verify, keys, settings, workspaceId }));
          routeControl(app, { log, grants, clock: movable, reset });
          service.routeControl(app);
          routeFaultControl(app, faults, player);
          routeKeyControl(app, keys, secret);
          routeDataControl(app, service.data);
          routeEventsControl(app, { events, workspaceId, example: service.example });
          routeSnapshot(app, state);
          routePage(app, {
            log,
            state: () => ({
              origins,
              seed: ofWorkspace.seed,
              data: describeData(ofWorkspace),
              clock: { now: clock(), moved: movable.moved() },
              faults: faults.list().map(writeFault),
              clientId,
              workspaceId,
              members: MEMBERS,
              counts: service.counts(),
              receivers: events.receivers(),
              lockedUntil: service.period.lockedUntil(),
            }),
            clearFaults: plan.clear,
            advance: movable.advance,
            reset,
            load: (document) => state.load(parseSnapshot(document)),
          });
          return { app, service };
        },
      ),
    });
    const state = createState({
      ...{ clock: movable, identity, keys, faults: plan, player, events, createWorld },
      world: () => world,
      setWorld: (next) => {
        world = next;
      },
    });
    const first = await createWorld(settings);
    let world = first;
    for (const fault of [...settings.faults, ...(settings.scenario?.faults ?? [])]) {
      checkPath(fault, routes());
    }
    await begin();
    const handlerOf = createHandlers({
      ...{ log, origins, clock },
      meet: createMeet(plan, identity.end),
      identity: identity.handle,
      application: (req, res) => world.workspaces.handle(req, res),
    });
    for (const [name, server] of servers) {
      const handle = handlerOf(name);
      server.on('request', (req, res) => {
        movable.tick();
        handle(req, res);
      });
    }

    const service = () => world.workspaces.service;
    return {
      url: origins.base_url,
      env: environment(origins, clientId, clientSecret, identity.accessToken),
      clientId,
      clientSecret,
      apiKey,
      workspaceId: WORKSPACE.id,
      get truth(): Truth {
        return {
          ...service().truth,
          uid: OWNER.uid,
          foreignWorkspaceId: FOREIGN_WORKSPACE_ID,
          members: MEMBERS.map(({ uid, name, email, role, workspace }) => ({
            uid,
            name,
            email,
            role,
            workspaceId: workspace.id,
          })),
          errors: ERRORS,
          grants,
          requests: log.list,
        };
      },
      ledgers: {
        insert: (...legs) => service().ledgers.insert(legs.map((leg, at) => readNewLeg(leg, `[${at}]`))),
        remove: (id) => service().ledgers.remove(id),
        edit: (id, { recalculate = false, ...fields }) => service().edit(id, fields, recalculate),
      },
      clock: { now: clock, advance: movable.advance, set: movable.set },
      events,
      faults,
      snapshot: state.save,
      load: state.load,
      reset,
      close,
      [Symbol.asyncDispose]: close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

function isSynced({ isCustomWallet, type, status }: ConnectedAccount): boolean {
  return !isCustomWallet && type === 'api' && status === 'COMPLETED';
}

/** Sends a step of a scenario to a control endpoint, as a client would. */
async function postControl(app: FastifyInstance, url: string, body: unknown) {
  const payload = body === undefined ? {} : { payload: JSON.stringify(body) };
  const headers = body === undefined ? {} : { 'content-type': 'application/json' };
  const answer = await app.inject({ method: 'POST', url, headers, ...payload });
  return { status: answer.statusCode, text: answer.payload };
}

function environment(origins: Origins, clientId: string, clientSecret: string, accessToken: string) {
  const addresses = Object.entries(origins).map(([name, url]) => [`CRYPTODATA_${name.toUpperCase()}`, url]);
  return Object.freeze({
    ...Object.fromEntries(addresses),
    CRYPTODATA_CLIENT_ID: clientId,
    CRYPTODATA_CLIENT_SECRET: clientSecret,
    CRYPTODATA_ACCESS_TOKEN: accessToken,
  });
}
