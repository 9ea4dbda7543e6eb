import { type Column, money } from './columns.ts';
import { list, openList, openPaging, single } from './endpoint.ts';
import { bool, nullable, number, parts, type RecordOf, text } from './records.ts';

/** The fields of a token holding ("Holdings") that appear in the specification's list of changes. */
const record = {
  assetId: nullable(text),
  /** The asset. `tokenId` is the only field of an asset that the specification lists. */
  asset: nullable(parts('tokenId')),
  costBasis: nullable(number),
  costPerUnit: nullable(number),
  /** Null means that no cost basis is recorded. It does not mean 0. */
  roiPercentage: nullable(number),
  /** Change within 24 hours, as an amount of currency. */
  change24h: nullable(number),
  change24hPercentage: nullable(number),
  transactionCount: nullable(number),
  isSpam: nullable(bool),
};
export type Holding = RecordOf<typeof record>;

/** Null means that no cost basis is recorded ("Holdings"). Showing 0 instead of null would look like a gain of 0. */
const roi: Column = {
  key: 'roiPercentage',
  header: 'roi %',
  figure: true,
  places: 2,
  derive: ({ roiPercentage }) => (roiPercentage === null ? 'unknown' : roiPercentage),
};

export const holdings = list({
  path: '/v1/holdings',
  noun: 'holding',
  nouns: 'holdings',
  paging: openPaging,
  record,
  isOpen: true,
  columns: {
    // Symbol, quantity and value matter most, so they come first, although the specification does not list them.
    table: [
      { key: 'symbol', whole: true },
      { key: 'asset.symbol', header: 'symbol', whole: true },
      { key: 'quantity', figure: true },
      money('value'),
      { key: 'assetId', header: 'asset', drop: 6 },
      { key: 'asset.tokenId', header: 'token', drop: 5 },
      money('costBasis', { header: 'cost basis' }),
      { key: 'costPerUnit', header: 'cost per unit', figure: true, drop: 4 },
      roi,
      money('change24h', { header: '24 h', drop: 2 }),
      { key: 'change24hPercentage', header: '24 h %', figure: true, places: 2, drop: 3 },
      { key: 'transactionCount', header: 'transactions', figure: true, drop: 1 },
      { key: 'isSpam', header: 'spam', drop: 0 },
    ],
  },
});

export const nfts = openList({ path: '/v1/nfts', noun: 'NFT', nouns: 'NFTs' });

export const defi = openList({ path: '/v1/defi', noun: 'DeFi position', nouns: 'DeFi positions' });

export const defiTotals = single({ path: '/v1/defi/totals', noun: 'record of totals', record: {} });

export const balances = openList({ path: '/v1/calculated-balances', noun: 'balance', nouns: 'balances' });
