// Authenticates a request by a bearer token, which is bound to one workspace, or by an enterprise API key with `wid`. Requests
// are authenticated before they reach an endpoint. See the sections Authentication and Errors (shape 1) of the specification.

import type { FastifyRequest, preHandlerAsyncHookHandler } from 'fastify';
import type { Bearer } from '../identity/index.ts';
import { OWNER } from '../identity/members.ts';
import { type Keyring, mayCallFrom } from '../nouns/api-keys/store.ts';
import type { SandboxSettings } from '../options.ts';
import { ErrorResponse, refuseOauth } from './errors.ts';

export interface AuthOptions {
  readonly verify: (jwt: string) => Promise<Bearer | undefined>;
  readonly keys: Keyring;
  readonly settings: Pick<SandboxSettings, 'clientId' | 'clientSecret'>;
  readonly workspaceId: string;
}

export type Access = ReturnType<typeof createAuth>;

export function createAuth(options: AuthOptions) {
  const { verify, keys, workspaceId, settings } = options;
  /** The user of each request. All API keys act for the owner. */
  const users = new WeakMap<object, string>();

  function byKey(request: FastifyRequest): void {
    const key = keyOf(request, 'Invalid API key');
    const wid = widOf(request);
    if (wid === undefined) refuseOauth(400, 'bad_request', 'Workspace id (wid) is required');
    if (wid !== workspaceId || !key.workspaceIds.includes(workspaceId)) notAMember();
    // The specification defines no permission for reads, so reads require no permission.
    users.set(request, OWNER.uid);
  }

  function keyOf({ headers, ip }: FastifyRequest, otherwise: string) {
    const key = keys.find(headers['x-api-key']) ?? refuseOauth(401, 'unauthorized', otherwise);
    if (mayCallFrom(key, ip)) return key;
    return refuseOauth(401, 'unauthorized', 'The API key cannot be used from this IP address');
  }

  async function byToken(request: FastifyRequest, scope: string | undefined): Promise<void> {
    const [scheme = '', token = '', ...rest] = (request.headers.authorization ?? '').split(' ');
    const wellFormed = scheme.toLowerCase() === 'bearer' && token !== '' && rest.length === 0;
    const bearer = wellFormed ? await verify(token) : undefined;
    if (bearer === undefined) return refuseOauth(401, 'unauthorized', 'Invalid or missing access token');
    if (widOf(request) !== undefined)
      refuseOauth(403, 'forbidden', 'The token is bound to a workspace; omit wid');
    if (bearer.member.workspace.id !== workspaceId) notAMember();
    if (scope !== undefined && !bearer.scopes.includes(scope))
      refuseOauth(403, 'insufficient_scope', `Missing scope: ${scope}`);
    users.set(request, bearer.member.uid);
  }

  return {
    uidOf: (request: object) => users.get(request) ?? '',

    /** Requires authentication. If `scope` is set, a bearer token must have this scope. */
    guard(scope?: string): preHandlerAsyncHookHandler {
      return async (request) => {
        const { authorization, 'x-api-key': key } = request.headers;
        if (key !== undefined && authorization !== undefined) oneCredential();
        try {
          await (key === undefined ? byToken(request, scope) : byKey(request));
        } catch (error) {
          if (error instanceof ErrorResponse) throw error;
          refuseOauth(500, 'server_error', 'Failure while authenticating');
        }
      };
    },

    /**
     * Guards endpoints of the legacy API that require OAuth. Requests must have the headers Authorization, X-Client-Id and
     * X-Client-Secret. If `scope` is set, the token must have this scope.
     */
    legacyGuard(scope?: string): preHandlerAsyncHookHandler {
      return async (request) => {
        const { 'x-api-key': key, 'x-client-id': id, 'x-client-secret': secret } = request.headers;
        if (key !== undefined) oneCredential();
        if (id !== settings.clientId || secret !== settings.clientSecret)
          refuseOauth(401, 'unauthorized', 'Invalid or missing X-Client-Id and X-Client-Secret');
        await byToken(request, scope);
      };
    },

    /**
     * Guards endpoints of the legacy API that require an enterprise key. Requests must have the header X-API-Key. If `permission`
     * is set, the key must have this permission.
     */
    keyGuard(permission?: string): preHandlerAsyncHookHandler {
      return async (request) => {
        if (request.headers.authorization !== undefined) oneCredential();
        const key = keyOf(request, 'Invalid or missing API key');
        if (permission !== undefined && !(key.permissions ?? []).includes(permission))
          refuseOauth(401, 'unauthorized', `The API key lacks the permission ${permission}`);
        // The specification does not mention `wid` for legacy requests, so `wid` is optional. If `wid` is sent, it must be the
        // id of this workspace. With or without `wid`, the key must have access to this workspace.
        const wid = widOf(request);
        if ((wid !== undefined && wid !== workspaceId) || !key.workspaceIds.includes(workspaceId))
          notAMember();
        users.set(request, OWNER.uid);
      };
    },
  };
}

function oneCredential(): never {
  refuseOauth(401, 'unauthorized', 'Send exactly one credential, of the kind that this endpoint accepts');
}

function notAMember(): never {
  refuseOauth(403, 'forbidden', 'Not a member of this workspace');
}

function widOf({ query }: FastifyRequest): unknown {
  return typeof query === 'object' && query !== null && 'wid' in query ? query.wid : undefined;
}
