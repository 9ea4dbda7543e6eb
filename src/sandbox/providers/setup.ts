// What a user needs in order to connect an account: how, with which credentials, and what to mind.

import type { CredentialField, ProviderType } from './entities.ts';

const API_KEY: CredentialField = {
  required: true,
  type: 'string',
  label: 'API key',
  placeholder: 'Paste the key',
};
const SECRET: CredentialField = { required: true, type: 'password', label: 'API secret' };

/** The map is open-ended: some entries ask for keys that no fixed list would hold. */
const UNUSUAL: Readonly<Record<string, Readonly<Record<string, CredentialField>>>> = {
  okx: {
    passphrase: { required: true, type: 'password', label: 'Passphrase', placeholder: 'Set with the key' },
  },
  kucoin: { password: { required: true, type: 'password', label: 'API passphrase' } },
  bitmex: { isTestnet: { required: false, type: 'boolean', label: 'This is a testnet account' } },
  deribit: { communityId: { required: false, type: 'string', label: 'Community id' } },
  fireblocks: {
    'vault-account.id': { required: true, type: 'string', label: 'Vault account', placeholder: '0' },
    privateKeyPem: { required: true, type: 'password', label: 'Private key (PEM)' },
  },
  nexo: { accountName: { required: true, type: 'string', label: 'Account name' } },
};

export function credentialFields(type: ProviderType, id: string): Record<string, CredentialField> {
  const unusual = UNUSUAL[id] ?? {};
  if (type === 'exchange' || type === 'service') return { apiKey: API_KEY, secretKey: SECRET, ...unusual };
  if (type === 'aggregator') return { ...unusual };
  return {
    address: { required: true, type: 'string', label: 'Public address', placeholder: '0x…' },
    ...unusual,
  };
}

export function importMethods(type: ProviderType, index: number): string[] {
  if (type === 'exchange') return index % 3 === 1 ? ['api', 'oauth', 'csv'] : ['api', 'csv'];
  if (type === 'blockchain') return ['address'];
  if (type === 'wallet') return index % 2 === 0 ? ['address', 'wallet_connect'] : ['address', 'manual'];
  return index % 2 === 0 ? ['csv'] : ['api', 'csv', 'manual'];
}

export function integrationInfo(type: ProviderType, index: number): Record<string, unknown> | null {
  if (type !== 'exchange') return null;
  if (index % 4 === 3) return null;
  return {
    apiKeyRequired: true,
    apiSecretRequired: true,
    limitations:
      index % 2 === 0 ? ['The API returns the last 12 months only; import a CSV for older trades.'] : [],
  };
}

export function walletLimitations(publicName: string): Record<string, unknown> {
  return {
    importOptions: [
      { name: 'address', status: true, isRecommended: true },
      { name: 'csv', status: false, isRecommended: false },
    ],
    features: { address: ['balances', 'transactions'], csv: [] },
    steps: [`Open ${publicName}.`, 'Copy your public address.', 'Paste it here.'],
  };
}
