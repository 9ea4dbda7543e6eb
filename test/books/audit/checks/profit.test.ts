import { expect, test } from 'vitest';
import { findings, leg, resultOf } from '../support.ts';

test('"profit" reports a profit that differs from proceeds minus cost basis', async () => {
  const found = await findings('profit', [leg('l1', { costbasis: '1.50', proceeds: '1', profit: '0.5' })]);
  expect(found).toMatchObject([
    {
      ...{ ledgerId: 'l1', legs: 1, expected: '-0.5', actual: '0.5' },
      message: 'Proceeds 1 minus cost basis 1.5 equals -0.5, but the profit is 0.5.',
    },
  ]);
});

test('"profit" is partial if an outgoing leg lacks a cost basis, proceeds or profit', async () => {
  const known = { costbasis: '1', proceeds: '2', profit: '1' };
  const result = (parts: object) => resultOf('profit', [leg('l1', known), leg('l2', { ...known, ...parts })]);
  expect(await result({})).toMatchObject({ status: 'passed', why: null });
  for (const name of Object.keys(known)) {
    expect(await result({ [name]: null })).toMatchObject({
      ...{ status: 'partial', why: '1 leg lacks a cost basis, proceeds or profit.' },
    });
    expect(await result({ type: 'incoming', [name]: null })).toMatchObject({ status: 'passed' });
  }
});
