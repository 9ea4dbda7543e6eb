// Each workspace is a separate service with its own data. A request goes to the workspace that its credential names, a
// control request to the one in `wid`; the service then verifies the credential. identity/members.ts lists workspaces and
// members.

import type { IncomingMessage, ServerResponse } from 'node:http';
import type { FastifyInstance } from 'fastify';
import type { Keyring } from './api-keys.ts';
import type { Handler } from './server.ts';

export interface Opened {
  readonly app: FastifyInstance;
  reset(): void;
}

export interface WorkspaceParts {
  readonly controlPrefix: string;
  readonly ids: readonly [string, ...string[]];
  readonly keys: Keyring;
  /** Creates the service of a workspace: the first one immediately, the others at their first request. */
  readonly open: (workspaceId: string) => Opened;
}

export interface Workspaces {
  /** The application of the first workspace. */
  readonly first: FastifyInstance;
  readonly handle: Handler;
  reset(): void;
}

/** Maximum number of tokens in the cache of workspaces. */
const MAX_REMEMBERED = 1000;

export async function createWorkspaces(parts: WorkspaceParts): Promise<Workspaces> {
  const { ids, keys, open, controlPrefix } = parts;
  const [first] = ids;
  const ofToken = new Map<string, string>();
  const opened = new Map<string, Promise<Opened>>();
  const ready: Opened[] = [];

  async function begin(id: string): Promise<Opened> {
    const workspace = open(id);
    await workspace.app.ready();
    ready.push(workspace);
    return workspace;
  }
  const { app } = await begin(first);

  /** Reads the workspace from the credential without verifying it. */
  function workspaceOf({ headers, url = '' }: IncomingMessage): string {
    const wid = widOf(url);
    if (url.startsWith(controlPrefix)) return wid ?? first;
    const key = headers['x-api-key'];
    // Legacy requests name no workspace, so the key determines it.
    if (key !== undefined) return wid ?? keys.find(key)?.workspaceIds[0] ?? first;
    const token = headers.authorization;
    return token === undefined ? first : named(token);
  }

  function named(token: string): string {
    const known = ofToken.get(token);
    if (known !== undefined) return known;
    if (ofToken.size >= MAX_REMEMBERED) ofToken.clear();
    const workspaceId = claimOf(token) ?? first;
    ofToken.set(token, workspaceId);
    return workspaceId;
  }

  function handle(req: IncomingMessage, res: ServerResponse): void {
    const id = workspaceOf(req);
    // The first workspace rejects requests for unknown workspaces.
    if (id === first || !ids.includes(id)) {
      app.routing(req, res);
      return;
    }
    const workspace = opened.get(id) ?? begin(id);
    opened.set(id, workspace);
    workspace.then(
      (other) => other.app.routing(req, res),
      () => res.destroy(),
    );
  }

  return {
    first: app,
    handle,
    reset() {
      for (const workspace of ready) workspace.reset();
    },
  };
}

function widOf(url: string): string | undefined {
  return url.includes('wid=')
    ? (new URL(url, 'http://sandbox').searchParams.get('wid') ?? undefined)
    : undefined;
}

function claimOf(token: string): string | undefined {
  try {
    const claims: unknown = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString());
    const named = typeof claims === 'object' && claims !== null && 'workspaceId' in claims;
    return named && typeof claims.workspaceId === 'string' ? claims.workspaceId : undefined;
  } catch {
    return undefined;
  }
}
