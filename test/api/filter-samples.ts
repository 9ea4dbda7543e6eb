// One sample for every declared filter. If a new filter has no sample, test/api/filters.test.ts fails.

export type Row = Readonly<Record<string, unknown>>;

export interface Sample {
  /** The value of the filter, as in a flag. */
  readonly value: string;
  /** Fields of a row that passes the filter. */
  readonly passes?: Row;
  /** Fields of a row that fails the filter; undefined if no field of a row shows whether the row passes. */
  readonly fails?: Row;
}

const priced = { price: { price: 1, baseCurrency: 'USD' } };

/** The samples by path and filter. */
export const SAMPLES: Readonly<Record<string, Readonly<Record<string, Sample>>>> = {
  '/v1/ledgers': {
    transactionIds: {
      value: 'txn_first',
      passes: { transactionId: 'txn_first' },
      fails: { transactionId: 'txn_other' },
    },
    assetIds: { value: 'asset_LINK', passes: { assetId: 'asset_LINK' }, fails: { assetId: null } },
    types: { value: 'fee', passes: { type: 'fee' }, fails: { type: 'incoming' } },
    providers: {
      value: 'kraken',
      passes: { walletId: 'wal_main', toAccount: { provider: 'kraken', walletId: 'wal_main' } },
      fails: { walletId: 'wal_main', fromAccount: { provider: 'binance', walletId: 'wal_main' } },
    },
    hasMissingPrice: { value: 'true', passes: { price: null }, fails: priced },
    hasMissingAsset: { value: 'false', passes: { assetId: 'asset_LINK' }, fails: { assetId: null } },
    ltAfterBalance: { value: '-1e-18', passes: { afterBalance: '-1' }, fails: { afterBalance: null } },
    gtAfterBalance: { value: '-2', passes: { afterBalance: '-1' }, fails: { afterBalance: '-2.0' } },
  },
  '/v1/transactions': {
    types: { value: 'deposit', passes: { type: 'Deposit' }, fails: { type: 'trade' } },
    labels: { value: 'Airdrop', passes: legs({ label: 'Airdrop' }), fails: legs({ label: 'Deposit' }) },
    notLabels: { value: 'Airdrop', passes: legs({ label: 'Reward' }), fails: legs({ label: 'airdrop' }) },
    notWalletIds: {
      value: 'wal_main',
      passes: legs({ walletId: 'wal_2' }),
      fails: legs({ walletId: 'wal_main' }),
    },
    isUncategorisedIgnored: {
      value: 'false',
      passes: { isUncategorisedIgnored: false },
      fails: { isUncategorisedIgnored: true },
    },
    minTotalGains: { value: '1000' },
    isHighPnLReviewed: {
      value: 'false',
      passes: { isHighPnLReviewed: false },
      fails: { isHighPnLReviewed: true },
    },
    isMissingTransaction: {
      value: 'true',
      passes: { isMissingTransaction: true },
      fails: { isMissingTransaction: false },
    },
    hasMissingPrice: { value: 'true', passes: legs({ price: null }), fails: legs(priced) },
  },
  '/v1/providers': {
    type: { value: 'exchange', passes: { type: 'exchange' }, fails: { type: 'wallet' } },
    featured: { value: 'true', passes: { featured: true }, fails: { featured: false } },
    isWorking: { value: 'true', passes: { isWorking: true }, fails: { isWorking: false } },
    search: {
      value: 'krak',
      passes: { name: 'kraken', publicName: 'Kraken', slug: 'kraken' },
      fails: { name: 'binance', publicName: 'Binance', slug: 'binance' },
    },
  },
  '/v1/assets/search': {
    contractAddress: {
      value: '0xDAC17F95',
      passes: { contracts: [{ address: '0xdac17f95' }] },
      fails: { contractAddress: '0x514910771af9' },
    },
  },
  '/api/v1/nft-holdings': {
    source: {
      value: 'metamask',
      passes: { source: { provider: 'metamask', walletId: 'wal_main', publicAddress: '0x1' } },
      fails: { source: { provider: 'ledger', walletId: 'wal_2', publicAddress: '' } },
    },
    collection: {
      value: 'col_boats',
      passes: { collection: { collectionId: 'col_boats', name: 'Paper Boats' }, contractAddress: '0xb0' },
      fails: { collection: { collectionId: 'col_other', name: 'Others' }, contractAddress: '0x07' },
    },
    // The specification does not define a field of the record for the chain.
    chain: { value: 'ethereum', passes: { chain: 'ethereum' }, fails: { chain: 'polygon' } },
    tokenId: { value: '10999', passes: { tokenId: '10999' }, fails: { tokenId: '10' } },
    contract: {
      value: '0xdac17f95',
      passes: { contractAddress: '0xdac17f95' },
      fails: { contractAddress: '0x514910771af9' },
    },
  },
  '/v0/defi-holdings': {
    docId: { value: 'dfi_first', passes: { id: 'dfi_first' }, fails: { id: 'dfi_wrong' } },
  },
};

/** A transaction with an incoming leg and a fee. */
function legs(fields: Row): Row {
  return { incomingAssets: [fields], outgoingAssets: [], fee: fields };
}
