import { describe, expect, test } from 'vitest';
import type { JsonRecord } from '../../../src/core/json.ts';
import { audit, findings, leg } from './support.ts';

describe('missing-price', () => {
  const unpriced = (id: string, quantity: unknown) => leg(id, { price: null, quantity });

  test('for each asset, "missing-price" counts the legs without a price and adds up their quantities', async () => {
    const others = [leg('l3'), leg('l4', { assetId: 'y', asset: { symbol: 'Y' } })];
    const [finding, ...more] = await findings('missing-price', [
      unpriced('l1', '1.5'),
      unpriced('l2', '2'),
      ...others,
    ]);
    expect(more).toEqual([]);
    expect(finding).toMatchObject({
      ...{ ledgerId: 'l1', walletId: null, assetId: 'x', legs: 2, amount: '3.5' },
      message: '2 of 3 legs of X have no price (3.5 X in total). Their value and profit are unknown.',
    });
  });

  test('"missing-price" reports no total quantity if the quantity of one leg is unknown', async () => {
    const legs = [unpriced('l1', '1'), unpriced('l2', null), unpriced('l3', '2')];
    expect(await findings('missing-price', legs)).toMatchObject([
      {
        ...{ legs: 3, amount: null },
        message:
          '3 of 3 legs of X have no price (an unknown quantity of X in total). Their value and profit are unknown.',
      },
    ]);
  });
});

describe('missing-asset', () => {
  const unresolved = (id: string, symbol = 'X') => leg(id, { assetId: null, asset: { symbol } });
  const messages = async (...legs: readonly JsonRecord[]) =>
    (await findings('missing-asset', legs)).map(({ message }) => message);

  test('"missing-asset" counts legs without a resolved asset, grouped by symbol', async () => {
    expect(await messages(unresolved('l1'))).toEqual(['1 leg of X has no resolved asset.']);
    expect(await messages(unresolved('l1'), unresolved('l2'))).toEqual([
      '2 legs of X have no resolved asset.',
    ]);
    expect(await messages(unresolved('l1', ''))).toEqual([
      '1 leg of an asset without a symbol has no resolved asset.',
    ]);
  });

  test('"missing-asset" reports a symbol that several assets share, and counts the legs with that symbol', async () => {
    const found = await findings('missing-asset', [
      leg('l1', { assetId: 'y' }),
      leg('l2', { assetId: 'x' }),
      leg('l3', { assetId: 'y' }),
      leg('l4', { assetId: 'z', asset: { symbol: 'Z' } }),
      unresolved('l5', 'Q'),
      leg('l6', { assetId: 'one', asset: { symbol: '' } }),
      leg('l7', { assetId: 'two', asset: { symbol: '' } }),
    ]);
    expect(found.filter(({ severity }) => severity === 'info')).toMatchObject([
      {
        ...{ ledgerId: 'l1', assetId: null, symbol: 'X', legs: 3 },
        message: 'X is the symbol of 2 assets: x, y. Check that none of these assets is an imitation.',
      },
    ]);
  });
});

describe('unfinished-accounting', () => {
  const figures = { costbasis: '1', proceeds: '2', profit: '1' };
  const messages = async (...legs: readonly JsonRecord[]) =>
    (await findings('unfinished-accounting', legs)).map(({ message }) => message);

  test('"unfinished-accounting" lists values that are missing from a leg but present in other legs of the same type', async () => {
    const complete = leg('l1', figures);
    const lacking = (id: string) => leg(id, { ...figures, costbasis: null, profit: null });
    const rest = 'Other outgoing legs in the period have these values. Tax processing may not have finished.';
    expect(await messages(complete, lacking('l2'))).toEqual([
      `1 outgoing leg of X lacks "costbasis", "profit". ${rest}`,
    ]);
    expect(await messages(complete, lacking('l2'), lacking('l3'))).toEqual([
      `2 outgoing legs of X lack "costbasis", "profit". ${rest}`,
    ]);
    expect(await messages(complete, leg('l2', { type: 'incoming' }))).toEqual([]);
  });

  test('the check "unfinished-accounting" is possible if any leg has a cost basis, proceeds or profit', async () => {
    const status = async (more: JsonRecord) =>
      (await audit([leg('l1', more)])).checks.find(({ check }) => check === 'unfinished-accounting')?.status;
    expect(await status({ costbasis: '0' })).toBe('passed');
    expect(await status({ costbasis: null })).toBe('not-possible');
  });
});

test('reports a profit that differs from proceeds minus cost basis', async () => {
  const found = await findings('profit', [leg('l1', { costbasis: '1.50', proceeds: '1', profit: '0.5' })]);
  expect(found).toMatchObject([
    {
      ...{ ledgerId: 'l1', legs: 1, expected: '-0.5', actual: '0.5' },
      message: 'Proceeds 1 minus cost basis 1.5 equals -0.5, but the profit is 0.5.',
    },
  ]);
});

describe('half-posted', () => {
  const coded = { debitCoaCode: '1', creditCoaCode: '2' };
  const inOne = (id: string, more: JsonRecord = {}) => leg(id, { transactionId: 't', ...more });
  const found = async (...legs: readonly JsonRecord[]) =>
    (await findings('half-posted', legs)).map(({ ledgerId, message }) => [ledgerId, message]);

  test('"half-posted" reports a leg that has only one account code', async () => {
    expect(
      await found(leg('l1', { debitCoaCode: '1' }), leg('l2', { creditCoaCode: '1', debitCoaCode: '' })),
    ).toEqual([
      ['l1', 'The leg has a debit account code, but no credit account code.'],
      ['l2', 'The leg has a credit account code, but no debit account code.'],
    ]);
  });

  test('if only some legs of a transaction have account codes, "half-posted" reports the first leg without codes', async () => {
    const legs = [inOne('l3'), inOne('l1', coded), inOne('l2'), inOne('l4', coded)];
    expect(await found(...legs)).toEqual([['l2', 'Only 2 of 4 legs of the transaction have account codes.']]);
    // The check treats legs with different times as different transactions.
    expect(
      await found(inOne('l1', coded), inOne('l2', { timestamp: 1 }), leg('l3', { timestamp: 2 })),
    ).toEqual([]);
  });

  test('the check "half-posted" can run only if at least one leg has an account code', async () => {
    const status = async (...legs: readonly JsonRecord[]) =>
      (await audit(legs)).checks.find(({ check }) => check === 'half-posted')?.status;
    expect(await status(leg('l1', coded))).toBe('passed');
    expect(await status(leg('l1', coded), leg('l2'))).toBe('passed');
    expect(await status(leg('l1'), leg('l2'))).toBe('not-possible');
  });
});
