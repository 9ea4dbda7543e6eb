/**
 * The service on your own machine: `import { createSandbox } from "cryptodata/sandbox"`.
 *
 * It speaks the service interface specification and nothing beside it, on 127.0.0.1 alone, with invented data.
 */

import { createApplication } from './application.ts';
import { createAuth } from './auth.ts';
import { routeControl } from './control.ts';
import { createIdentity, type LiveGrant } from './identity/index.ts';
import { FOREIGN_WORKSPACE_ID, OWNER, WORKSPACE } from './identity/members.ts';
import { createJournal, type RequestRecord } from './journal.ts';
import { createLedgers } from './ledgers/index.ts';
import { routeLedgers } from './ledgers/routes.ts';
import type { LedgerTruth } from './ledgers/truth.ts';
import { digest, type SandboxOptions, settle } from './options.ts';
import { routeProviders } from './providers/routes.ts';
import { createProviderStore } from './providers/store.ts';
import { createHandler, listen } from './server.ts';
import { routeUsers } from './users/routes.ts';

export type { LiveGrant } from './identity/index.ts';
export type { RequestRecord } from './journal.ts';
export type { LedgerTruth, NegativePair } from './ledgers/truth.ts';
export type { SandboxOptions } from './options.ts';

/** What the sandbox knows of itself, told apart from the routes that serve it. */
export interface Truth extends LedgerTruth {
  /** Entries of the provider catalogue. */
  readonly providers: number;
  /** The user who owns the workspace, the access token of `env` and the API key. */
  readonly uid: string;
  /** Exists, and none of the credentials reaches it. */
  readonly foreignWorkspaceId: string;
  /** Grants as they stand now, with the refresh tokens that would still be accepted. */
  grants(): LiveGrant[];
  /** What was asked so far, the control endpoints left out. */
  requests(): readonly RequestRecord[];
}

export interface Sandbox {
  /** http://127.0.0.1:PORT, the origin of all four addresses. */
  readonly url: string;
  /** The CRYPTODATA_* variables that point a client here, an access token among them. */
  readonly env: Readonly<Record<string, string>>;
  readonly clientId: string;
  readonly clientSecret: string;
  /** The enterprise key, to be sent as X-API-Key with `wid=` the workspace id. */
  readonly apiKey: string;
  readonly workspaceId: string;
  readonly truth: Truth;
  /** Forgets logins, journal and rate limits; the token of `env` works again, whatever was done to it. */
  reset(): Promise<void>;
  /** Ends open connections at once. */
  close(): Promise<void>;
}

/**
 * Starts a sandbox; resolves once it listens.
 *
 * @throws RangeError for options out of range; Node's own error, with `code` EADDRINUSE, for a port that is taken.
 */
export async function createSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  const settings = settle(options);
  const { clientId, clientSecret, apiKey, seed, rows, clock, secret, autoConsent, timeBounds, ties } =
    settings;
  const { server, origin } = await listen(settings.port);
  const close = async () => {
    const closed = new Promise<void>((resolve) => server.close(() => resolve()));
    server.closeAllConnections();
    await closed;
  };
  try {
    const journal = createJournal(settings.onRequest);
    const identity = await createIdentity({
      origin,
      clientId,
      clientSecret,
      autoConsent,
      clock,
      secret,
      digest,
    });
    const providers = createProviderStore();
    const ledgers = createLedgers({ seed, rows, workspaceId: WORKSPACE.id, timeBounds, ties });
    const { verify } = identity;
    const auth = createAuth({ verify, apiKey, workspaceId: WORKSPACE.id, keyOwner: OWNER.uid });
    const reset = () => {
      identity.reset();
      journal.clear();
    };

    const app = createApplication();
    routeProviders(app, providers);
    routeLedgers(app, { ...ledgers, guard: auth.guard('transactions:read') });
    routeUsers(app, { guard: auth.guard(), callerOf: auth.callerOf });
    routeControl(app, { journal, grants: identity.grants, reset });
    await app.ready();
    const application = (...[req, res]: Parameters<typeof app.routing>) => app.routing(req, res);
    server.on('request', createHandler({ journal, clock, identity: identity.handle, application }));

    const truth: Truth = {
      ...ledgers.truth,
      providers: providers.size,
      uid: OWNER.uid,
      foreignWorkspaceId: FOREIGN_WORKSPACE_ID,
      grants: identity.grants,
      requests: journal.list,
    };
    return {
      url: origin,
      env: environment(origin, clientId, clientSecret, identity.accessToken),
      clientId,
      clientSecret,
      apiKey,
      workspaceId: WORKSPACE.id,
      truth,
      reset: async () => reset(),
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

function environment(origin: string, clientId: string, clientSecret: string, accessToken: string) {
  return Object.freeze({
    CRYPTODATA_AUTH_URL: origin,
    CRYPTODATA_BASE_URL: origin,
    CRYPTODATA_LEGACY_BASE_URL: origin,
    CRYPTODATA_LEGACY_PUBLIC_URL: origin,
    CRYPTODATA_CLIENT_ID: clientId,
    CRYPTODATA_CLIENT_SECRET: clientSecret,
    CRYPTODATA_ACCESS_TOKEN: accessToken,
  });
}
