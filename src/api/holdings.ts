import { type Column, money } from './columns.ts';
import { list, openList, openPaging, single } from './endpoint.ts';
import { bool, nullable, number, parts, type RecordOf, text } from './records.ts';

/** Fields of a holding, from "Holdings (current API, fields named by the change list)" in the specification. */
const record = {
  assetId: nullable(text),
  /** The specification lists only the field `tokenId` of the asset. */
  asset: nullable(parts('tokenId')),
  costBasis: nullable(number),
  costPerUnit: nullable(number),
  /** The return on investment in percent. Null means that no cost basis is recorded, so the percentage is unknown, not 0. */
  roiPercentage: nullable(number),
  /** Change over the last 24 hours, as an amount of money. */
  change24h: nullable(number),
  change24hPercentage: nullable(number),
  transactionCount: nullable(number),
  isSpam: nullable(bool),
};
export type Holding = RecordOf<typeof record>;

/** Shows "unknown" if no cost basis is recorded. A 0 would look like a gain of exactly 0. */
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
    // Quantity and value come first, because they matter most. The specification does not list these fields.
    table: [
      {
        key: 'quantity',
        figure: true,
        unit: 'assetId',
        derive: ({ quantity, amount }) => quantity ?? amount,
      },
      money('value'),
      { key: 'assetId', header: 'asset' },
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
