// Who may call: bearer tokens bound to one workspace, or an enterprise API key with `wid` (spec: Authentication,
// Errors shape 1). All of it is answered before the request reaches the endpoint.

import type { FastifyReply, FastifyRequest, preHandlerAsyncHookHandler } from 'fastify';
import { oauthError } from './errors.ts';
import type { Bearer } from './identity/index.ts';

export interface Caller {
  readonly uid: string;
}

export interface AuthOptions {
  readonly verify: (jwt: string) => Promise<Bearer | undefined>;
  readonly apiKey: string;
  readonly workspaceId: string;
  /** The key acts for this user. */
  readonly keyOwner: string;
}

export interface Auth {
  /** A hook that lets through who holds the scope; without a scope, whoever is authenticated. */
  guard(scope?: string): preHandlerAsyncHookHandler;
  callerOf(request: object): Caller | undefined;
}

export function createAuth({ verify, apiKey, workspaceId, keyOwner }: AuthOptions): Auth {
  const callers = new WeakMap<object, Caller>();

  async function byKey(request: FastifyRequest, reply: FastifyReply, key: unknown): Promise<unknown> {
    if (key !== apiKey) return oauthError(reply, 401, 'unauthorized', 'Invalid API key');
    const wid = widOf(request);
    if (wid === undefined) return oauthError(reply, 400, 'bad_request', 'Workspace id (wid) is required');
    if (wid !== workspaceId) return oauthError(reply, 403, 'forbidden', 'Not a member of this workspace');
    // Permission names other than write:transactions are not shown, so that reading needs none.
    callers.set(request, { uid: keyOwner });
    return undefined;
  }

  async function byToken(
    request: FastifyRequest,
    reply: FastifyReply,
    scope: string | undefined,
  ): Promise<unknown> {
    const [scheme = '', token = '', ...rest] = (request.headers.authorization ?? '').split(' ');
    const wellFormed = scheme.toLowerCase() === 'bearer' && token !== '' && rest.length === 0;
    const bearer = wellFormed ? await verify(token) : undefined;
    if (bearer === undefined)
      return oauthError(reply, 401, 'unauthorized', 'Invalid or missing access token');
    if (widOf(request) !== undefined) {
      return oauthError(reply, 403, 'forbidden', 'The token is bound to a workspace; pass none');
    }
    if (scope !== undefined && !bearer.scopes.includes(scope)) {
      return oauthError(reply, 403, 'insufficient_scope', `Missing scope: ${scope}`);
    }
    callers.set(request, { uid: bearer.member.uid });
    return undefined;
  }

  function guard(scope?: string): preHandlerAsyncHookHandler {
    return async (request, reply) => {
      const key = request.headers['x-api-key'];
      try {
        if (key === undefined) return await byToken(request, reply, scope);
        if (request.headers.authorization === undefined) return await byKey(request, reply, key);
      } catch {
        return oauthError(reply, 500, 'server_error', 'Failure while authenticating');
      }
      return oauthError(reply, 401, 'unauthorized', 'Send either Authorization or x-api-key, not both');
    };
  }

  return { guard, callerOf: (request) => callers.get(request) };
}

function widOf({ query }: FastifyRequest): unknown {
  return typeof query === 'object' && query !== null && 'wid' in query ? query.wid : undefined;
}
