import { expect, test } from 'vitest';
import { AccountNames } from '../../src/export/account-names.ts';

async function namesOf(...accounts: readonly unknown[]): Promise<Record<string, string>> {
  const read = AccountNames.from(async function* () {
    yield* accounts;
  });
  return Object.fromEntries((await read.settle()).names);
}

test('the name of an account is its alias, or else its provider; an account without a name is omitted', async () => {
  const named = { walletId: 'w1', alias: 'Main', provider: 'kraken', providerPublicName: 'Kraken' };
  const others = [{ walletId: 'w2', provider: 'kraken', providerPublicName: 'Kraken' }, { walletId: 'w3' }];
  const byId = [
    { walletId: 4, alias: 'Four' },
    { id: 'w5', alias: 'Five' },
    { id: 'w1', alias: 'Other' },
  ];
  expect(await namesOf(named, ...others, 'text', ...byId)).toEqual({
    ...{ w1: 'Main', w2: 'Kraken' },
    ...{ 4: 'Four', w5: 'Five' },
  });
});

test('accounts with the same name get their ids added to their names', async () => {
  expect(
    await namesOf(
      { walletId: 'w1', alias: 'A' },
      { walletId: 'w2', alias: 'A' },
      { walletId: 'w3', alias: 'C' },
    ),
  ).toEqual({ w1: 'A (w1)', w2: 'A (w2)', w3: 'C' });
});

test('an account that the service lists twice is listed once', async () => {
  const account = { walletId: 'w1', alias: 'A' };
  expect(await namesOf(account, account)).toEqual({ w1: 'A' });
});

test('an id that several accounts share has no name', async () => {
  const [first, second] = [
    { walletId: 'w1', alias: 'Z' },
    { walletId: 'w1', alias: 'A' },
  ];
  expect(await namesOf(first, second)).toEqual({});
  expect(await namesOf(second, first)).toEqual({});
});

test('if no account has an id, the manifest contains the reason why the column `wallet` is empty', async () => {
  const read = AccountNames.from(async function* () {
    yield { alias: 'A' };
  });
  expect(await read.settle()).toMatchObject({ missing: 'The accounts have no id that occurs in the legs' });
});

test('an exported file keeps the names in its manifest', async () => {
  const names = AccountNames.of({ accountNames: { names: { w2: 'Two' } } });
  await names.settle();
  expect([names.nameOf('w1'), names.nameOf('w2')]).toEqual([undefined, 'Two']);
});
