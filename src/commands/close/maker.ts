import { openSession } from '../../auth/session.ts';
import { userInfo } from '../../auth/userinfo.ts';
import type { Context } from '../../context.ts';
import { CryptodataError } from '../../core/errors.ts';
import type { JsonRecord } from '../../core/json.ts';

/** The owner of the books in a pack, and the user who wrote the pack. Null means unknown. */
export interface Maker {
  readonly workspaceName: string | null;
  /** Null for credentials from the environment, which belong to no profile. */
  readonly profile: string | null;
  /** Name and email of the user. */
  readonly madeBy: string | null;
}

/** Reads the access token and, if `asks` is true, the service's userinfo. Values that cannot be read are null. */
export async function makerOf(context: Context, { asks }: { readonly asks: boolean }): Promise<Maker> {
  const host = await context.auth();
  const session = openSession(host);
  const info = host.env['CRYPTODATA_API_KEY'] ? null : await session.info();
  if (info === null) return { workspaceName: null, profile: null, madeBy: null };
  const claims = asks ? await userClaims(host, session) : {};
  const { name, email, sub } = claims;
  const person = [name, email ? `<${email}>` : undefined].filter(Boolean).join(' ');
  return {
    workspaceName: info.workspaceName,
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
