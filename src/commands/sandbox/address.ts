import type { Context } from '../../context.ts';
import { isLoopback } from '../../core/address.ts';
import { usageError } from '../../core/errors.ts';
import { didYouMean } from '../../core/nearest.ts';

/**
 * Returns the origin of the sandbox. The setting `base_url` contains the address of the sandbox. Requests to the sandbox need
 * no credentials.
 *
 * @param hint hint of the error that is thrown if `base_url` is not set, or is the address of another machine
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

/** The error for an operand that is not one of the possible actions. */
export function unknownAction(given: string, actions: readonly string[]): Error {
  const message = `${JSON.stringify(given)} is neither ${actions.join(' nor ')}`;
  return usageError(message, didYouMean(given, actions, undefined));
}
