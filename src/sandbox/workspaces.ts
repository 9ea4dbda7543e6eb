// Each workspace is a service of its own behind the one address, with data of its own from the seed. A request goes to
// the workspace that its credential names, a control request to the one in `wid`; the service behind looks whether the
// credential is good. Which workspaces and members there are stands in identity/members.ts.

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
  /** Makes the service of a workspace. The first one is made at once, each other when it is first asked for. */
  readonly open: (workspaceId: string) => Opened;
}

export interface Workspaces {
  /** Of the first one. */
  readonly first: FastifyInstance;
  readonly handle: Handler;
  reset(): void;
}

/** Tokens whose workspace is remembered. */
const KEPT = 1000;

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

  /** By what the credential says of itself, good or not. */
  function workspaceOf({ headers, url = '' }: IncomingMessage): string {
    const wid = widOf(url);
    if (url.startsWith(controlPrefix)) return wid ?? first;
    const key = headers['x-api-key'];
    // The legacy calls name no workspace: a key has one of its own.
    if (key !== undefined) return wid ?? keys.find(key)?.workspaceIds[0] ?? first;
    const token = headers.authorization;
    return token === undefined ? first : named(token);
  }

  function named(token: string): string {
    const known = ofToken.get(token);
    if (known !== undefined) return known;
    if (ofToken.size >= KEPT) ofToken.clear();
    const workspaceId = claimOf(token) ?? first;
    ofToken.set(token, workspaceId);
    return workspaceId;
  }

  function handle(req: IncomingMessage, res: ServerResponse): void {
    const id = workspaceOf(req);
    // One that there is not is refused by the first.
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
