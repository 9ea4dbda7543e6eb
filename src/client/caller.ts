import { CryptodataError } from '../core/errors.ts';
import type { Redactor } from '../core/redact.ts';
import { maskError } from './safe-errors.ts';

/**
 * Prepares an error for the program. Masks secrets, and gives the error the stack trace of this call. Node records only ten frames,
 * so an error from a response would otherwise end inside this client, without the function of the program that called it. Every
 * way by which a program enters the client goes through this file.
 *
 * @param redactor undefined in the command line, which masks secrets in everything that it writes
 */
function atCaller<E>(error: E, redactor: Redactor | undefined): E {
  const safe = redactor ? maskError(error, redactor) : error;
  if (safe instanceof CryptodataError) Error.captureStackTrace(safe, atCaller);
  return safe;
}

/** Runs an async function. Its errors have the stack trace of the caller, and no secrets. */
export async function callerOf<T>(redactor: Redactor | undefined, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw atCaller(error, redactor);
  }
}

/** Yields the items. Errors have the stack trace of the caller, and no secrets. */
export async function* callerOfEach<T>(
  redactor: Redactor | undefined,
  items: AsyncIterable<T>,
): AsyncGenerator<T> {
  try {
    yield* items;
  } catch (error) {
    throw atCaller(error, redactor);
  }
}
