import type { Integration } from './entities.ts';

/** An account in the legacy API. */
export function legacyWallet(account: Integration): Record<string, unknown> {
  const { walletId, category, publicAddress } = account;
  return { walletId, name: nameOf(account), type: category, address: publicAddress };
}

export function nameOf({ alias, providerPublicName }: Integration): string {
  return alias === '' ? providerPublicName : alias;
}
