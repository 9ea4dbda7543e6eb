// The assets and accounts that the legs of a workspace name, by the numbers in the columns: those of the books, and
// those that came with legs added to them.

import { ASSETS, type Asset, unresolved } from './assets.ts';
import { KINDS } from './columns.ts';
import { WALLETS, type Wallet } from './wallets.ts';

/** Its provider is in no catalogue. */
export const CUSTOM_PROVIDER = 'customwallet';

/** Kept by hand: no leg of the books is in it. */
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
  /** Null where a leg has none. */
  readonly labels: readonly (string | null)[];
  /** The asset of that symbol or id; one that is not resolved, when there is none. */
  asset(name: string): number;
  /** One more account; its number is the next. */
  addWallet(wallet: Wallet): void;
  reset(): void;
}

/** What the books themselves name. */
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
  // A leg that comes may have a label that no leg of the books has.
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
