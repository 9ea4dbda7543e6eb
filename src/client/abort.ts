import { interrupted } from '../core/network.ts';

/** Waits for `work`. If the signal aborts before `work` is done, rejects with an error of kind `interrupted`. */
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
    // After an abort, the cancelled work may reject first, with its own error.
    throw signal.aborted ? interrupted(signal) : error;
  } finally {
    signal.removeEventListener('abort', stop);
  }
}
