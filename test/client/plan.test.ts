import { expect, test } from 'vitest';
import { planRequest } from '../../src/client/plan.ts';
import { PLAIN } from './helpers.ts';

test('a request is aborted if its own signal or the signal of the client aborts', () => {
  for (const at of [0, 1]) {
    const signals = [new AbortController(), new AbortController()] as const;
    const plan = planRequest(
      { ...PLAIN, signal: signals[1].signal },
      'https://api.example.test',
      signals[0].signal,
    );
    expect(plan.signal?.aborted).toBe(false);
    signals[at]?.abort();
    expect(plan.signal?.aborted).toBe(true);
  }
});
