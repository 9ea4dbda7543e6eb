// Spec: DeFi holding (legacy v0 endpoint). Field names are in snake_case, except in `source`.

import { digest } from '../../core/hash.ts';
import { createRandom } from '../../core/random.ts';
import type { ConnectedAccount } from '../integrations/entities.ts';

export type DefiPosition = ReturnType<typeof buildDefi>[number];

const COUNT = 18;
const PROTOCOLS = ['Aave V3', 'Uniswap V3', 'Lido', 'Curve', 'Maker'] as const;
const TYPES = ['lending', 'liquidity', 'staking'] as const;
const CURRENCIES = ['ETH', 'USDC', 'DAI', 'WBTC', 'stETH'] as const;

export function buildDefi(seed: string, accounts: readonly ConnectedAccount[]) {
  const random = createRandom(`${seed}/defi`);
  const holders = accounts.filter(({ publicAddress }) => publicAddress.startsWith('0x'));
  return Array.from({ length: COUNT }, (_, index) => {
    const holder = holders[random.below(holders.length)];
    const type = random.pick(TYPES);
    // Amounts are in cents, so that sums are exact.
    const asset = random.below(9_000_000);
    const debt = type === 'lending' ? random.below(asset + 1) : 0;
    const net = (asset - debt) / 100;
    return {
      id: `dfi_${digest(`${seed}/defi/${index}`).slice(0, 16)}`,
      name: random.pick(PROTOCOLS),
      chain: random.pick(['ethereum', 'polygon', 'arbitrum']),
      type,
      stats: {
        net_usd_value: net,
        asset_usd_value: asset / 100,
        debt_usd_value: debt / 100,
        converted_net_value: net,
        converted_currency: 'USD',
      },
      portfolio_entry: {
        supply_token_list: Array.from({ length: 1 + random.below(2) }, () => ({
          currency: random.pick(CURRENCIES),
          amount: random.below(1_000_000_000) / 1_000_000,
        })),
      },
      source: { walletId: holder?.walletId ?? '', address: holder?.publicAddress ?? '' },
    };
  });
}

export function totalDefiValue(holdings: readonly DefiPosition[]): number {
  return holdings.reduce((cents, { stats }) => cents + Math.round(stats.net_usd_value * 100), 0) / 100;
}
