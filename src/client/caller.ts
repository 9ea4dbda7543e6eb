import { CryptodataError } from '../core/errors.ts';

/**
 * Gives an error the stack trace of this call. Node records only ten frames, so an error from a response would otherwise end
 * inside this client, without the function of the program that called it. Call this function where the program enters the client.
 */
export function atCaller<E>(error: E): E {
  if (error instanceof CryptodataError) Error.captureStackTrace(error, atCaller);
  return error;
}

/** Runs an async function. Its errors have the stack trace of the caller. */
export async function callerOf<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw atCaller(error);
  }
}

/** Yields the items. Errors have the stack trace of the caller. */
export async function* callerOfEach<T>(items: AsyncIterable<T>): AsyncGenerator<T> {
  try {
    yield* items;
  } catch (error) {
    throw atCaller(error);
  }
}
