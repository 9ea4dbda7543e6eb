import { holdings } from '../../api/holdings.ts';
import type { ColumnsFrom } from '../../formats/columns.ts';
import { columnsAfter } from '../../formats/open.ts';
import { listVerb } from '../list-verb.ts';

const IDS = ['assetId', 'asset.tokenId'];

/** A table needs no ids if a symbol names the asset: `--columns` still has them. */
const columns: ColumnsFrom = (records) => {
  const found = columnsAfter(holdings.columns)(records);
  const isNamed = records.length > 0 && found.table.some(({ header, key }) => (header ?? key) === 'symbol');
  return isNamed ? { ...found, table: found.table.filter(({ key }) => !IDS.includes(key)) } : found;
};

export const list = listVerb(holdings, {
  summary: 'List token holdings and their total value',
  about:
    'A roiPercentage of null means that no cost basis is recorded: tables show "unknown", and never 0. The parameters of this endpoint are not specified; -q passes any.',
  examples: [
    { says: 'What is held', line: 'cryptodata holdings --all' },
    {
      says: 'Which have no cost basis?',
      line: 'cryptodata holdings --all --json | jq -r ".[] | select(.roiPercentage == null) | .assetId"',
    },
    { says: 'Without spam', line: 'cryptodata holdings --all --json | jq "map(select(.isSpam | not))"' },
  ],
  columns,
  listing: (client, query) => client.holdings.list(query),
});
