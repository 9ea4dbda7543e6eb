// Tests the clock that can be moved, its control endpoint, and its effect on tokens and on the list of requests.

import fc from 'fast-check';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { createClock } from '../../src/sandbox/core/clock.ts';
import { call, control, get, logIn, refresh, start, text } from './helpers.ts';

describe('a clock', () => {
  it('a moved clock still advances as fast as its time source', () => {
    let time = 1000;
    const clock = createClock(() => time);
    expect(clock.now()).toBe(1000);
    clock.advance(500);
    time += 1;
    expect(clock.now()).toBe(1501);
    clock.set(10);
    time += 1;
    expect(clock.now()).toBe(11);
    clock.reset();
    expect(clock.now()).toBe(1002);
  });

  it('a clock advances by the full amount while time passes during the call', () => {
    let time = 1000;
    // Each read advances the time source by one millisecond.
    const clock = createClock(() => time++);
    clock.advance(3_600_000);
    clock.advance(1000);
    expect(clock.moved()).toBe(3_601_000);
    expect(clock.now()).toBeGreaterThan(3_601_000 + 1000);
  });

  it('moving a clock forward runs due tasks in order, each at its scheduled time', () => {
    const clock = createClock(() => 0);
    const done: [string, number][] = [];
    const note = (name: string) => () => void done.push([name, clock.now()]);
    clock.at(300, note('third'));
    clock.at(100, note('first'));
    clock.at(100, note('second'));
    clock.at(100, () => clock.at(clock.now() + 250, note('later')));
    clock.at(1000, note('not yet'));
    clock.at(200, note('never')).cancel();
    clock.advance(999);
    expect(done).toEqual([
      ['first', 100],
      ['second', 100],
      ['third', 300],
      ['later', 350],
    ]);
    expect(clock.now()).toBe(999);
    clock.advance(1);
    expect(done.at(-1)).toEqual(['not yet', 1000]);
  });

  it('a clock runs an overdue task at the current time, and only once', () => {
    let time = 0;
    const clock = createClock(() => time);
    const done: number[] = [];
    clock.at(100, () => done.push(clock.now()));
    time = 500;
    expect(done).toEqual([]);
    clock.tick();
    clock.set(50);
    clock.advance(500);
    expect(done).toEqual([500]);
  });

  it('a reset drops all tasks', () => {
    const clock = createClock(() => 0);
    const task = vi.fn();
    clock.at(10, task);
    clock.reset();
    clock.advance(20);
    expect(task).not.toHaveBeenCalled();
  });

  it('after a task throws, the next advance runs the later tasks', () => {
    const clock = createClock(() => 0);
    const task = vi.fn();
    clock.at(10, () => {
      throw new Error('broken');
    });
    clock.at(10, task);
    expect(() => clock.advance(20)).toThrow('broken');
    expect(task).not.toHaveBeenCalled();
    clock.advance(20);
    expect(task).toHaveBeenCalledOnce();
  });

  it('a clock runs tasks as real time passes', () => {
    vi.useFakeTimers({ now: 5000 });
    try {
      const clock = createClock();
      const done: number[] = [];
      clock.at(8000, () => done.push(clock.now()));
      clock.at(6000, () => done.push(clock.now()));
      vi.advanceTimersByTime(1000);
      expect(done).toEqual([6000]);
      clock.advance(1500);
      vi.advanceTimersByTime(499);
      expect(done).toEqual([6000]);
      vi.advanceTimersByTime(1);
      expect(done).toEqual([6000, 8000]);
      clock.at(9000, () => done.push(clock.now()));
      clock.close();
      expect(vi.getTimerCount()).toBe(0);
    } finally {
      vi.useRealTimers();
    }
  });

  it('for any forward moves, a clock runs each task once, ordered by time and then by order of scheduling', () => {
    const times = fc.array(fc.nat(100), { maxLength: 20 });
    fc.assert(
      fc.property(times, times, (due, moves) => {
        const clock = createClock(() => 0);
        const done: number[] = [];
        due.forEach((time, index) => {
          clock.at(time, () => done.push(index));
        });
        for (const move of [...moves, 100]) clock.advance(move);
        const expected = due.map((time, index) => ({ time, index }));
        expected.sort((a, b) => a.time - b.time || a.index - b.index);
        expect(done).toEqual(expected.map(({ index }) => index));
      }),
    );
  });

  it('a clock accepts only whole milliseconds within the range of Date', () => {
    const clock = createClock(() => 5);
    for (const time of [-1, 0.5, Number.NaN, 8.64e15 + 1]) expect(() => clock.set(time)).toThrow(RangeError);
    for (const by of [-1, 0.5, Number.NaN, 8.64e15]) expect(() => clock.advance(by)).toThrow(RangeError);
    expect(clock.now()).toBe(5);
  });
});

describe('the clock of a sandbox', async () => {
  const time = Date.UTC(2026, 5, 1);
  const sandbox = await start({ rows: 10, clock: () => time });
  beforeEach(() => sandbox.reset());
  const now = async () => (await call(`${sandbox.url}/_sandbox/clock`)).body;

  it('reads and moves the sandbox clock over HTTP', async () => {
    expect(await now()).toEqual({ now: time });
    expect(await control(sandbox, 'clock', { advance: 1500 })).toBe(200);
    expect(await now()).toEqual({ now: time + 1500 });
    expect(sandbox.clock.now()).toBe(time + 1500);
    await control(sandbox, 'clock', { now: 42 });
    expect(await now()).toEqual({ now: 42 });
    await sandbox.reset();
    expect(await now()).toEqual({ now: time });
  });

  it('rejects an invalid move of the clock, and two moves in one request', async () => {
    const wrong = [{}, [], null, { advance: '5' }, { now: null }, { advance: -1 }, { now: 1e300 }];
    for (const body of [...wrong, { now: 1, advance: 1 }, { advance: 0.1 }]) {
      expect([body, await control(sandbox, 'clock', body)]).toEqual([body, 400]);
    }
    expect(sandbox.clock.now()).toBe(time);
  });

  it('rejects cross-site requests with a percent-encoded path', async () => {
    for (const path of ['_sandbox/clock', '%5Fsandbox/clock', '_sandbox/cl%6fck']) {
      const init = { method: 'POST', body: '{"advance":1}' };
      const headers = { 'content-type': 'application/json', origin: 'http://evil.example' };
      const answer = await call(`${sandbox.url}/${path}`, { ...init, headers });
      expect([path, answer.status]).toEqual([path, 403]);
    }
    expect(sandbox.clock.now()).toBe(time);
  });

  it('the sandbox clock determines when tokens expire, and which times the list of requests shows', async () => {
    const tokens = await logIn(sandbox);
    const day = 86_400_000;
    const minute = 60_000;
    sandbox.clock.advance(day - minute);
    expect((await get(sandbox, '/v1/users/me')).status).toBe(200);
    sandbox.clock.advance(2 * minute);
    expect((await get(sandbox, '/v1/users/me')).status).toBe(401);
    expect(sandbox.truth.requests().at(-1)?.time).toBe(time + day + minute);
    const again = await refresh(sandbox, text(tokens['refresh_token']));
    expect(again.status).toBe(200);
    sandbox.clock.advance(30 * day + minute);
    expect((await refresh(sandbox, text(again.body['refresh_token']))).body['error']).toBe('invalid_grant');
    await sandbox.reset();
    expect((await get(sandbox, '/v1/users/me')).status).toBe(200);
  });
});
