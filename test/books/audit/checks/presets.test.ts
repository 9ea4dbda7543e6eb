import { expect, test } from 'vitest';
import { audit } from '../support.ts';

test('each preset becomes a finding with the number of transactions and the command that lists them', async () => {
  const presets = { uncategorized: 1200, 'high-pnl': 2, 'missing-purchases': 0 };
  const { findings } = await audit([], { service: { presets, minTotalGains: '1000' } });
  expect(findings.map(({ check, message, next }) => [check, message, next])).toEqual([
    [
      'uncategorized',
      'The service counts 1,200 transactions without a category, over all periods and accounts.',
      'cryptodata txns --preset uncategorized --all',
    ],
    [
      'high-pnl',
      'The service counts 2 transactions that nobody has reviewed and that have total gains of at least 1000 each, over all periods and accounts.',
      'cryptodata txns --preset high-pnl --min-total-gains 1000 --all',
    ],
  ]);
});
