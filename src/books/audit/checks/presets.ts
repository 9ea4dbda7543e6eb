import type { TransactionPreset } from '../../../api/transactions.ts';
import { plural, shellWord } from '../../../core/text.ts';
import { declareCheck } from '../check.ts';

/** A check whose findings the service counts. */
function preset<Name extends TransactionPreset>(
  name: Name,
  texts: { readonly title: string; readonly means: string; readonly fix: string },
  what: (minTotalGains: string | undefined) => string,
) {
  return declareCheck({
    ...{ name, ...texts, needs: [], isAboutService: 'transactions' as const },
    start(report, _scope, { presets = {}, minTotalGains }) {
      const total = presets[name] ?? 0;
      if (total === 0) return {};
      const gains =
        name === 'high-pnl' && minTotalGains ? ` --min-total-gains ${shellWord(minTotalGains)}` : '';
      report({
        ...{ severity: 'warning', key: [], inPeriod: true },
        message: `The service counts ${plural(total, 'transaction', 'transactions')} ${what(minTotalGains)}, over all periods and accounts.`,
        next: `cryptodata txns --preset ${name}${gains} --all`,
      });
      return {};
    },
  });
}

export const uncategorized = preset(
  'uncategorized',
  {
    title: 'Uncategorised transactions',
    means: 'The service reports transactions without a category.',
    fix: 'Categorise them.',
  },
  () => 'without a category',
);

export const highPnl = preset(
  'high-pnl',
  {
    title: 'Unusually high gains',
    means: 'The service reports transactions with a high gain. The cause is often a missing purchase.',
    fix: 'Check that the purchase of each sold asset is recorded.',
  },
  (least) => `that nobody has reviewed and that have total gains of at least ${least} each`,
);

export const missingPurchases = preset(
  'missing-purchases',
  {
    title: 'Missing purchases',
    means: 'The service reports transactions with a missing purchase.',
    fix: 'Import the purchases.',
  },
  () => 'with a missing purchase',
);

export const missingPrices = preset(
  'missing-prices',
  {
    title: 'Transactions without prices',
    means: 'The service reports transactions with a missing price.',
    fix: 'Set the prices.',
  },
  () => 'with a missing price',
);
