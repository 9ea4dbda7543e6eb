import { interrupted } from '../core/network.ts';

/** Waits for `work`, and no longer than until the signal: then it ends as `interrupted`. */
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
    // What is called off may notice first, and say so in its own words.
    throw signal.aborted ? interrupted(signal) : error;
  } finally {
    signal.removeEventListener('abort', stop);
  }
}
