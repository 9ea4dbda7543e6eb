// The layer in front of oidc-provider. This layer routes only the paths in the specification, applies the rate limits, and
// replaces the JWTs in requests with the opaque tokens of oidc-provider.

import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Provider } from 'oidc-provider';
import { Collection } from '../core/collection.ts';
import { type Saved, shape } from '../core/readers.ts';
import type { SandboxSettings } from '../options.ts';
import type { AccessTokens } from './access-token.ts';
import { answerConsent } from './consent.ts';
import { readForm, rewriteRequest } from './request.ts';
import { splitScope } from './scopes.ts';

const MOUNT = '/oidc';
const ID = /^\/(auth|interaction)\/[\w-]{1,64}$/;

const ENDPOINTS: Readonly<Record<string, EndpointType>> = {
  'GET /auth': 'other',
  'POST /token': 'token',
  'POST /token/revocation': 'other',
  'POST /token/introspection': 'other',
  'GET /userinfo': 'userinfo',
  'GET /jwks': 'other',
  'GET /.well-known/openid_configuration': 'other',
};

export const IDENTITY_ROUTES: readonly string[] = [
  ...Object.keys(ENDPOINTS).map((endpoint) => `${MOUNT}${endpoint.replace(/^\w+ /, '')}`),
  `${MOUNT}/auth/:id`,
  `${MOUNT}/interaction/:id`,
];

/** The seven parameters in the specification, plus `nonce`. OpenID Connect requires the ID token to repeat the nonce. */
const AUTH_PARAMETERS =
  'response_type client_id redirect_uri scope state code_challenge code_challenge_method nonce'.split(' ');

interface GatewayParts {
  readonly provider: Provider;
  readonly tokens: AccessTokens;
  readonly limiter: RateLimiter;
  readonly settings: SandboxSettings;
  /** Scopes to remove from authorization requests. */
  readonly dropped: readonly string[];
}

/** Answers a request below /oidc. Resolves to false if the endpoint does not exist. */
export type Gateway = (req: IncomingMessage, res: ServerResponse, url: URL) => Promise<boolean>;

export function createGateway({ provider, tokens, limiter, settings, dropped }: GatewayParts): Gateway {
  // `?member=` in the address of the consent page selects another member.
  const { clientId, member: asked } = settings;
  const library = provider.callback();

  /** Counts a request if it comes from the registered client. Above the limit, responds with 429 and returns true. */
  function overLimit(res: ServerResponse, type: EndpointType, client: string | null | undefined): boolean {
    const wait = client === clientId ? limiter.take(type, client) : 0;
    if (wait === 0) return false;
    // The specification has no suitable OIDC error code, so the response has no body.
    res.writeHead(429, { 'content-length': 0, retry_after: String(wait) }).end();
    return true;
  }

  async function opaqueOf(token: string): Promise<string> {
    return (await tokens.open(token)) ?? 'not-a-token-of-this-sandbox';
  }

  return async (req, res, url) => {
    const path = url.pathname.slice(MOUNT.length);
    const form = req.method === 'POST' ? await readForm(req) : undefined;

    if (ID.test(path)) {
      if (path.startsWith('/interaction/') && (req.method === 'GET' || req.method === 'POST')) {
        await answerConsent(provider, req, res, form, asked);
        return true;
      }
      if (req.method !== 'GET') return false;
      await library(rewriteRequest(req, { url: path, mountPath: MOUNT }), res);
      return true;
    }

    const type = ENDPOINTS[`${req.method} ${path}`];
    if (type === undefined) return false;
    const rewrite = { url: path, mountPath: MOUNT, form, authorization: req.headers.authorization };

    if (path === '/auth') {
      if (overLimit(res, type, url.searchParams.get('client_id'))) return true;
      const query = new URLSearchParams(
        [...url.searchParams].filter(([name]) => AUTH_PARAMETERS.includes(name)),
      );
      const asksFor = splitScope(query.get('scope'));
      if (asksFor.some((scope) => dropped.includes(scope))) {
        query.set('scope', asksFor.filter((scope) => !dropped.includes(scope)).join(' '));
      }
      // Always ask for consent, as the service does. Without this prompt, the library would not grant offline_access.
      query.set('prompt', 'consent');
      rewrite.url = `${path}?${query}`;
    } else if (path === '/userinfo') {
      const [scheme = '', token = ''] = (req.headers.authorization ?? '').split(' ');
      const opaque = await tokens.open(token);
      if (opaque !== undefined && overLimit(res, type, await clientOf(opaque))) return true;
      if (token !== '') rewrite.authorization = `${scheme} ${await opaqueOf(token)}`;
    } else if (form !== undefined) {
      if (overLimit(res, type, form.get('client_id'))) return true;
      // The specification requires client_id and client_secret in the form body. Ignore a Basic header.
      rewrite.authorization = undefined;
      const token = form.get('token');
      if (path !== '/token' && token?.split('.').length === 3) form.set('token', await opaqueOf(token));
    } else if (path.startsWith('/.well-known/')) {
      rewrite.url = '/.well-known/openid-configuration';
    }
    await library(rewriteRequest(req, rewrite), res);
    return true;
  };

  async function clientOf(opaque: string): Promise<string | undefined> {
    return (await provider.AccessToken.find(opaque))?.clientId;
  }
}

// Spec: "Rate limits (OIDC endpoints; per client id)". The specification defines no limits for the data API, so the sandbox
// limits only the OIDC endpoints.

const MINUTE = 60_000;
const HOUR = 3_600_000;

type EndpointType = 'token' | 'userinfo' | 'other';

const LIMITS: Readonly<Record<EndpointType, { requests: number; window: number }>> = {
  token: { requests: 100, window: MINUTE },
  userinfo: { requests: 1000, window: HOUR },
  other: { requests: 200, window: HOUR },
};

type RateLimiter = ReturnType<typeof createRateLimiter>;

/** `start` is a time of the sandbox's clock, in Unix milliseconds. */
export const readSavedLimits = shape.mapOf(shape.object({ start: shape.number, count: shape.number }));
type SavedLimits = Saved<typeof readSavedLimits>;

/** A window starts at its first request. The specification does not say whether windows are fixed or sliding. */
export function createRateLimiter(clock: () => number) {
  const windows = new Collection<{ start: number; count: number }>();
  return {
    /** Counts one request. Returns 0 if the request is within the limit; otherwise, the number of seconds to wait. */
    take(type: EndpointType, clientId: string): number {
      const { requests, window } = LIMITS[type];
      const key = `${type} ${clientId}`;
      const now = clock();
      const current = windows.get(key);
      const { start, count } =
        current !== undefined && now - current.start < window ? current : { start: now, count: 0 };
      if (count >= requests) return Math.max(1, Math.ceil((start + window - now) / 1000));
      windows.put(key, { start, count: count + 1 });
      return 0;
    },
    reset: () => windows.reset(),
    save: (): SavedLimits => Object.fromEntries(windows.entries()),
    restore: (saved: SavedLimits) => windows.restore(Object.entries(saved)),
  };
}
