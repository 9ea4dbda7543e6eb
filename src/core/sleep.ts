/** Maximum delay of a timer in milliseconds. If the delay is longer, Node fires the timer immediately. */
export const LONGEST_TIMER = 2 ** 31 - 1;

/** Waits. If the signal is aborted, rejects with the signal's abort reason. */
export async function sleep(milliseconds: number, signal?: AbortSignal): Promise<void> {
  for (let left = milliseconds; ; left -= LONGEST_TIMER) {
    await timer(Math.min(left, LONGEST_TIMER), signal);
    if (left <= LONGEST_TIMER) return;
  }
}

function timer(milliseconds: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason);
    const stop = () => {
      clearTimeout(pending);
      reject(signal?.reason);
    };
    const pending = setTimeout(() => {
      signal?.removeEventListener('abort', stop);
      resolve();
    }, milliseconds);
    signal?.addEventListener('abort', stop, { once: true });
  });
}
