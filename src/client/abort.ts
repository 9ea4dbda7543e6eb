import { interrupted } from '../core/network.ts';

/** Waits for `work`. Rejects with an error of kind `interrupted` if the signal aborts first. */
export async function unlessAborted<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return work;
  let stop = () => {};
  const stopped = new Promise<never>((_, reject) => {
    stop = () => reject(interrupted(signal));
    if (signal.aborted) stop();
    else signal.addEventListener('abort', stop, { once: true });
  });
  try {
    return await Promise.race([stopped, work]);
  } catch (error) {
    // After an abort, `work` may reject first, with an error of its own.
    throw signal.aborted ? interrupted(signal) : error;
  } finally {
    signal.removeEventListener('abort', stop);
  }
}
