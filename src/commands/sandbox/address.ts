import type { Context } from '../../context.ts';
import { isLoopback } from '../../core/address.ts';
import { usageError } from '../../core/errors.ts';

/**
 * The origin of the sandbox at `base_url`. Requests to the sandbox contain no credentials.
 *
 * @param hint for the error if `base_url` is not a sandbox
 */
export async function addressOfSandbox(context: Context, hint: string): Promise<string> {
  const address = (await context.settings()).get('base_url');
  const url = address === undefined ? undefined : new URL(address);
  if (url !== undefined && isLoopback(url.hostname)) return url.origin;
  throw noSandbox(address === undefined ? 'base_url is not set' : `${address} is not a sandbox`, hint);
}

export function noSandbox(message: string, hint: string): Error {
  return usageError(message, hint, 'NO_SANDBOX');
}
