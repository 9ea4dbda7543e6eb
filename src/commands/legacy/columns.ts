import { sameColumns } from '../../cli/common-flags.ts';
import type { JsonRecord } from '../../core/json.ts';
import { type Columns, valueAt } from '../../formats/columns.ts';
import { columnsAfter } from '../../formats/open.ts';

/** "Integration (legacy public list object)", in its order. */
export const PROVIDER_COLUMNS: Columns = {
  table: [
    { key: 'publicName', header: 'name' },
    { key: 'type' },
    { key: 'isWorking', header: 'working' },
    { key: 'isAPI', header: 'api' },
    { key: 'isCSV', header: 'csv' },
    { key: 'isOAuth', header: 'oauth' },
    { key: 'isEVM', header: 'evm' },
    { key: 'id' },
  ],
  csv: sameColumns(
    'id',
    'name',
    'publicName',
    'logo',
    'type',
    'isAPI',
    'isCSV',
    'isOAuth',
    'isEVM',
    'isWorking',
    'communityId',
    'importGuide',
    'functions',
    'integrationInfo',
    'walletLimitations',
  ).csv,
};

export const INTEGRATION_COLUMNS: Columns = sameColumns('walletId', 'name', 'type', 'address');

/** "NFT holding (legacy endpoint)", in its order. */
export const NFT_COLUMNS: Columns = {
  table: [
    { key: 'name' },
    { key: 'collection.name', header: 'collection' },
    { key: 'amount', figure: true },
    { key: 'price.price', header: 'price', figure: true },
    { key: 'price.baseCurrency', header: 'currency' },
    { key: 'ercType', header: 'kind' },
    { key: 'isNftSpam', header: 'spam' },
    { key: 'source.provider', header: 'held at' },
    { key: 'id' },
  ],
  csv: sameColumns(
    'id',
    'contractAddress',
    'tokenId',
    'name',
    'description',
    'contentType',
    'nftUrl',
    'thumbnailUrl',
    'source.provider',
    'source.walletId',
    'source.publicAddress',
    'ercType',
    'amount',
    'price.price',
    'price.baseCurrency',
    'isNftSpam',
    'collection.collectionId',
    'collection.name',
    'collection.description',
    'collection.imageUrl',
    'collection.floorPrice',
    'collection.ownerCount',
    'collection.totalQuantity',
    'collection.socialLinks',
    'lastSale.fromAddress',
    'lastSale.toAddress',
    'lastSale.quantity',
    'lastSale.timestamp',
    'lastSale.transactionHash',
    'lastSale.marketplaceName',
    'lastSale.totalPrice.price',
    'lastSale.totalPrice.baseCurrency',
  ).csv,
};

/** "DeFi holding (legacy v0 endpoint)", in its order. */
export const DEFI_COLUMNS: Columns = {
  table: [
    { key: 'name', header: 'protocol' },
    { key: 'chain' },
    { key: 'type' },
    { key: 'stats.net_usd_value', header: 'net USD', figure: true },
    { key: 'stats.asset_usd_value', header: 'assets USD', figure: true },
    { key: 'stats.debt_usd_value', header: 'debt USD', figure: true },
    { key: 'supplies', derive: supplies },
    { key: 'source.walletId', header: 'wallet' },
    { key: 'id' },
  ],
  csv: sameColumns(
    'id',
    'name',
    'chain',
    'type',
    'stats.net_usd_value',
    'stats.asset_usd_value',
    'stats.debt_usd_value',
    'stats.converted_net_value',
    'stats.converted_currency',
    'portfolio_entry.supply_token_list',
    'source.walletId',
    'source.address',
  ).csv,
};

function supplies(record: JsonRecord): unknown {
  const list = valueAt(record, 'portfolio_entry.supply_token_list');
  if (!Array.isArray(list)) return list;
  return list.map((token) => String(Object(token).currency ?? '?')).join(', ');
}

/** The fields that the change list names; the rest of a holding of the previous API is not shown. */
const HOLDING_NAMED: Columns = {
  table: [
    { key: 'asset.tokenId', header: 'token' },
    { key: 'costbasis', header: 'cost basis', figure: true },
    { key: 'roi', figure: true },
    { key: '24hrChange', header: '24 h %', figure: true },
  ],
  csv: sameColumns('asset.tokenId', 'costbasis', 'roi', '24hrChange').csv,
};
export const HOLDING_COLUMNS = columnsAfter(HOLDING_NAMED);

/** `transactions posted`, as the answer lists them. */
export const POSTED_COLUMNS: Columns = {
  table: [
    { key: 'timestamp', header: 'time', moment: true },
    { key: 'transactionType', header: 'type' },
    { key: 'transactionId', header: 'transaction' },
    { key: 'source.name', header: 'wallet' },
    { key: 'source.walletId', header: 'wallet id' },
  ],
  csv: sameColumns('timestamp', 'transactionType', 'transactionId', 'source.walletId', 'source.name').csv,
};

/** What is wrong with a file: one thing a row. */
export const PROBLEM_COLUMNS: Columns = {
  table: [
    { key: 'row', figure: true },
    { key: 'line', figure: true },
    { key: 'field' },
    { key: 'problem' },
    { key: 'hint' },
  ],
  csv: sameColumns('row', 'line', 'field', 'problem', 'hint').csv,
};
