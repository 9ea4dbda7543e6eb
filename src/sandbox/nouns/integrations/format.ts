import type { ConnectedAccount } from './entities.ts';

/** An account in the legacy API. */
export function legacyWallet(account: ConnectedAccount): Record<string, unknown> {
  const { walletId, category, publicAddress } = account;
  return { walletId, name: shownName(account), type: category, address: publicAddress };
}

export function shownName({ alias, providerPublicName }: ConnectedAccount): string {
  return alias === '' ? providerPublicName : alias;
}
