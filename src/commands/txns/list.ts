import { transactions } from '../../api/transactions.ts';
import { checkedList, listFlags } from '../../app/list-verb.ts';
import { sentLimit, showList } from '../../app/lists.ts';
import { periodIn } from '../../app/period.ts';
import { columnsFlagOf } from '../../cli/common-flags.ts';
import { verb } from '../../cli/define.ts';
import { LIST_EXITS } from '../../cli/exits.ts';
import { alsoNotes } from '../../cli/outcome.ts';
import { listOf, served } from '../../cli/output.ts';
import { gravestFirst, usageError } from '../../core/errors.ts';
import { transactionColumns } from './columns.ts';
import { FILTERS, filterFlags, spanFlags, transactionFilters } from './filters.ts';
import { InSpan } from './selected.ts';

const { parameters: _, ...pagingFlags } = listFlags;

export const list = verb({
  name: 'list',
  summary: 'List transactions with their legs',
  about: `${FILTERS}\n\nThe presets replace separate endpoints of the legacy API.`,
  flags: {
    ...{ ...filterFlags, ...spanFlags, ...pagingFlags },
    columns: columnsFlagOf(() => transactionColumns('signed')),
  },
  examples: [
    { says: 'List uncategorized transactions', line: 'cryptodata txns --preset uncategorized --all' },
    {
      says: 'List large gains',
      line: 'cryptodata txns --preset high-pnl --min-total-gains 1000 --all',
    },
    {
      says: 'List the ids of transactions without a price',
      line: 'cryptodata txns --has-missing-price --all --csv --columns id',
    },
    { says: 'List the transactions in a quarter', line: 'cryptodata txns --period 2025-Q3 --all' },
  ],
  prints:
    'Transactions: as the service sent them (json, jsonl), with a column for each field (csv), or with time and legs (table). In a table, +1.5 ETH is incoming, and -20 USDC is outgoing.\nIf rows are omitted, stderr contains the number of rows shown and the total number of rows.',
  output: [listOf(served(transactions.record))],
  exits: LIST_EXITS,
  reads: true,
  async run(context, { limit, offset, all, columns, from, to, period, fiscalYearStart, ...flags }) {
    const filters = transactionFilters(flags);
    const span = await periodIn(context, { from, to, period, fiscalYearStart });
    const selected = new InSpan(span, (await context.view()).timeZone);
    if (selected.isLimited && offset !== undefined) {
      throw usageError(
        '--offset cannot be used with a period',
        'The offset would also count transactions outside the period. Omit --offset or the period.',
      );
    }
    const client = await context.client();
    const paging = selected.isLimited ? {} : { limit: sentLimit(limit), offset };
    const outcome = await showList(context, {
      ...(await checkedList(context, transactions, { ...filters, ...paging }, client.transactions.list)),
      all: all === true,
      search: selected.isLimited,
      limit,
      offset,
      ...(selected.isLimited ? { keep: (row) => selected.has(row) } : {}),
      columns: transactionColumns((await context.format()) === 'table' ? 'signed' : 'unsigned'),
      chosen: columns,
    });
    const errors = () => gravestFirst([outcome.failed?.(), selected.failed()]);
    return {
      ...outcome,
      notes: () => [...(outcome.notes?.() ?? []), ...selected.notes(), ...alsoNotes(errors().slice(1))],
      failed: () => errors()[0],
    };
  },
});
