// Each workspace is a separate service with its own data. The credential of a request selects the workspace. The service of
// that workspace then verifies the credential. A control request goes to the workspace in `wid`. The workspaces and members are
// defined in identity/members.ts.

import type { IncomingMessage, ServerResponse } from 'node:http';
import type { FastifyInstance } from 'fastify';
import { isControl } from './http/control.ts';
import { tokenClaims } from './identity/access-token.ts';
import type { Keyring } from './nouns/api-keys/store.ts';
import type { SavedService, WorkspaceService } from './service.ts';

export interface Opened {
  readonly app: FastifyInstance;
  readonly service: WorkspaceService;
}

export type Workspaces = Awaited<ReturnType<typeof createWorkspaces>>;

/**
 * @param open creates the service for a workspace. Called immediately for the first workspace, and at first use for each other
 *   workspace.
 */
export async function createWorkspaces(
  ids: readonly [string, ...string[]],
  keys: Keyring,
  open: (workspaceId: string) => Opened,
) {
  const [first] = ids;
  const opened = new Map<string, Promise<Opened>>();
  const ready = new Map<string, Opened>();

  async function begin(id: string): Promise<Opened> {
    const workspace = open(id);
    await workspace.app.ready();
    ready.set(id, workspace);
    return workspace;
  }
  const { app, service } = await begin(first);

  /** Returns the workspace that the credential of a request selects. Does not verify the credential. */
  function workspaceOf({ headers, url = '' }: IncomingMessage): string {
    const wid = widOf(url);
    if (isControl(url.split('?')[0] ?? '')) return wid ?? first;
    const key = headers['x-api-key'];
    // Legacy requests may omit `wid`. Without `wid`, the API key determines the workspace.
    if (key !== undefined) return wid ?? keys.find(key)?.workspaceIds[0] ?? first;
    return claimOf(headers.authorization) ?? first;
  }

  function handle(req: IncomingMessage, res: ServerResponse): void {
    const id = workspaceOf(req);
    // A request for an unknown workspace goes to the first workspace, which rejects the request.
    if (id === first || !ids.includes(id)) {
      app.routing(req, res);
      return;
    }
    get(id).then(
      (other) => other.app.routing(req, res),
      () => res.destroy(),
    );
  }

  /** Returns a workspace. The workspace is opened at its first use. */
  function get(id: string): Promise<Opened> {
    const workspace = opened.get(id) ?? begin(id);
    opened.set(id, workspace);
    return workspace;
  }

  return {
    /** The HTTP application and the service of the first workspace. */
    ...{ first: app, service },
    handle,
    reset(): void {
      for (const { service } of ready.values()) service.reset();
    },
    /** Returns the saved changes of every opened workspace, by workspace id. */
    save: (): Record<string, SavedService> =>
      Object.fromEntries([...ready].map(([id, { service }]) => [id, service.save()])),
    /**
     * Opens the workspaces of a snapshot.
     *
     * @throws RangeError if a workspace is unknown
     */
    async prepare(wanted: readonly string[]): Promise<void> {
      const unknown = wanted.find((id) => !ids.includes(id));
      if (unknown !== undefined) throw new RangeError(`Broken snapshot: unknown workspace ${unknown}`);
      await Promise.all(wanted.filter((id) => id !== first).map(get));
    },
    restore(saved: Readonly<Record<string, SavedService>>): void {
      for (const [id, { service }] of ready) {
        const own = saved[id];
        if (own === undefined) service.reset();
        else service.restore(own);
      }
    },
  };
}

function widOf(url: string): string | undefined {
  return url.includes('wid=')
    ? (new URL(url, 'http://sandbox').searchParams.get('wid') ?? undefined)
    : undefined;
}

function claimOf(token: string | undefined): string | undefined {
  const workspaceId = tokenClaims(token)?.['workspaceId'];
  return typeof workspaceId === 'string' ? workspaceId : undefined;
}
