import { CryptodataError } from '../core/errors.ts';
import { headerValue } from '../core/header.ts';
import { isRecord, type JsonRecord } from '../core/json.ts';
import type { AuthHost } from './host.ts';
import { loginCommand } from './login-command.ts';
import { explainOidcError } from './oidc-errors.ts';
import { parseAnswer, send } from './send.ts';
import { endpoints } from './server.ts';
import type { Session } from './session-types.ts';

/** Claims as served; `sub` is always there ("UserInfo claims"). */
export type UserInfo = JsonRecord & { readonly sub: string };

/**
 * `GET {auth_url}/oidc/userinfo`: the claims as served; only `sub` is always there, the others come by scope.
 * After a 401 the token is renewed once.
 */
export async function fetchUserInfo(host: AuthHost, session: Session): Promise<UserInfo> {
  const url = endpoints(host.settings.require('auth_url')).userinfo_endpoint;
  const ask = async () => {
    const { accessToken } = await session.accessToken();
    const headers = {
      accept: 'application/json',
      authorization: `Bearer ${headerValue(accessToken, 'The access token')}`,
    };
    return { accessToken, answer: await send(host, { method: 'GET', url, headers, interruptible: true }) };
  };
  let { accessToken, answer } = await ask();
  if (answer.status === 401 && (await session.renew(accessToken))) ({ accessToken, answer } = await ask());
  const parsed = parseAnswer(url, answer);
  const body = isRecord(parsed) ? parsed : undefined;
  if (answer.status === 200) {
    const sub = body?.['sub'];
    if (body && typeof sub === 'string') return { ...body, sub };
  }
  const { status } = answer;
  const error = body?.['error'];
  const errorDescription = body?.['error_description'];
  if (typeof error === 'string') {
    throw explainOidcError({
      error: status === 401 ? 'invalid_token' : error,
      errorDescription: typeof errorDescription === 'string' ? errorDescription : undefined,
      status,
      login: loginCommand(host),
    });
  }
  if (status === 401) throw explainOidcError({ error: 'invalid_token', status, login: loginCommand(host) });
  throw new CryptodataError(
    'service',
    'BAD_USERINFO',
    `${url} gave an answer that cannot be used (HTTP ${status})`,
    {
      status,
      hint: 'Check auth_url: cryptodata config list.',
    },
  );
}
