import { createHash } from 'node:crypto';
import { headerValue } from '../core/header.ts';
import { MINUTE } from '../core/instant.ts';
import { isRecord, type JsonRecord } from '../core/json.ts';
import { destination } from './addresses.ts';
import type { AuthHost } from './host.ts';
import { readCacheKey } from './secrets.ts';
import { oauthError, parseBody, send, unusableResponse } from './send.ts';
import { endpoints } from './server.ts';
import type { Session } from './session.ts';
import { readSealed, userInfoFile, writeSealed } from './session-file.ts';

/**
 * The claims, exactly as the service sent them. Only `sub` is always present (section "UserInfo claims" of the specification).
 */
export type UserInfo = JsonRecord & { readonly sub: string };

/**
 * Lifetime of the cache in milliseconds. Without the cache, `whoami` in a loop would exceed the limit of 1000 requests an hour
 * (section "Rate limits" of the specification).
 */
const CACHE_LIFETIME = 5 * MINUTE;

/**
 * Returns the userinfo claims. An encrypted file caches the claims of the current access token for five minutes. Claims of a
 * token from the environment are not cached.
 *
 * @param fresh bypasses the cache
 */
export async function userInfo(host: AuthHost, session: Session, fresh = false): Promise<UserInfo> {
  if (host.env['CRYPTODATA_ACCESS_TOKEN']) return fetchUserInfo(host, session);
  const to = destination('auth_url', host.settings.require('auth_url'));
  const { accessToken } = await session.accessToken({ to });
  const key = await readCacheKey(host);
  const path = userInfoFile(host.directory, host.settings.profile);
  const purpose = `cryptodata userinfo ${host.settings.profile}`;
  const token = createHash('sha256').update(accessToken).digest('base64url');
  if (key && !fresh) {
    const cached = parseCache(await readSealed(path, key, purpose));
    if (cached && cached.token === token && host.now() - cached.askedAt < CACHE_LIFETIME)
      return cached.claims;
  }
  const askedAt = host.now();
  const claims = await fetchUserInfo(host, session);
  if (key) await writeSealed(path, key, purpose, { token, askedAt, claims });
  return claims;
}

function parseCache(value: unknown): { token: string; askedAt: number; claims: UserInfo } | null {
  if (!isRecord(value) || !isRecord(value['claims'])) return null;
  const { token, askedAt, claims } = value;
  const sub = claims['sub'];
  if (typeof token !== 'string' || typeof askedAt !== 'number' || typeof sub !== 'string') return null;
  return { token, askedAt, claims: { ...claims, sub } };
}

/** Sends `GET {auth_url}/oidc/userinfo`. After a 401, refreshes the token once and sends the request again. */
export async function fetchUserInfo(host: AuthHost, session: Session): Promise<UserInfo> {
  const authUrl = host.settings.require('auth_url');
  const url = endpoints(authUrl).userinfo_endpoint;
  const to = destination('auth_url', authUrl);
  const request = async () => {
    const { accessToken } = await session.accessToken({ to });
    const headers = {
      accept: 'application/json',
      authorization: `Bearer ${headerValue(accessToken, 'The access token')}`,
    };
    return { accessToken, response: await send(host, { method: 'GET', url, headers, interruptible: true }) };
  };
  let { accessToken, response } = await request();
  if (response.status === 401 && (await session.refresh(accessToken)))
    ({ accessToken, response } = await request());
  const parsed = parseBody(url, response);
  const body = isRecord(parsed) ? parsed : undefined;
  const { status } = response;
  const sub = body?.['sub'];
  if (status === 200 && body && typeof sub === 'string') return { ...body, sub };
  const refused = status === 401 ? { ...body, error: 'invalid_token' } : body;
  throw oauthError(host, status, refused) ?? unusableResponse('BAD_USERINFO', url, response);
}
