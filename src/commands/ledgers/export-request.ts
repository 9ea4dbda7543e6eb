import { booksOf, type ExportFlags, type ExportPlace, formOf, layoutOf, placeOf } from '../../app/exports.ts';
import { type ChosenJournal, checkJournalFlags, type journalFlags } from '../../app/journal.ts';
import { type paceFlags, paceOf } from '../../app/pace.ts';
import type { SummedBy } from '../../app/sums.ts';
import type { Values } from '../../cli/define.ts';
import { listFlag } from '../../cli/flags.ts';
import type { Context } from '../../context.ts';
import { usageError } from '../../core/errors.ts';
import { isRecord } from '../../core/json.ts';
import type { AccountNames } from '../../export/account-names.ts';
import { fileColumns } from '../../export/form.ts';
import type { LedgerExport } from '../../export/ledger-export.ts';
import { ColumnCheck, LOOKED_THROUGH } from '../../formats/column-check.ts';
import { PARTITION_KEYS } from '../../formats/data-set/hive.ts';
import { LEDGER_COLUMNS, ledgerColumns } from '../../formats/ledger-columns.ts';
import type { LedgerSelection } from '../../read/ledger-source.ts';
import type { ChosenSelection, ledgerFilterFlags } from './filters.ts';

export const partitionFlag = listFlag(
  '--partition-by <keys>',
  `split the export by these keys into a Hive-style folder of Parquet files: ${PARTITION_KEYS.join(', ')}`,
  PARTITION_KEYS,
);

/** @throws CryptodataError if the file cannot be written; thrown before the first request */
export async function placeFor(context: Context, flags: ExportValues) {
  const partitionBy = partitionsOf(flags);
  const format = partitionBy ? ('parquet' as const) : flags.format;
  const place = await placeOf(context, { ...flags, format, partitionBy }, 'ledgers');
  checkJournalFlags(place.format, flags);
  return { ...place, partitionBy };
}

/** @throws usage error if the flags cannot be combined with `--partition-by` */
function partitionsOf({
  partitionBy,
  format,
  sumBy,
}: Pick<ExportValues, 'partitionBy' | 'format' | 'sumBy'>) {
  if (partitionBy === undefined) return undefined;
  if (format !== undefined && format !== 'parquet') {
    throw usageError(
      '--partition-by requires Parquet',
      'Omit --format or --partition-by.',
      'PARTITION_FORMAT',
    );
  }
  if (sumBy !== undefined) {
    throw usageError('--partition-by and --sum-by cannot be used together', 'Use one or the other.');
  }
  return PARTITION_KEYS.filter((key) => partitionBy.includes(key));
}

type ExportValues = ExportFlags &
  Values<typeof ledgerFilterFlags> & {
    readonly sumBy: readonly string[] | undefined;
    readonly partitionBy: readonly string[] | undefined;
  } & Values<typeof journalFlags> &
  Values<typeof paceFlags>;

/** Names of accounts, and the sums or the journal that the file contains instead of legs. */
export interface FileContents {
  readonly accountNames: AccountNames;
  readonly sums: SummedBy | undefined;
  readonly journal: ChosenJournal | undefined;
}

/** Checks `--columns` against one page of the query, so that a typo is reported before a long export. */
export async function checkColumns(
  context: Context,
  { filters, span, sent }: LedgerSelection,
  chosen: readonly string[] = [],
): Promise<void> {
  const check = new ColumnCheck(chosen, [...LEDGER_COLUMNS.csv, ...LEDGER_COLUMNS.table]);
  if (!check.isOpen) return;
  const bounds = { startTime: span.from ?? sent.startTime, endTime: span.to ?? sent.endTime };
  const client = await context.client();
  const page = await client.ledgers
    .list({ ...filters, ...bounds, limit: LOOKED_THROUGH })
    .asServed()
    .page();
  for await (const _ of check.over(page.rows.filter(isRecord)));
}

export async function requestOf(
  context: Context,
  place: ExportPlace,
  flags: ExportValues,
  selection: ChosenSelection,
  { accountNames, sums, journal }: FileContents,
): Promise<LedgerExport & { readonly selection: ChosenSelection }> {
  const columns = fileColumns(sums?.columns ?? ledgerColumns(accountNames.nameOf), flags.columns);
  const layout = await layoutOf(context, place, flags, columns);
  return {
    accountNames,
    client: await context.client(),
    selection,
    layout: { ...layout, sums, journal },
    identity: await identityOf(context, place, flags, selection, { sums, journal }),
    ...paceOf(context, flags),
  };
}

/** Describes the request for the manifest. An unfinished export can be resumed only with the same request. */
async function identityOf(
  context: Context,
  place: ExportPlace,
  flags: ExportValues,
  { filters, span, sent, tool }: ChosenSelection,
  { sums, journal }: Omit<FileContents, 'accountNames'>,
): Promise<LedgerExport['identity']> {
  const { extra, ...named } = filters;
  const form = await formOf(context, place, flags);
  return {
    ...(await booksOf(context)),
    filters: { ...named, ...extra, ...sent },
    ...(tool ? { filteredInTool: tool } : {}),
    span,
    form: {
      ...form,
      ...(flags.partitionBy ? { partitionBy: flags.partitionBy } : {}),
      ...(sums ? { sumBy: sums.by, timeZone: sums.timeZone } : {}),
      ...(sums?.yearStart === undefined ? {} : { fiscalYearStart: sums.yearStart }),
      ...(journal ? { journal: journal.form } : {}),
    },
  };
}
