// All assets and accounts in the legs of a workspace, including added legs. The columns store indexes into these lists.

import { ASSETS, type Asset, unresolved } from './assets.ts';
import { LEG_LABELS } from './columns.ts';
import { WALLETS, type Wallet } from './wallets.ts';

/** Provider of the accounts that are entered by hand. The provider catalogue does not list this provider. */
export const CUSTOM_PROVIDER = 'customwallet';

/** An account that is entered by hand, without legs at the start. */
export const BY_HAND: Wallet = {
  providerId: CUSTOM_PROVIDER,
  alias: '',
  kind: 'exchange',
  native: 'USD',
  trades: ['USD'],
  silent: false,
  listsSyncs: true,
  weight: 0,
};

export type Catalogue = ReturnType<typeof createCatalogue>;

/** The original assets, accounts and labels. */
export interface BookNames {
  readonly assets: readonly Asset[];
  readonly wallets: readonly Wallet[];
  readonly labels: readonly (string | null)[];
}

export function createCatalogue(
  named: BookNames = { assets: ASSETS, wallets: [...WALLETS, BY_HAND], labels: LEG_LABELS },
) {
  const assets: Asset[] = [...named.assets];
  const wallets: Wallet[] = [...named.wallets];
  // Added legs can have any label in LEG_LABELS.
  const labels: readonly (string | null)[] = [
    ...named.labels,
    ...LEG_LABELS.filter((kind) => !named.labels.includes(kind)),
  ];

  /** Returns the index of the asset with this symbol or id. If no asset matches, adds an unresolved asset. */
  function asset(name: string): number {
    const known = assets.findIndex(({ id, symbol, hostile }) => id === name || (symbol === name && !hostile));
    return known >= 0 ? known : assets.push(unresolved(name)) - 1;
  }
  return {
    assets,
    wallets,
    labels,
    asset,
    /** Adds an account and gives it the next number. */
    addWallet: (wallet: Wallet) => wallets.push(wallet),
    reset: () => {
      assets.length = named.assets.length;
      wallets.length = named.wallets.length;
    },
  };
}
