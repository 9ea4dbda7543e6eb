import { transactions } from '../../api/transactions.ts';
import { listVerb } from '../../app/lists.ts';
import { periodIn } from '../../app/period.ts';
import { usageError } from '../../core/errors.ts';
import { isUnlimited } from '../../core/span.ts';
import { transactionColumns } from './columns.ts';
import { FILTERS, presetFlag, spanFlags, transactionQuery } from './filters.ts';
import { InSpan } from './selected.ts';

export const listTransactions = listVerb(transactions, {
  name: 'list',
  summary: 'List transactions with their legs',
  about: `${FILTERS}\n\nThe presets replace separate endpoints of the legacy API.`,
  flags: { ...presetFlag, ...spanFlags },
  examples: {
    'List uncategorized transactions': 'cryptodata txns --preset uncategorized --all',
    'List large gains': 'cryptodata txns --preset high-pnl --min-total-gains 1000 --all',
    'List the ids of transactions without a price':
      'cryptodata txns --has-missing-price --all --csv --columns id',
    'List the transactions in a quarter': 'cryptodata txns --period 2025-Q3 --all',
  },
  prints:
    'Transactions: as the service sent them (json, jsonl), with a column for each field (csv), or with time and legs (table). In a table, +1.5 ETH is incoming, and -20 USDC is outgoing.\nIf rows are omitted, stderr contains the number of rows shown and the total number of rows.',
  columns: transactionColumns('signed'),
  async select(context, { offset, from, to, period, fiscalYearStart, ...flags }) {
    const query = transactionQuery(flags);
    const span = await periodIn(context, { from, to, period, fiscalYearStart });
    const columns = transactionColumns((await context.format()) === 'table' ? 'signed' : 'unsigned');
    if (isUnlimited(span)) return { query, columns };
    if (offset !== undefined) {
      throw usageError(
        '--offset cannot be used with a period',
        'The offset would also count transactions outside the period. Omit --offset or the period.',
      );
    }
    const sieve = new InSpan(span, (await context.view()).timeZone);
    return { query, columns, sieve, search: true };
  },
  listing: (client, query) => client.transactions.list(query),
});
