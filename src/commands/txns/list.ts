import { LIST_EXITS } from '../../exits.ts';
import { verb } from '../define.ts';
import { showList } from '../lists.ts';
import { openListFlags } from '../open-list.ts';
import { transactionColumns } from './columns.ts';
import { FILTERS, filterFlags, transactionFilters } from './filters.ts';

const { parameters: _, ...pagingFlags } = openListFlags;

export const list = verb({
  name: 'list',
  summary: 'List transactions with their legs',
  about: `${FILTERS}\n\nThe presets stand for what were endpoints of their own in the previous API.`,
  flags: { ...filterFlags, ...pagingFlags },
  examples: [
    { says: 'What is left to categorize', line: 'cryptodata txns --preset uncategorized --all' },
    { says: 'Large gains to review', line: 'cryptodata txns --preset high-pnl --min-total-gains 1000 --all' },
    {
      says: 'What lacks a price, by id',
      line: 'cryptodata txns --has-missing-price --all --csv --columns id',
    },
    {
      says: 'In a span, where the service calls its ends startTime and endTime',
      line: 'cryptodata txns -q startTime=1735689600000 -q endTime=1767225599999',
    },
  ],
  prints:
    'Transactions as served (json, jsonl), with every field that came (csv), or their time and legs (table): +1.5 ETH comes in, -20 USDC goes out.\nOn stderr: how many of how many are shown, where not all are.',
  exits: LIST_EXITS,
  reads: true,
  async run(context, { limit, offset, all, columns, ...flags }) {
    const filters = transactionFilters(flags);
    const client = await context.client();
    return showList(context, {
      identified: true,
      listing: client.transactions.list({ ...filters, limit, offset }).asServed(),
      all: all === true,
      limit,
      offset,
      columns: transactionColumns((await context.format()) === 'table' ? 'signed' : 'unsigned'),
      chosen: columns,
      what: 'transactions',
    });
  },
});
