// The connected accounts. The sandbox starts with the wallets of the ledgers, a manual account, and the accounts from `--data`.
// More accounts can be connected while the sandbox runs.

import { isLosslessNumber } from 'lossless-json';
import { CUSTOM_PROVIDER } from '../../books/catalogue.ts';
import { SPAN_START } from '../../books/prices.ts';
import { WALLETS, type Wallet } from '../../books/wallets.ts';
import { digest } from '../../core/hash.ts';
import { type Reader, type Saved, shape } from '../../core/readers.ts';
import { member } from '../../data/resources.ts';
import type { CatalogueProvider } from '../providers/catalogue.ts';
import {
  ACCOUNT_READERS,
  type ConnectedAccount,
  type ConnectionStatus,
  readIntegration,
} from './entities.ts';

const DAY = 86_400_000;

/** Accounts with a status other than COMPLETED. */
const OTHER_STATUSES: Readonly<Record<string, { status: ConnectionStatus; errorMessage?: string }>> = {
  gemini: { status: 'FAILED', errorMessage: 'The exchange rejected the API key: "Invalid nonce"' },
  cardano: { status: 'INACTIVE' },
};

const ADDRESS_FORMS: Readonly<Record<string, string>> = {
  bitcoin: 'bc1q',
  solana: 'So1',
  cosmoshub: 'cosmos1',
  cardano: 'addr1',
};

/** The initial status of each wallet. */
export const WALLET_STATUSES: readonly ConnectionStatus[] = WALLETS.map(
  ({ providerId }) => OTHER_STATUSES[providerId]?.status ?? 'COMPLETED',
);

export interface AccountsOptions {
  /** Number of transactions in each wallet. */
  readonly counts: readonly number[];
  readonly walletId: (wallet: number) => string;
  readonly provider: (id: string) => CatalogueProvider | undefined;
}

/** @param lastSyncedAt returns the time of the last sync of the wallet with the given number */
export function buildAccounts(
  { counts, walletId, provider }: AccountsOptions,
  lastSyncedAt: (wallet: number) => number,
): ConnectedAccount[] {
  const connected = WALLETS.map((wallet, index): ConnectedAccount => {
    const { providerId, alias, silent } = wallet;
    return {
      ...accountOf(
        providerId,
        walletId(index),
        provider(providerId),
        OTHER_STATUSES[providerId]?.errorMessage,
      ),
      publicAddress: addressOf(wallet),
      alias,
      status: WALLET_STATUSES[index] ?? 'COMPLETED',
      addedOn: SPAN_START + index * 9 * DAY,
      // Uploaded files are never synced.
      lastSyncedAt: silent ? 0 : lastSyncedAt(index),
      type: silent ? 'csv' : 'api',
      totalTransactions: counts[index] ?? 0,
    };
  });
  const manual = accountOf(CUSTOM_PROVIDER, walletId(WALLETS.length), undefined);
  return [...connected, { ...manual, providerPublicName: 'Custom wallet', type: 'csv' }];
}

/** The accounts named in the user's ledgers. */
export function accountsOfGiven(
  { counts, walletId, provider }: AccountsOptions,
  wallets: readonly Wallet[],
): ConnectedAccount[] {
  return wallets.map(({ providerId }, index) => ({
    ...accountOf(providerId, walletId(index), provider(providerId)),
    totalTransactions: counts[index] ?? 0,
  }));
}

/** Creates the account of a provider. Fields that do not depend on the provider have default values. */
export function accountOf(
  providerId: string,
  walletId: string,
  source: CatalogueProvider | undefined,
  errorMessage?: string,
): ConnectedAccount {
  const type = source?.type;
  return {
    providerId,
    isCustomWallet: providerId === CUSTOM_PROVIDER,
    provider: providerId,
    providerPublicName: source?.publicName ?? providerId,
    publicAddress: '',
    walletId,
    logoUrl: source?.logo ?? '',
    isContract: false,
    alias: '',
    status: 'COMPLETED',
    ...(errorMessage === undefined ? {} : { errorMessage }),
    addedOn: 0,
    lastSyncedAt: 0,
    category: type === 'exchange' || type === 'wallet' || type === 'blockchain' ? type : 'unknown',
    type: 'api',
    totalTransactions: 0,
  };
}

function addressOf({ kind, providerId }: Wallet): string {
  if (kind === 'exchange') return '';
  const digits = digest(`address/${providerId}`);
  const form = ADDRESS_FORMS[providerId];
  return form === undefined ? `0x${digits.slice(0, 40)}` : `${form}${digits.slice(0, 38)}`;
}

/**
 * Merges the records of `integrations.json` into the accounts. The accounts in the file come first, in the same order. Fields
 * of the wrong type are ignored.
 *
 * @throws RangeError if the `walletId` of a record is missing or is not a string
 */
export function withGiven(
  accounts: readonly ConnectedAccount[],
  records: readonly unknown[],
  provider: (id: string) => CatalogueProvider | undefined,
): ConnectedAccount[] {
  const known = new Map(accounts.map((account) => [account.walletId, account]));
  const first = new Map<string, ConnectedAccount>();
  for (const record of records) {
    const walletId = member(record, 'walletId');
    if (typeof walletId !== 'string')
      throw new RangeError('The "walletId" of each integration must be a string');
    const given = member(record, 'providerId') ?? member(record, 'provider');
    const providerId = typeof given === 'string' ? given : CUSTOM_PROVIDER;
    const account =
      first.get(walletId) ?? known.get(walletId) ?? accountOf(providerId, walletId, provider(providerId));
    known.delete(walletId);
    first.set(walletId, withFields(account, record));
  }
  return [...first.values(), ...known.values()];
}

function withFields(account: ConnectedAccount, record: unknown): ConnectedAccount {
  const fields = Object.entries(ACCOUNT_READERS).map(([name, read]) => {
    const given = member(record, name);
    const value = isLosslessNumber(given) ? Number(given) : given;
    return [name, accepts(read, value) ? value : member(account, name)];
  });
  const merged = Object.fromEntries(fields);
  return readIntegration({ ...merged, errorMessage: merged.errorMessage || undefined }, '');
}

function accepts(read: Reader<unknown>, value: unknown): boolean {
  try {
    read(value, '');
    return true;
  } catch {
    return false;
  }
}

/** The members of a request to connect an account. */
export const CONNECTION = [
  { providerId: shape.text },
  {
    alias: shape.text,
    publicAddress: shape.text,
    /** An `api` account is connected by API key, OAuth or address. A `csv` account is filled from files, and never synced. */
    type: shape.oneOf('api', 'csv'),
  },
] as const;
const readConnection = shape.object(...CONNECTION);
export type Connection = Saved<typeof readConnection>;
