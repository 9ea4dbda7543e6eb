import { ledgers } from '../../api/ledgers.ts';
import { ShownNames } from '../../app/accounts.ts';
import { listVerb } from '../../app/lists.ts';
import { periodFlags } from '../../app/period.ts';
import { SUM, SUMS_HELP, selectingFlags, sumByFlag, summedBy } from '../../app/sums.ts';
import { listOf, served } from '../../cli/output.ts';
import { type CryptodataError, usageError } from '../../core/errors.ts';
import { isUnlimited } from '../../core/span.ts';
import { LEDGER_COLUMNS, ledgerColumns } from '../../formats/ledger-columns.ts';
import { ledgerQuery, whyNoLegs } from './filters.ts';
import { NAMES_HELP, nameFlags } from './names.ts';

export const listLedgers = listVerb(ledgers, {
  summary: 'List ledgers, newest first',
  about: `Without --all or --limit, the command shows one page of 50 rows, and the total. Days are whole days in your time zone (--tz). A period includes its first and last day.

${SUMS_HELP} Like --all, --sum-by reads all pages.

${NAMES_HELP}`,
  flags: { ...nameFlags, ...periodFlags, sumBy: sumByFlag },
  examples: {
    'List the newest legs': 'cryptodata ledgers',
    'Count legs with a negative running balance':
      'cryptodata ledgers list --lt-after-balance 0 --all --json | jq length',
    'Write the fees in a quarter as CSV':
      'cryptodata ledgers list --types fee --period 2025-Q3 --all --csv > fees.csv',
    "Sum a year's profit by month": 'cryptodata ledgers list --period 2025 --sum-by month',
    'Show the label of each leg, and whether a user edited the leg':
      'cryptodata ledgers list --columns +label,+internalLabel,+isEdited',
    'Add columns': 'cryptodata ledgers list --columns +transactionId,+asset.name',
  },
  prints:
    'Ledgers as served (json, jsonl), or with the columns of the specification (csv). In CSV, "time" is "timestamp" as ISO 8601, and "wallet" and "symbol" are names.\nWith --sum-by: records with the keys and { legs, incoming, outgoing, fee, net, incomingValue, …, profit, profitUnknown }.\nIf rows are omitted, stderr contains the number of rows shown and the total number of rows.',
  output: [listOf(served(ledgers.record)), listOf(SUM, 'with --sum-by')],
  columns: LEDGER_COLUMNS,
  async select(context, { limit, offset, columns: chosen, sumBy, ...flags }) {
    const sums = await summedBy(context, { ...flags, sumBy, columns: chosen });
    if (sums && offset !== undefined) throw withSums('--offset');
    if (sums && limit !== undefined) throw withSums('--limit');
    const query = await ledgerQuery(context, selectingFlags(flags, sums));
    const { filters, span, tool } = query;
    if (tool && offset !== undefined) {
      throw usageError('--offset cannot be combined with --wallet or --asset', 'Use --limit or --all.');
    }
    const names = new ShownNames(context, chosen, { formats: ['table', 'csv'] });
    return {
      query: filters,
      // The request also selects some rows shortly before and after the span, so filter the rows again.
      sieve: tool || !isUnlimited(span) ? query : undefined,
      search: tool !== undefined,
      whyEmpty: (counts) => whyNoLegs(context, query, counts),
      columns: sums?.columns ?? ledgerColumns(names.nameOf),
      ...(sums ? { extent: { all: true }, sums } : { steps: [names] }),
    };
  },
  listing: (client, query) => client.ledgers.list(query),
});

function withSums(flag: string): CryptodataError {
  return usageError(`${flag} cannot be used with --sum-by: sums cover all rows`, 'Omit one of them.');
}
