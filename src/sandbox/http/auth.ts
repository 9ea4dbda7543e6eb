// Authenticates a request by a bearer token, which is bound to one workspace, or by an enterprise API key with `wid`. Requests
// are authenticated before they reach an endpoint. See the sections Authentication and Errors (shape 1) of the specification.

import type { FastifyReply, FastifyRequest, preHandlerAsyncHookHandler } from 'fastify';
import { type Keyring, mayCallFrom } from '../nouns/api-keys/store.ts';
import { oauthError } from './errors.ts';
import type { Bearer } from '../identity/index.ts';

export interface Caller {
  readonly uid: string;
}

export interface AuthOptions {
  readonly verify: (jwt: string) => Promise<Bearer | undefined>;
  readonly keys: Keyring;
  readonly clientId: string;
  readonly clientSecret: string;
  readonly workspaceId: string;
  /** The user for whom all API keys act. */
  readonly keyOwner: string;
}

export interface Auth {
  /** Requires authentication. If `scope` is set, a bearer token must have this scope. */
  guard(scope?: string): preHandlerAsyncHookHandler;
  /**
   * Guards endpoints of the legacy API that require OAuth. Requests must have the headers Authorization, X-Client-Id and
   * X-Client-Secret. If `scope` is set, the token must have this scope.
   */
  legacyGuard(scope?: string): preHandlerAsyncHookHandler;
  /**
   * Guards endpoints of the legacy API that require an enterprise key. Requests must have the header X-API-Key. If `permission`
   * is set, the key must have this permission.
   */
  keyGuard(permission?: string): preHandlerAsyncHookHandler;
  callerOf(request: object): Caller | undefined;
}

export function createAuth(options: AuthOptions): Auth {
  const { verify, keys, workspaceId, keyOwner } = options;
  const callers = new WeakMap<object, Caller>();

  async function byKey(request: FastifyRequest, reply: FastifyReply, key: unknown): Promise<unknown> {
    const found = keys.find(key);
    if (found === undefined) return oauthError(reply, 401, 'unauthorized', 'Invalid API key');
    if (!mayCallFrom(found, request.ip)) return fromElsewhere(reply);
    const wid = widOf(request);
    if (wid === undefined) return oauthError(reply, 400, 'bad_request', 'Workspace id (wid) is required');
    if (wid !== workspaceId || !found.workspaceIds.includes(workspaceId)) return notAMember(reply);
    // The specification defines no permission for reads, so reads require no permission.
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
      return oauthError(reply, 403, 'forbidden', 'The token is bound to a workspace; omit wid');
    }
    if (bearer.member.workspace.id !== workspaceId) return notAMember(reply);
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
      return oneCredential(reply);
    };
  }

  function legacyGuard(scope?: string): preHandlerAsyncHookHandler {
    return async (request, reply) => {
      if (request.headers['x-api-key'] !== undefined) return oneCredential(reply);
      const { 'x-client-id': id, 'x-client-secret': secret } = request.headers;
      if (id !== options.clientId || secret !== options.clientSecret) {
        return oauthError(reply, 401, 'unauthorized', 'Invalid or missing X-Client-Id and X-Client-Secret');
      }
      return byToken(request, reply, scope);
    };
  }

  function keyGuard(permission?: string): preHandlerAsyncHookHandler {
    return async (request, reply) => {
      if (request.headers.authorization !== undefined) return oneCredential(reply);
      const key = keys.find(request.headers['x-api-key']);
      if (key === undefined) return oauthError(reply, 401, 'unauthorized', 'Invalid or missing API key');
      if (!mayCallFrom(key, request.ip)) return fromElsewhere(reply);
      if (permission !== undefined && !(key.permissions ?? []).includes(permission)) {
        return oauthError(reply, 401, 'unauthorized', `The API key lacks the permission ${permission}`);
      }
      // The specification does not mention `wid` for legacy requests, so `wid` is optional. If sent, it must be the id of this
      // workspace. Even if `wid` is omitted, the key must have access to this workspace.
      const wid = widOf(request);
      if ((wid !== undefined && wid !== workspaceId) || !key.workspaceIds.includes(workspaceId)) {
        return notAMember(reply);
      }
      callers.set(request, { uid: keyOwner });
      return undefined;
    };
  }

  return { guard, legacyGuard, keyGuard, callerOf: (request) => callers.get(request) };
}

function oneCredential(reply: FastifyReply): FastifyReply {
  return oauthError(
    reply,
    401,
    'unauthorized',
    'Send exactly one credential, of the kind that this endpoint accepts',
  );
}

function notAMember(reply: FastifyReply): FastifyReply {
  return oauthError(reply, 403, 'forbidden', 'Not a member of this workspace');
}

function fromElsewhere(reply: FastifyReply): FastifyReply {
  return oauthError(reply, 401, 'unauthorized', 'The API key cannot be used from this IP address');
}

function widOf({ query }: FastifyRequest): unknown {
  return typeof query === 'object' && query !== null && 'wid' in query ? query.wid : undefined;
}
