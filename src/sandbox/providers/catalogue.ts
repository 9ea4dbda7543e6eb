// Builds the catalogue out of its short form. It depends on no seed and no clock: the catalogue is the same for all.

import type { ConnectorFunction, Provider, ProviderType } from './entities.ts';
import { NAMES } from './names.ts';
import { credentialFields, importMethods, integrationInfo, walletLimitations } from './setup.ts';

const FIRST = Date.UTC(2021, 0, 4, 9);
const DAY = 86_400_000;

export function buildCatalogue(): Provider[] {
  const types: ProviderType[] = ['exchange', 'blockchain', 'wallet', 'service', 'aggregator'];
  const rows = types.flatMap((type) => NAMES[type].map((row) => ({ type, row })));
  return rows.map(({ type, row }, index) => buildProvider(type, row, index));
}

function buildProvider(type: ProviderType, row: string, index: number): Provider {
  const [, publicName = row, marks = ''] = /^(.*?)(?: ([*!~?0-]+))?$/.exec(row) ?? [];
  const words = publicName
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== '');
  const sparse = marks.includes('-');
  const slug = words.join('-');
  return {
    id: words.join(''),
    slug,
    name: words.join('_').toUpperCase(),
    publicName,
    description: sparse ? null : describe(type, publicName),
    type,
    logo: sparse ? null : `https://images.example/providers/${slug}.svg`,
    featured: marks.includes('*'),
    isWorking: !marks.includes('!'),
    importMethods: importMethods(type, index),
    credentialFields: credentialFields(type, words.join('')),
    capabilities: capabilities(type, index),
    walletSupportedChains: type === 'wallet' ? supportedChains(index) : null,
    functions: marks.includes('0') ? null : functions(type, marks),
    integrationInfo: integrationInfo(type, index),
    walletLimitations: type === 'wallet' && index % 3 !== 0 ? walletLimitations(publicName) : null,
    metadata: metadata(type, index),
    createdAt: new Date(FIRST + index * 11 * DAY).toISOString(),
    updatedAt: new Date(FIRST + 1460 * DAY + index * 7 * 3_600_000).toISOString(),
  };
}

function describe(type: ProviderType, publicName: string): string {
  if (type === 'blockchain') return `Balances and transactions of ${publicName} addresses.`;
  if (type === 'wallet') return `Accounts kept in ${publicName}, by address or connection.`;
  return `Trades, deposits and withdrawals made with ${publicName}.`;
}

/** Only what is supported is named, and now and then an explicit false: an absent key means unsupported too. */
function capabilities(type: ProviderType, index: number): Record<string, boolean> {
  const base: Record<string, boolean> = { holdings: true };
  if (type === 'exchange') Object.assign(base, { trades: true, deposits: true, withdrawals: true });
  if (type === 'exchange' && index % 3 === 0) Object.assign(base, { margin: true, futures: index % 2 === 0 });
  if (type === 'blockchain' || type === 'wallet') Object.assign(base, { nft: index % 2 === 0, swap: true });
  if (type === 'aggregator') Object.assign(base, { defi: true, swap: true, bridge: index % 2 === 0 });
  if (index % 4 === 1) Object.assign(base, { staking: true });
  return base;
}

function supportedChains(index: number): { id: string; onlyManual?: boolean }[] {
  const chains: { id: string; onlyManual?: boolean }[] = [
    { id: 'ethereum' },
    { id: 'polygon' },
    { id: 'base' },
  ];
  if (index % 2 === 0) chains.push({ id: 'bitcoin', onlyManual: true });
  if (index % 3 === 0) chains.push({ id: 'solana', onlyManual: false });
  return chains;
}

function functions(type: ProviderType, marks: string): ConnectorFunction[] {
  const probed = !marks.includes('?');
  const base = type === 'exchange' || type === 'service' ? 'fetchTrades' : 'fetchTransactions';
  const list: ConnectorFunction[] = [
    {
      name: base,
      public_name: type === 'exchange' ? 'Trades' : 'Transactions',
      is_base: true,
      categories: ['trade', 'deposit'],
      enabled: true,
      // Never probed reads as not operational as well: the two cannot be told apart, as the spec says.
      operational: probed && !marks.includes('!'),
    },
    {
      name: 'fetchDeposits',
      public_name: 'Deposits & withdrawals',
      is_base: false,
      categories: ['deposit', 'withdrawal'],
      enabled: true,
      operational: probed && !marks.includes('~'),
    },
    {
      name: 'fetchStaking',
      public_name: 'Staking rewards',
      is_base: false,
      categories: ['staking'],
      enabled: false,
      operational: false,
    },
  ];
  return type === 'blockchain' ? list.slice(0, 2) : list;
}

function metadata(type: ProviderType, index: number): Record<string, unknown> | null {
  if (type === 'blockchain')
    return { aggregatorId: 100 + index, nativeToken: index % 2 === 0 ? 'ETH' : 'COIN' };
  if (type === 'wallet') return { walletConnectId: `wc-${index}` };
  return null;
}
