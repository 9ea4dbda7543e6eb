import { createHash } from 'node:crypto';
import { isRecord } from '../core/json.ts';
import { userInfoFile } from './cache.ts';
import type { AuthHost } from './host.ts';
import { readSealed, writeSealed } from './sealed-file.ts';
import { readCacheKey } from './secrets.ts';
import type { Session } from './session-types.ts';
import { fetchUserInfo, type UserInfo } from './userinfo.ts';

/** Userinfo may be asked 1000 times an hour ("Rate limits"): a loop of `whoami` would be there in minutes. */
const KEPT_FOR = 5 * 60_000;

/**
 * The userinfo claims, asked for once in five minutes for each access token; the answer is kept encrypted beside
 * the session. With a token from the environment nothing is kept.
 *
 * @param fresh asks the service in any case
 */
export async function userInfo(host: AuthHost, session: Session, fresh = false): Promise<UserInfo> {
  if (host.env['CRYPTODATA_ACCESS_TOKEN']) return fetchUserInfo(host, session);
  const { accessToken } = await session.accessToken();
  const key = await readCacheKey(host);
  const path = userInfoFile(host.directory, host.settings.profile);
  const purpose = `cryptodata userinfo ${host.settings.profile}`;
  const token = createHash('sha256').update(accessToken).digest('base64url');
  if (key && !fresh) {
    const kept = parse(await readSealed(path, key, purpose));
    if (kept && kept.token === token && host.now() - kept.askedAt < KEPT_FOR) return kept.claims;
  }
  const askedAt = host.now();
  const claims = await fetchUserInfo(host, session);
  if (key) await writeSealed(path, key, purpose, { token, askedAt, claims });
  return claims;
}

function parse(value: unknown): { token: string; askedAt: number; claims: UserInfo } | null {
  if (!isRecord(value) || !isRecord(value['claims'])) return null;
  const { token, askedAt, claims } = value;
  const sub = claims['sub'];
  if (typeof token !== 'string' || typeof askedAt !== 'number' || typeof sub !== 'string') return null;
  return { token, askedAt, claims: { ...claims, sub } };
}
