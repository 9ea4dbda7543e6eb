import { missingScope, scopeHint, scopeOf } from '../core/scopes.ts';
import type { Credentials } from './credentials.ts';
import type { AuthHost } from './host.ts';
import { loginCommand } from './login-command.ts';

/** What the service said when it refused; `reason` in its own words. */
export interface Refusal {
  readonly status: number | undefined;
  readonly code: string;
  readonly reason: string;
  /** Of what was asked. */
  readonly path: readonly string[];
}

/** What can be said beside it, by who knows the credentials. */
export interface Explanation {
  readonly hint: string;
  readonly details?: object;
}

/** What to do about a refusal with these credentials; undefined where they have no part in it. Sends nothing. */
export async function explainRefusal(
  host: AuthHost,
  credentials: Credentials,
  { status, code, reason, path }: Refusal,
): Promise<Explanation | undefined> {
  const narrow = code === 'insufficient_scope';
  if (credentials.kind === 'api-key') {
    if (narrow) return { hint: KEY_NARROW };
    if (status === 403 && code === 'forbidden') return { hint: keyForbidden(host) };
    return status === 401 ? { hint: `${KEY_REFUSED} ${replaceKey(host)}` } : undefined;
  }
  if (status === 401 && credentials.kind === 'session')
    return { hint: `Log in again: ${loginCommand(host)}.` };
  if (!narrow) return undefined;
  const login = await credentials.scopes();
  const missing = missingScope(reason, login, scopeOf(path));
  const hint = scopeHint(missing, login, loginCommand(host));
  const own = credentials.kind === 'token' ? ' (and replace the token in CRYPTODATA_ACCESS_TOKEN)' : '';
  return { hint: `${hint}${own}`, details: missing };
}

export const KEY_REFUSED =
  'The API key may be mistyped, expired or revoked, lack a permission, or be bound to other addresses than this one: see it in the account settings of the service. Some endpoints take a login in the browser alone.';

const KEY_NARROW =
  'The permissions of an API key are chosen when it is made, in the account settings of the service: make one with more, or log in with the browser in another profile (cryptodata login -p NAME).';

function keyForbidden({ settings }: AuthHost): string {
  return `The key was sent with the workspace ${settings.get('workspace')}, and reaches the one that it was made for, as long as its owner is a member there: see the id in the settings of the workspace at the service. To set another: cryptodata config set workspace ws_… -p ${settings.profile}, or --workspace ws_…`;
}

function replaceKey(host: AuthHost): string {
  return host.env['CRYPTODATA_API_KEY']
    ? 'The one in use is that of CRYPTODATA_API_KEY.'
    : `To store another: ${loginCommand(host)} --with-api-key`;
}
