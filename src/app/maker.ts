import { openSession } from '../auth/session.ts';
import { userInfo } from '../auth/userinfo.ts';
import type { Context } from '../context.ts';
import { CryptodataError } from '../core/errors.ts';
import type { JsonRecord } from '../core/json.ts';

/** The workspace of a session, and the user who owns the session. Null means unknown. */
export interface Maker {
  readonly workspaceId: string | null;
  readonly workspaceName: string | null;
  /** The name of the profile; null if the credentials come from the environment. */
  readonly profile: string | null;
  /** Name and email address of the user, or the user id. */
  readonly madeBy: string | null;
}

/** Reads the access token, and requests the user's name if `asks` is true. Values that cannot be read are null. */
export async function makerOf(context: Context, { asks }: { readonly asks: boolean }): Promise<Maker> {
  const host = await context.auth();
  const session = openSession(host);
  const info = host.env['CRYPTODATA_API_KEY'] ? null : await session.info();
  if (info === null) return { workspaceId: null, workspaceName: null, profile: null, madeBy: null };
  const claims = asks ? await userClaims(host, session) : {};
  const { name, email, sub } = claims;
  const person = [name, email ? `<${email}>` : undefined].filter(Boolean).join(' ');
  return {
    ...{ workspaceId: info.workspaceId, workspaceName: info.workspaceName },
    profile: info.source === 'session' ? host.settings.profile : null,
    madeBy: person || (typeof sub === 'string' ? `user ${sub}` : null),
  };
}

async function userClaims(...of: Parameters<typeof userInfo>): Promise<JsonRecord> {
  try {
    return await userInfo(...of);
  } catch (error) {
    if (error instanceof CryptodataError && error.kind !== 'interrupted') return {};
    throw error;
  }
}
