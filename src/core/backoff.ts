/** Milliseconds before the first repetition, on average twice this; it doubles with each. */
const FIRST_WAIT = 500;
const LONGEST_WAIT = 20_000;

/** Exponential backoff with full jitter, in milliseconds. `attempt` counts from 1. */
export function backoff(attempt: number, random: () => number): number {
  return Math.round(random() * Math.min(LONGEST_WAIT, FIRST_WAIT * 2 ** attempt));
}

/**
 * Seconds that an answer asks to wait, in `retry_after` (as the specification names it) or `Retry-After`: a
 * number of seconds or an HTTP date, which is taken by the service's own clock where the answer shows it.
 */
export function retryAfter(headers: Readonly<Record<string, string>>, now: number): number | undefined {
  const clock = Date.parse(headers['date'] ?? '');
  const waits = [headers['retry_after'], headers['retry-after']]
    .flatMap((value) =>
      value === undefined ? [] : [seconds(value.trim(), Number.isNaN(clock) ? now : clock)],
    )
    .filter((wait) => wait !== undefined);
  return waits.length === 0 ? undefined : Math.max(...waits);
}

function seconds(value: string, now: number): number | undefined {
  if (/^\d+(\.\d+)?$/.test(value)) return Number(value);
  // Date.parse makes a date of nearly anything that has a number in it.
  if (!/^[A-Z][a-z]{2,}, |^\d{4}-\d\d-\d\dT/.test(value)) return undefined;
  const date = Date.parse(value);
  return Number.isNaN(date) ? undefined : Math.max(0, (date - now) / 1000);
}
