// Builds the provider catalogue from its short form in `NAMES`. The catalogue does not depend on the seed or the clock. Spec:
// Provider (current catalogue).

const FIRST = Date.UTC(2021, 0, 4, 9);
const DAY = 86_400_000;

export const PROVIDER_TYPES = ['exchange', 'blockchain', 'wallet', 'service', 'aggregator'] as const;
type ProviderType = (typeof PROVIDER_TYPES)[number];

export type CatalogueProvider = ReturnType<typeof buildProvider>;

export function buildCatalogue(): CatalogueProvider[] {
  const rows = PROVIDER_TYPES.flatMap((type) => NAMES[type].map((row) => ({ type, row })));
  return rows.map(({ type, row }, index) => buildProvider(type, row, index));
}

function buildProvider(type: ProviderType, row: string, index: number) {
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

/** Returns the capabilities of a provider. Both `false` and a missing key mean that a capability is not supported. */
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

function functions(type: ProviderType, marks: string) {
  // A function that was never probed is shown as not operational, because the specification has no value for an unknown state.
  const probed = !marks.includes('?');
  const [base, title] =
    type === 'exchange'
      ? ['fetchTrades', 'Trades']
      : [type === 'service' ? 'fetchTrades' : 'fetchTransactions', 'Transactions'];
  const entry = (name: string, public_name: string, categories: string[], operational: boolean) => ({
    ...{ name, public_name, is_base: name === base, categories },
    ...{ enabled: name !== 'fetchStaking', operational },
  });
  const list = [
    entry(base, title, ['trade', 'deposit'], probed && !marks.includes('!')),
    entry(
      'fetchDeposits',
      'Deposits & withdrawals',
      ['deposit', 'withdrawal'],
      probed && !marks.includes('~'),
    ),
    entry('fetchStaking', 'Staking rewards', ['staking'], false),
  ];
  return type === 'blockchain' ? list.slice(0, 2) : list;
}

function metadata(type: ProviderType, index: number): Record<string, unknown> | null {
  if (type === 'blockchain')
    return { aggregatorId: 100 + index, nativeToken: index % 2 === 0 ? 'ETH' : 'COIN' };
  if (type === 'wallet') return { walletConnectId: `wc-${index}` };
  return null;
}

/**
 * The catalogue in short form, with one list per type. Each entry is a public name, followed by any of these marks:
 *
 * - `*`: featured
 * - `!`: not working (the base function fails)
 * - `~`: degraded (another function fails)
 * - `?`: never probed
 * - `0`: the functions are unknown (the field `functions` is null)
 * - `-`: no description and no logo
 *
 * The specification says that the internal custom-wallet provider is never listed.
 */
const NAMES: Readonly<Record<ProviderType, readonly string[]>> = {
  exchange:
    names(`Kraken * | Coinbase * | Binance * | Bitstamp | Bitfinex ~ | Gemini | OKX *~ | Bybit | KuCoin ~ |
    Gate.io | HTX ! | Crypto.com Exchange | Binance US | bitFlyer - | Bitpanda | Bitvavo | Coinmerce ? |
    Luno | Upbit ? | Korbit !? | Poloniex ! | Deribit | BitMEX ~ | Independent Reserve | CoinJar - |
    Paribu 0- | Mercado Bitcoin`),
  blockchain:
    names(`Bitcoin * | Ethereum * | Solana * | Polygon | Arbitrum One | Optimism | Base * | BNB Smart Chain |
    Avalanche C-Chain ~ | Cosmos Hub | Cardano | Polkadot ~ | Litecoin | Dogecoin | Tezos | Near ! |
    Stellar | XRP Ledger | Zcash ? | Monero 0 | Gnosis Chain | zkSync Era ? | Starknet - | Fantom !-`),
  wallet:
    names(`MetaMask * | Ledger * | Trezor | Phantom | Rabby | Trust Wallet | Exodus ~ | Safe | Rainbow ? |
    Keplr | Argent ! | Electrum 0 | Yoroi - | Coinbase Wallet | Zerion Wallet`),
  service:
    names(`BitPay | Nexo ~ | Ledn | Celsius !- | BlockFi !0- | YouHodler ? | Swissborg | Wirex | Revolut Crypto |
    Fireblocks *`),
  aggregator: names(`DeBank | Zapper ~ | Zerion | 1inch | Li.Fi ? | Jupiter | ParaSwap ! | 0x "Matcha" -`),
};

function names(text: string): string[] {
  return text.split(/\s+\|\s+/);
}

// Requirements for connecting an account: import methods, credentials and notes.

type CredentialType = 'string' | 'password' | 'boolean';
type Credential = ReturnType<typeof credential>;

function credential(type: CredentialType, label: string, placeholder?: string, required = true) {
  return { required, type, label, ...(placeholder === undefined ? {} : { placeholder }) };
}

/** Additional credential fields of some providers, by provider id. */
const UNUSUAL: Readonly<Record<string, Readonly<Record<string, Credential>>>> = {
  okx: { passphrase: credential('password', 'Passphrase', 'Chosen when the key was created') },
  kucoin: { password: credential('password', 'API passphrase') },
  bitmex: { isTestnet: credential('boolean', 'This is a testnet account', undefined, false) },
  deribit: { communityId: credential('string', 'Community id', undefined, false) },
  fireblocks: {
    'vault-account.id': credential('string', 'Vault account', '0'),
    privateKeyPem: credential('password', 'Private key (PEM)'),
  },
  nexo: { accountName: credential('string', 'Account name') },
};

function credentialFields(type: ProviderType, id: string): Record<string, Credential> {
  const usual = {
    key: {
      apiKey: credential('string', 'API key', 'Paste the key'),
      secretKey: credential('password', 'API secret'),
    },
    address: { address: credential('string', 'Public address', '0x…') },
  };
  if (type === 'exchange' || type === 'service') return { ...usual.key, ...UNUSUAL[id] };
  return { ...(type === 'aggregator' ? {} : usual.address), ...UNUSUAL[id] };
}

function importMethods(type: ProviderType, index: number): string[] {
  if (type === 'exchange') return index % 3 === 1 ? ['api', 'oauth', 'csv'] : ['api', 'csv'];
  if (type === 'blockchain') return ['address'];
  if (type === 'wallet') return index % 2 === 0 ? ['address', 'wallet_connect'] : ['address', 'manual'];
  return index % 2 === 0 ? ['csv'] : ['api', 'csv', 'manual'];
}

function integrationInfo(type: ProviderType, index: number): Record<string, unknown> | null {
  if (type !== 'exchange') return null;
  if (index % 4 === 3) return null;
  return {
    apiKeyRequired: true,
    apiSecretRequired: true,
    limitations:
      index % 2 === 0 ? ['The API returns the last 12 months only; import a CSV for older trades.'] : [],
  };
}

function walletLimitations(publicName: string): Record<string, unknown> {
  return {
    importOptions: [
      { name: 'address', status: true, isRecommended: true },
      { name: 'csv', status: false, isRecommended: false },
    ],
    features: { address: ['balances', 'transactions'], csv: [] },
    steps: [`Open ${publicName}.`, 'Copy your public address.', 'Paste it here.'],
  };
}
