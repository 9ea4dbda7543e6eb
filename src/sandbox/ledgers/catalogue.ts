// All assets and accounts of the legs of a workspace, including added legs. The columns refer to assets and accounts by index.

import { ASSETS, type Asset, unresolved } from './assets.ts';
import { KINDS } from './columns.ts';
import { WALLETS, type Wallet } from './wallets.ts';

/** Provider of accounts entered by hand. The provider catalogue does not list this provider. */
export const CUSTOM_PROVIDER = 'customwallet';

/** An account entered by hand, without legs at the start. */
export const BY_HAND: Wallet = {
  providerId: CUSTOM_PROVIDER,
  alias: '',
  kind: 'exchange',
  native: 'USD',
  trades: ['USD'],
  silent: false,
  weight: 0,
};

export interface Catalogue {
  readonly assets: readonly Asset[];
  readonly wallets: readonly Wallet[];
  /** Labels of legs; null for no label. */
  readonly labels: readonly (string | null)[];
  /** The asset with this symbol or id. If no asset matches, adds an unresolved asset. */
  asset(name: string): number;
  /** Adds an account and gives it the next number. */
  addWallet(wallet: Wallet): void;
  reset(): void;
}

/** The original assets and accounts. */
export interface Named {
  readonly assets: readonly Asset[];
  readonly wallets: readonly Wallet[];
  readonly labels: readonly (string | null)[];
}

export function createCatalogue(
  named: Named = { assets: ASSETS, wallets: [...WALLETS, BY_HAND], labels: KINDS },
): Catalogue {
  const assets: Asset[] = [...named.assets];
  const wallets: Wallet[] = [...named.wallets];
  // An added leg may have a new label.
  const labels = [...named.labels, ...KINDS.filter((kind) => !named.labels.includes(kind))];

  function asset(name: string): number {
    const known = assets.findIndex(({ id, symbol, hostile }) => id === name || (symbol === name && !hostile));
    return known >= 0 ? known : assets.push(unresolved(name)) - 1;
  }
  return {
    assets,
    wallets,
    labels,
    asset,
    addWallet: (wallet) => wallets.push(wallet),
    reset: () => {
      assets.length = named.assets.length;
      wallets.length = named.wallets.length;
    },
  };
}
