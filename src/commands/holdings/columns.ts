import { type Column, type Columns, type ColumnsFrom, valueAt } from '../../formats/columns.ts';
import { columnsAfter } from '../../formats/open.ts';

/** Null means that no cost basis is recorded ("Holdings"): people must not read it as nothing gained. */
const roi: Column = {
  key: 'roiPercentage',
  header: 'roi %',
  figure: true,
  derive: (record) => {
    const value = valueAt(record, 'roiPercentage');
    return value === null ? 'unknown' : value;
  },
};

/**
 * The fields that the specification names, in its order but for the ids, which come first. Symbol, quantity and value are not
 * among them: a table shows them first where the records have them, since a holding cannot be read without.
 */
const NAMED: Columns = {
  table: [
    { key: 'symbol', whole: true },
    { key: 'asset.symbol', header: 'symbol', whole: true },
    { key: 'quantity', figure: true },
    { key: 'value', figure: true },
    { key: 'assetId', header: 'asset' },
    { key: 'asset.tokenId', header: 'token' },
    { key: 'costBasis', header: 'cost basis', figure: true },
    { key: 'costPerUnit', header: 'cost a unit', figure: true },
    roi,
    { key: 'change24h', header: '24 h', figure: true },
    { key: 'change24hPercentage', header: '24 h %', figure: true },
    { key: 'transactionCount', header: 'transactions', figure: true },
    { key: 'isSpam', header: 'spam' },
  ],
  csv: [
    { key: 'assetId' },
    { key: 'asset.tokenId' },
    { key: 'costBasis' },
    { key: 'costPerUnit' },
    { key: 'roiPercentage' },
    { key: 'change24h' },
    { key: 'change24hPercentage' },
    { key: 'transactionCount' },
    { key: 'isSpam' },
  ],
};

const IDS = ['assetId', 'asset.tokenId'];

/** Where a symbol names the asset, a table needs no ids: `--columns` has them still. */
export const HOLDING_COLUMNS: ColumnsFrom = (records) => {
  const columns = columnsAfter(NAMED)(records);
  const isNamed = records.length > 0 && columns.table.some(({ header, key }) => (header ?? key) === 'symbol');
  return isNamed ? { ...columns, table: columns.table.filter(({ key }) => !IDS.includes(key)) } : columns;
};
