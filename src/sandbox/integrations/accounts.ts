// The connected accounts as GET /v1/integrations first shows them: those that the ledgers name, and one kept by hand.

import { createHash } from 'node:crypto';
import { SPAN_END, SPAN_START } from '../ledgers/prices.ts';
import { WALLETS, type Wallet } from '../ledgers/wallets.ts';
import type { Provider } from '../providers/entities.ts';
import type { Integration, Status } from './entities.ts';
import { accountOf } from './given.ts';

const DAY = 86_400_000;
const CUSTOM_PROVIDER = 'customwallet';

/** Not every account is well; the others are COMPLETED. */
const TROUBLED: Readonly<Record<string, { status: Status; errorMessage?: string }>> = {
  gemini: { status: 'FAILED', errorMessage: 'The exchange rejected the API key: "Invalid nonce"' },
  cardano: { status: 'INACTIVE' },
};

const ADDRESS_FORMS: Readonly<Record<string, string>> = {
  bitcoin: 'bc1q',
  solana: 'So1',
  cosmoshub: 'cosmos1',
  cardano: 'addr1',
};

export interface AccountsOptions {
  /** Transactions of each wallet. */
  readonly counts: readonly number[];
  readonly walletId: (wallet: number) => string;
  readonly provider: (id: string) => Provider | undefined;
}

export function buildAccounts({ counts, walletId, provider }: AccountsOptions): Integration[] {
  const connected = WALLETS.map((wallet, index): Integration => {
    const { providerId, alias, silent } = wallet;
    const source = provider(providerId);
    const { status, errorMessage } = TROUBLED[providerId] ?? { status: 'COMPLETED' };
    return {
      providerId,
      isCustomWallet: false,
      provider: providerId,
      providerPublicName: source?.publicName ?? providerId,
      publicAddress: addressOf(wallet),
      walletId: walletId(index),
      logoUrl: source?.logo ?? '',
      isContract: false,
      alias,
      status,
      ...(errorMessage === undefined ? {} : { errorMessage }),
      addedOn: SPAN_START + index * 9 * DAY,
      // Files are uploaded, never synced.
      lastSyncedAt: silent ? 0 : SPAN_END - index * 60_000,
      category: categoryOf(source),
      type: silent ? 'csv' : 'api',
      totalTransactions: counts[index] ?? 0,
    };
  });
  return [...connected, byHand(walletId(WALLETS.length))];
}

/** Those that given ledgers name. */
export function accountsOfGiven(
  { counts, walletId, provider }: AccountsOptions,
  wallets: readonly Wallet[],
): Integration[] {
  return wallets.map(({ providerId }, index) =>
    accountOf(
      { walletId: walletId(index), providerId, totalTransactions: counts[index] ?? 0 },
      provider(providerId),
    ),
  );
}

function byHand(walletId: string): Integration {
  return {
    providerId: CUSTOM_PROVIDER,
    isCustomWallet: true,
    provider: CUSTOM_PROVIDER,
    providerPublicName: 'Custom wallet',
    publicAddress: '',
    walletId,
    logoUrl: '',
    isContract: false,
    alias: '',
    status: 'COMPLETED',
    addedOn: 0,
    lastSyncedAt: 0,
    category: 'unknown',
    type: 'csv',
    totalTransactions: 0,
  };
}

export function categoryOf(provider: Provider | undefined): Integration['category'] {
  const type = provider?.type;
  return type === 'exchange' || type === 'wallet' || type === 'blockchain' ? type : 'unknown';
}

function addressOf({ kind, providerId }: Wallet): string {
  if (kind === 'exchange') return '';
  const digits = createHash('sha256').update(`address/${providerId}`).digest('hex');
  const form = ADDRESS_FORMS[providerId];
  return form === undefined ? `0x${digits.slice(0, 40)}` : `${form}${digits.slice(0, 38)}`;
}
