import { describe, expect, test, vi } from 'vitest';
import { Pace } from '../../src/read/pace.ts';

function paceOf(most: number, more: { maxRps?: number; signal?: AbortSignal } = {}) {
  const clock = { now: 0, waits: [] as number[] };
  const onWider = vi.fn();
  const pace = new Pace({
    most,
    signal: new AbortController().signal,
    onWider,
    now: () => clock.now,
    sleep: async (milliseconds) => {
      clock.waits.push(milliseconds);
    },
    ...more,
  });
  const learn = (ms: number) => {
    pace.learn({ status: 200, ms });
    return pace.width;
  };
  const fail = (status: number | undefined, ms = 0) => {
    pace.learn(status === undefined ? { ms } : { status, ms });
    return pace.width;
  };
  return { pace, clock, onWider, learn, fail };
}

/** Waits until all pending promise callbacks have run. */
const settle = () => new Promise((resolve) => setImmediate(resolve));

describe('the number of requests in flight', () => {
  test('concurrency starts at four, or at the maximum if the maximum is lower', () => {
    expect([1, 3, 4, 5, 16].map((most) => paceOf(most).pace.width)).toEqual([1, 3, 4, 4, 4]);
  });

  test('concurrency grows by one with each quick response, up to the maximum', () => {
    const { learn, onWider } = paceOf(7);
    expect([10, 10, 10, 10].map((ms) => learn(ms))).toEqual([5, 6, 7, 7]);
    expect(onWider).toHaveBeenCalledTimes(3);
  });

  test('a response counts as quick if it takes at most twice the quickest time plus 10 ms', () => {
    // The second response first raises the quickest time by 2%, to 102 ms, so the limit is 2 × 102 + 10 = 214 ms.
    const quick = paceOf(16);
    expect([100, 214].map((ms) => quick.learn(ms))).toEqual([5, 6]);
    const slow = paceOf(16);
    expect([100, 214.1].map((ms) => slow.learn(ms))).toEqual([5, 4]);
  });

  test('after a slow response, each quick response raises concurrency only by a fraction', () => {
    const { learn, onWider } = paceOf(16);
    learn(10);
    learn(1000);
    expect(onWider).toHaveBeenCalledTimes(1);
    // The limit is 4.8, and each response raises it by about 0.2.
    expect(Array.from({ length: 7 }, () => learn(10))).toEqual([5, 5, 5, 5, 5, 5, 6]);
    expect(onWider).toHaveBeenCalledTimes(3);
  });

  test('if responses are slow, concurrency shrinks gradually, but not below four', () => {
    const { learn } = paceOf(16);
    const grown = [10, 10, 10].map((ms) => learn(ms));
    expect(grown).toEqual([5, 6, 7]);
    expect(Array.from({ length: 8 }, () => learn(1000))).toEqual([6, 6, 6, 6, 6, 6, 5, 5]);
    for (let at = 0; at < 40; at++) learn(1000);
    expect(learn(1000)).toBe(4);
  });

  test.each([429, 500, 503, 'none'] as const)(
    'concurrency is halved after each failure, down to one (status: %s)',
    (status) => {
      const { pace, clock, fail } = paceOf(16);
      const widths = [];
      for (clock.now = 1; clock.now < 5; clock.now++)
        widths.push(fail(status === 'none' ? undefined : status));
      expect(widths).toEqual([2, 1, 1, 1]);
      pace.learn({ status: 200, ms: 1000 });
      // The first quick response raises the limit from 1 to 2, and the second raises it to 2.5.
      pace.learn({ status: 200, ms: 1 });
      expect(pace.width).toBe(2);
    },
  );

  test('concurrency is not halved after a response with status 200, 404, 428, 430 or 499', () => {
    for (const status of [200, 404, 428, 430, 499]) expect(paceOf(4).fail(status)).toBe(4);
  });

  test('after concurrency was halved, slow responses do not lower it further', () => {
    const { learn, fail } = paceOf(16);
    learn(10);
    fail(429);
    expect(learn(1000)).toBe(2);
    expect(learn(1000)).toBe(2);
  });

  test('concurrency is halved once if several requests in flight fail together', () => {
    const { clock, fail } = paceOf(16);
    clock.now = 1000;
    expect(fail(429, 100)).toBe(2);
    clock.now = 1050;
    expect(fail(429, 51)).toBe(2);
    expect(fail(429, 50)).toBe(1);
  });

  test('after a failure, concurrency grows only slowly', () => {
    const { learn, fail } = paceOf(16);
    expect(learn(1)).toBe(5);
    expect(fail(500)).toBe(2);
    // 2.5, 2.9, 3.24…
    expect([1, 1, 1].map((ms) => learn(ms))).toEqual([2, 3, 3]);
  });
});

describe('requests', () => {
  test('requests are sent in order, and wait while the maximum number is in flight', async () => {
    const { pace, learn } = paceOf(8);
    const sent: number[] = [];
    const ends: (() => void)[] = [];
    const all = Array.from({ length: 8 }, (_, at) =>
      pace.run(async () => {
        sent.push(at);
        await new Promise<void>((resolve) => ends.push(resolve));
        return at;
      }),
    );
    await settle();
    expect(sent).toEqual([0, 1, 2, 3]);
    ends[0]?.();
    await settle();
    expect(sent).toEqual([0, 1, 2, 3, 4]);
    learn(1);
    await settle();
    expect(sent).toEqual([0, 1, 2, 3, 4, 5]);
    // A failure lowers the limit, so no new request is sent when these three requests end.
    pace.learn({ status: 500, ms: 1 });
    for (const end of ends.slice(1, 4)) end();
    await settle();
    expect(sent).toHaveLength(6);
    ends[4]?.();
    await settle();
    expect(sent).toHaveLength(7);
    ends[5]?.();
    await settle();
    for (const end of ends) end();
    await settle();
    for (const end of ends) end();
    expect(await Promise.all(all)).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
  });

  test('failed requests make room for waiting requests', async () => {
    const { pace } = paceOf(1);
    const fail = () => Promise.reject(new Error('broken'));
    await expect(pace.run(fail)).rejects.toThrow('broken');
    await expect(pace.run(fail)).rejects.toThrow('broken');
    expect(await pace.run(async () => 'sent')).toBe('sent');
  });

  test('requests are not sent after a cancellation', async () => {
    const stop = new AbortController();
    const { pace } = paceOf(1, { signal: stop.signal });
    stop.abort(new Error('stopped'));
    const ask = vi.fn();
    await expect(pace.run(ask)).rejects.toThrow('stopped');
    expect(ask).not.toHaveBeenCalled();
  });

  test('requests are spread evenly over each second if the rate is limited', async () => {
    const { pace, clock } = paceOf(16, { maxRps: 10 });
    const ask = async () => 0;
    for (let at = 0; at < 3; at++) await pace.run(ask);
    expect(clock.waits).toEqual([100, 200]);
    clock.now = 300;
    await pace.run(ask);
    expect(clock.waits).toEqual([100, 200]);
    await pace.run(ask);
    clock.now = 1000;
    await pace.run(ask);
    await pace.run(ask);
    expect(clock.waits).toEqual([100, 200, 100, 100]);
  });

  test('requests without a rate limit do not wait', async () => {
    const { pace, clock } = paceOf(16);
    for (let at = 0; at < 3; at++) await pace.run(async () => 0);
    expect(clock.waits).toEqual([]);
  });
});
