import { ledgers } from '../../api/ledgers.ts';
import { ShownNames } from '../../app/accounts.ts';
import { listFlags } from '../../app/list-verb.ts';
import { showList } from '../../app/lists.ts';
import { SUM, SUMS_HELP, sumByFlag, summedBy, sumRows } from '../../app/sums.ts';
import { columnsFlagOf } from '../../cli/common-flags.ts';
import { verb } from '../../cli/define.ts';
import { LIST_EXITS } from '../../cli/exits.ts';
import { listOf, served } from '../../cli/output.ts';
import { usageError } from '../../core/errors.ts';
import { LEDGER_COLUMNS, ledgerColumns } from '../../formats/ledger-columns.ts';
import { RowCheck } from '../../read/row-check.ts';
import { filterFlags, ledgerQuery, sortFlags } from './filters.ts';
import { NAMES_HELP } from './names.ts';

export const list = verb({
  name: 'list',
  summary: 'List ledgers, newest first',
  about: `Without --all or --limit, the command shows one page of 50 rows, and the total. Days are whole days in your time zone (--tz). A period includes its first and last day.

${SUMS_HELP} Like --all, --sum-by reads all pages.

${NAMES_HELP}`,
  flags: {
    ...filterFlags,
    ...sortFlags,
    limit: listFlags.limit,
    offset: listFlags.offset,
    all: listFlags.all,
    sumBy: sumByFlag,
    columns: columnsFlagOf(() => LEDGER_COLUMNS),
  },
  examples: [
    { says: 'List the newest legs', line: 'cryptodata ledgers' },
    {
      says: 'Count legs with a negative running balance',
      line: 'cryptodata ledgers list --lt-after-balance 0 --all --json | jq length',
    },
    {
      says: 'Write the fees in a quarter as CSV',
      line: 'cryptodata ledgers list --types fee --period 2025-Q3 --all --csv > fees.csv',
    },
    {
      says: "Sum a year's profit by month",
      line: 'cryptodata ledgers list --period 2025 --sum-by month',
    },
    { says: 'Add columns', line: 'cryptodata ledgers list --columns +transactionId,+asset.name' },
  ],
  prints:
    'Ledgers as served (json, jsonl), or with the columns of the specification (csv; "time" is "timestamp" as ISO 8601, "wallet" and "symbol" are names).\nWith --sum-by: records with the keys and { legs, incoming, outgoing, fee, net, incomingValue, …, profit, profitUnknown }.\nIf rows are omitted, stderr contains the number of rows shown and the total number of rows.',
  output: [listOf(served(ledgers.record)), listOf(SUM, 'with --sum-by')],
  exits: LIST_EXITS,
  reads: true,
  async run(context, { limit, offset, all, columns, sumBy, sortBy, sortOrder, ...flags }) {
    const sums = await summedBy(context, { ...flags, sumBy, columns });
    if (sums && offset !== undefined) {
      throw usageError('--offset cannot be used with --sum-by: sums cover all rows', 'Omit one of them.');
    }
    if (sums && limit !== undefined) {
      throw usageError('--limit cannot be used with --sum-by: sums cover all rows', 'Omit one of them.');
    }
    const query = await ledgerQuery(context, flags);
    if (query.tool && offset !== undefined) {
      throw usageError('--offset cannot be combined with --wallet or --asset', 'Use --limit or --all.');
    }
    const client = await context.client();
    const filters = { ...query.filters, sortBy, sortOrder, offset };
    const names = new ShownNames(context, columns, { formats: ['table', 'csv'] });
    const listing = client.ledgers.list(filters).asServed();
    const outcome = await showList(context, {
      listing,
      check: new RowCheck(ledgers, query.filters),
      all: all === true || sums !== undefined,
      limit,
      offset,
      keep: query.keep,
      search: query.tool !== undefined,
      whyEmpty: query.whyEmpty,
      // The request covers slightly more than the span, so the service's total may include rows that are not printed.
      approximate: query.span.from !== undefined || query.span.to !== undefined,
      columns: ledgerColumns(names.nameOf),
      chosen: columns,
      what: ledgers,
    });
    const notes = () => [...(outcome.notes?.() ?? []), ...query.notes(), ...names.notes()];
    if (sums) return sumRows({ ...outcome, notes }, sums, columns);
    return { ...outcome, notes, rows: names.over(outcome.rows) };
  },
});
