import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { WatchOptions } from '../../src/client/options.ts';
import { poll } from '../../src/client/watch.ts';
import { type CryptodataError, createError, NetworkError } from '../../src/core/errors.ts';
import { FakeClock, failure } from './helpers.ts';

type Step = 'moved' | 'same' | { readonly status: number; readonly retryAfter?: number };

const failed = ({ status, retryAfter }: Exclude<Step, string>) =>
  createError(status === 429 ? 'rateLimited' : 'service', `HTTP_${status}`, 'no', {
    status,
    retryAfter,
  });

/** Polls with scripted responses. The last step repeats. The loop ends at poll number `end`. */
function scripted(steps: readonly Step[], end: number, options: WatchOptions = {}) {
  const clock = new FakeClock();
  const looks: { step: Step; at: number }[] = [];
  const run = async () => {
    const look = async () => {
      const step = steps[Math.min(looks.length, steps.length - 1)] ?? 'same';
      looks.push({ step, at: clock.time });
      if (typeof step === 'object') throw failed(step);
      return { value: looks.length, changed: step === 'moved' };
    };
    for await (const value of poll(look, clock, options)) if (value >= end) return value;
    return undefined;
  };
  return { clock, looks, run };
}

const passing = fc.oneof(
  { weight: 3, arbitrary: fc.constant<Step>('same') },
  fc.constant<Step>('moved'),
  fc.constantFrom(500, 502, 503, 504).map((status): Step => ({ status })),
  fc.record({ status: fc.constant(429), retryAfter: fc.integer({ min: 0, max: 5000 }) }),
);

/** Generates scripts that never fail five times in a row, because polling stops after five consecutive failures. */
const scripts = fc
  .array(passing, { minLength: 1, maxLength: 60 })
  .map((steps) => steps.flatMap((step, at) => (at % 4 === 3 ? ['same' as const, step] : [step])));

describe('polling', () => {
  test('the wait between polls is 1 s after a change, and grows after each poll that fails or finds no change', async () => {
    await fc.assert(
      fc.asyncProperty(scripts, async (steps) => {
        const end = steps.length + 1;
        const { clock, looks, run } = scripted([...steps, 'moved'], end);
        // The last poll succeeds, so that the loop ends there.
        expect(await run()).toBe(end);
        expect(looks).toHaveLength(end);
        expect(clock.slept).toHaveLength(end - 1);
        let before = 0;
        for (const [at, step] of steps.entries()) {
          const slept = clock.slept[at] ?? 0;
          const asked = typeof step === 'object' ? (step.retryAfter ?? 0) * 1000 : 0;
          if (step === 'moved') expect(slept).toBe(1000);
          else {
            expect(slept).toBeGreaterThanOrEqual(Math.max(1000, asked));
            expect(slept).toBeLessThanOrEqual(Math.max(30_000, asked));
            // Without a new rate limit, each wait is 1.5 times the previous wait, but at most 30 s.
            if (asked === 0 && before > 0) expect(slept).toBe(Math.min(30_000, before * 1.5));
          }
          before = slept;
        }
      }),
    );
  });

  test('the interval between polls grows to at most 30 seconds', async () => {
    const { clock, run } = scripted(['same'], 20);
    await run();
    expect(clock.slept.slice(0, 3)).toEqual([1000, 1500, 2250]);
    expect(clock.slept.at(-1)).toBe(30_000);
  });

  test('polling reports each failure, and stops after five failures in a row', async () => {
    const told: [string, number][] = [];
    const onHiccup = (error: CryptodataError, ms: number) => void told.push([error.code, ms]);
    const four = scripted(['same', ...Array<Step>(4).fill({ status: 502 }), 'same'], 6, { onHiccup });
    expect(await four.run()).toBe(6);
    expect(told.map(([code]) => code)).toEqual(Array(4).fill('HTTP_502'));
    expect(told.map(([, ms]) => ms)).toEqual(four.clock.slept.slice(1));
    const five = scripted(['same', { status: 502 }], 99, {});
    expect(await failure(five.run())).toMatchObject({ code: 'HTTP_502' });
    expect(five.looks).toHaveLength(6);
  });

  test.each([400, 401, 403, 404])('polling stops immediately after status %i', async (status) => {
    const { looks, run } = scripted(['same', { status }], 99);
    expect(await failure(run())).toMatchObject({ status });
    expect(looks).toHaveLength(2);
  });

  test('polling continues after a refused connection only if an earlier poll reached the host', async () => {
    const refused = new NetworkError('CONNECTION_REFUSED', 'no');
    let count = 0;
    const never = async () => {
      count += 1;
      throw refused;
    };
    expect(await failure(poll(never, new FakeClock()).next())).toBe(refused);
    expect(count).toBe(1);
    const onceAway = async () => {
      count += 1;
      if (count === 3) throw refused;
      return { value: count, changed: false };
    };
    const second = poll(onceAway, new FakeClock());
    await second.next();
    expect(await second.next()).toMatchObject({ value: 4 });
  });

  test('polling rethrows an unknown error unchanged', async () => {
    const bug = new TypeError('bug');
    const look = () => Promise.reject(bug);
    expect(await failure(poll(look, new FakeClock()).next())).toBe(bug);
  });

  test('polling ends with one last poll exactly at the timeout', async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 0, max: 200_000 }), scripts, async (timeout, steps) => {
        const { clock, looks, run } = scripted([...steps, 'same'], Number.POSITIVE_INFINITY, { timeout });
        const started = clock.time;
        expect(await failure(run())).toMatchObject({ kind: 'network', code: 'WAIT_TIMED_OUT' });
        expect(clock.time - started).toBe(timeout);
        expect(looks.at(-1)?.at).toBe(started + timeout);
        expect(looks.filter(({ at }) => at === started + timeout)).toHaveLength(1);
      }),
    );
  });

  test('polling with a timeout of 0 sends a single poll', async () => {
    const { looks, run } = scripted(['same'], Number.POSITIVE_INFINITY, { timeout: 0 });
    expect(await failure(run())).toMatchObject({ code: 'WAIT_TIMED_OUT' });
    expect(looks).toHaveLength(1);
  });

  test('a poll at the timeout replaces a regular poll that is due at the same moment', async () => {
    const { looks, run } = scripted(['moved'], Number.POSITIVE_INFINITY, { timeout: 2000 });
    expect(await failure(run())).toMatchObject({ code: 'WAIT_TIMED_OUT' });
    expect(looks).toHaveLength(3);
  });

  test('polling stops at Ctrl-C', async () => {
    const stop = new AbortController();
    const clock = new FakeClock();
    const look = async () => {
      stop.abort();
      return { value: 1, changed: true };
    };
    const watching = poll(look, clock, { signal: stop.signal });
    await watching.next();
    expect(await failure(watching.next())).toMatchObject({ name: 'InterruptedError' });
    expect(clock.slept).toEqual([]);
  });
});
