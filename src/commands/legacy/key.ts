import { resolveCredentials } from '../../auth/credentials.ts';
import type { Context } from '../../context.ts';
import { usageError } from '../../core/errors.ts';

/**
 * Two calls of the previous API take an enterprise API key and nothing else ("Legacy API"): with a login they would be
 * refused as unauthorized, which says nothing of the reason.
 *
 * @throws usage error `NEEDS_API_KEY`
 */
export async function requireApiKey(context: Context, what: string): Promise<void> {
  const { kind } = await resolveCredentials(await context.auth());
  if (kind === 'api-key') return;
  throw usageError(
    `${what} with an enterprise API key alone, and not with a login`,
    'Set CRYPTODATA_API_KEY, and CRYPTODATA_WORKSPACE beside it; unset CRYPTODATA_ACCESS_TOKEN. A key is made in the account settings of the service (enterprise customers only).',
    'NEEDS_API_KEY',
  );
}
