import { expect, test } from 'vitest';
import { findings, leg } from '../support.ts';

test('"profit" reports a profit that differs from proceeds minus cost basis', async () => {
  const found = await findings('profit', [leg('l1', { costbasis: '1.50', proceeds: '1', profit: '0.5' })]);
  expect(found).toMatchObject([
    {
      ...{ ledgerId: 'l1', legs: 1, expected: '-0.5', actual: '0.5' },
      message: 'Proceeds 1 minus cost basis 1.5 equals -0.5, but the profit is 0.5.',
    },
  ]);
});
