import { resolveCredentials } from '../../auth/credentials.ts';
import type { Context } from '../../context.ts';
import { usageError } from '../../core/errors.ts';

/**
 * Two legacy endpoints accept only an enterprise API key ("Legacy API" in the specification). If a request has the access
 * token of a login, the response is `unauthorized`, without a reason.
 *
 * @throws usage error `NEEDS_API_KEY`
 */
export async function requireApiKey(context: Context, action: string): Promise<void> {
  const { kind } = await resolveCredentials(await context.auth());
  if (kind === 'api-key') return;
  throw usageError(
    `${action} needs an enterprise API key, not a login`,
    'Set CRYPTODATA_API_KEY and CRYPTODATA_WORKSPACE, and unset CRYPTODATA_ACCESS_TOKEN. Enterprise customers create keys in the account settings of the service.',
    'NEEDS_API_KEY',
  );
}
