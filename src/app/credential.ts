import type { Endpoint } from '../api/endpoint.ts';
import { resolveCredentials } from '../auth/credentials.ts';
import type { Context } from '../context.ts';
import { usageError } from '../core/errors.ts';

/**
 * Some legacy endpoints accept only an enterprise API key, and all other legacy endpoints accept only a login. If a request has
 * the wrong kind of credentials, the service responds with `unauthorized`, without a reason.
 *
 * @throws usage error `NEEDS_API_KEY` or `NEEDS_LOGIN`, before anything is sent
 */
export async function requireCredential(
  context: Context,
  { credential }: Endpoint,
  action: string,
): Promise<void> {
  if (credential === undefined) return;
  const { kind } = await resolveCredentials(await context.auth());
  if ((kind === 'api-key') === (credential === 'api-key')) return;
  throw credential === 'api-key'
    ? usageError(
        `${action} needs an enterprise API key, not a login`,
        'Set CRYPTODATA_API_KEY and CRYPTODATA_WORKSPACE, and unset CRYPTODATA_ACCESS_TOKEN. Enterprise customers create keys in the account settings of the service.',
        'NEEDS_API_KEY',
      )
    : usageError(
        `${action} needs a login, not an API key`,
        'Log in with the browser in another profile (cryptodata login -p NAME), and pass -p NAME. If CRYPTODATA_API_KEY is set, unset it.',
        'NEEDS_LOGIN',
      );
}
