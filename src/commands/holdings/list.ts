import { holdings } from '../../api/holdings.ts';
import { listVerb } from '../../app/lists.ts';
import type { ColumnsFrom } from '../../formats/columns.ts';
import { columnsAfter } from '../../formats/open.ts';

const IDS = ['assetId', 'asset.tokenId'];

/** Tables omit the asset id if the records contain symbols. `--columns` can still select the id. */
const columnsFrom: ColumnsFrom = (records) => {
  const found = columnsAfter(holdings.columns)(records);
  const isNamed = records.length > 0 && found.table.some(({ header, key }) => (header ?? key) === 'symbol');
  return isNamed ? { ...found, table: found.table.filter(({ key }) => !IDS.includes(key)) } : found;
};

export const listHoldings = listVerb(holdings, {
  summary: 'List token holdings and their total value',
  about:
    'A roiPercentage of null means that no cost basis is recorded. Tables show null as "unknown", never as 0. The specification lists no parameters for this endpoint. Use -q to send any parameter.',
  examples: [
    { says: 'List all token holdings', line: 'cryptodata holdings --all' },
    {
      says: 'List assets without a cost basis',
      line: 'cryptodata holdings --all --json | jq -r ".[] | select(.roiPercentage == null) | .assetId"',
    },
    { says: 'Omit spam', line: 'cryptodata holdings --all --json | jq "map(select(.isSpam | not))"' },
  ],
  columns: columnsFrom,
  listing: (client, query) => client.holdings.list(query),
});
