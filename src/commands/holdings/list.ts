import { holdings } from '../../api/holdings.ts';
import type { ColumnsFrom } from '../../formats/columns.ts';
import { columnsAfter } from '../../formats/open.ts';
import { listVerb } from '../list-verb.ts';

const IDS = ['assetId', 'asset.tokenId'];

/** Tables show no id if a symbol names the asset; `--columns` can still select it. */
const columns: ColumnsFrom = (records) => {
  const found = columnsAfter(holdings.columns)(records);
  const isNamed = records.length > 0 && found.table.some(({ header, key }) => (header ?? key) === 'symbol');
  return isNamed ? { ...found, table: found.table.filter(({ key }) => !IDS.includes(key)) } : found;
};

export const list = listVerb(holdings, {
  summary: 'List token holdings and their total value',
  about:
    'A roiPercentage of null means that no cost basis is recorded: tables show "unknown", never 0. The parameters of this endpoint are not specified; -q sends any parameter.',
  examples: [
    { says: 'List all token holdings', line: 'cryptodata holdings --all' },
    {
      says: 'List assets without a cost basis',
      line: 'cryptodata holdings --all --json | jq -r ".[] | select(.roiPercentage == null) | .assetId"',
    },
    { says: 'Omit spam', line: 'cryptodata holdings --all --json | jq "map(select(.isSpam | not))"' },
  ],
  columns,
  listing: (client, query) => client.holdings.list(query),
});
