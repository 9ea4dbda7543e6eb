import { ledgers } from '../../api/ledgers.ts';
import { bool, int, nullable, text as string } from '../../api/records.ts';
import { noNames } from '../../app/accounts.ts';
import {
  ABOUT_FILE,
  booksOf,
  type ExportFlags,
  exportFlags,
  placeOf,
  servedNames,
  sheetNotes,
  toStdout,
} from '../../app/exports.ts';
import {
  type ChosenJournal,
  checkJournalFlags,
  checkWholeTransactions,
  JOURNALS_HELP,
  journalFlags,
  journalOf,
  servedOpening,
} from '../../app/journal.ts';
import { uncheckedNote } from '../../app/list-end.ts';
import { paceFlags, paceOf } from '../../app/pace.ts';
import { SUMS_HELP, type SummedBy, selectingFlags, sumByFlag, summedBy } from '../../app/sums.ts';
import { columnsFlagOf } from '../../cli/common-flags.ts';
import { type Values, verb } from '../../cli/define.ts';
import { SERVICE_EXITS } from '../../cli/exits.ts';
import { listFlag, toggle } from '../../cli/flags.ts';
import { type Note, type Outcome, warning } from '../../cli/outcome.ts';
import { listOf, made, oneOf, optional, served } from '../../cli/output.ts';
import type { Context } from '../../context.ts';
import { usageError } from '../../core/errors.ts';
import { isRecord } from '../../core/json.ts';
import { fileColumns, formFor, layoutFor } from '../../export/form.ts';
import {
  type Counts,
  exportToFile,
  exportToSink,
  type LedgerExport,
  type LegsRead,
} from '../../export/ledger-export.ts';
import { findUnverified } from '../../export/manifest.ts';
import { OutputFile } from '../../export/output-file.ts';
import type { Identity } from '../../export/resume-log.ts';
import { ColumnCheck, LOOKED_THROUGH } from '../../formats/column-check.ts';
import { PARTITION_KEYS } from '../../formats/data-set/hive.ts';
import type { Layout } from '../../formats/format.ts';
import { LEDGER_COLUMNS, ledgerColumns } from '../../formats/ledger-columns.ts';
import type { ByteSink } from '../../formats/record-file.ts';
import { exportedFormat } from '../../formats/registry.ts';
import type { LedgerSelection } from '../../read/ledger-source.ts';
import { type ChosenSelection, filteredNote, ledgerFilterFlags, ledgerSelection } from './filters.ts';
import { NAMES_HELP } from './names.ts';

const EXPORTED = made({
  file: string,
  format: optional(string),
  rows: optional(int),
  rowsRead: optional(int),
  groups: optional(int),
  files: optional(int),
  bytes: int,
  sha256: optional(string),
  verified: bool,
  manifest: optional(string),
});

const NAMES = { symbol: nullable(string), wallet: nullable(string) };

const { out, format, overwrite, ...formFlags } = exportFlags;

const runFlags = {
  resume: toggle('--resume', 'resume an unfinished export to the same file'),
  restart: toggle('--restart', 'discard an unfinished export to the same file and start over'),
};

const partitionFlag = listFlag(
  '--partition-by <keys>',
  `split the export by these keys into a Hive-style folder of Parquet files: ${PARTITION_KEYS.join(', ')}`,
  PARTITION_KEYS,
);

export const exportLedgersVerb = verb({
  name: 'export',
  summary: 'Export ledgers to a file and verify that no row is missing',
  about: `Rows are written oldest first. If the period has no end, or is not over, the export ends with the last ledger that exists when it starts. The time range is split into windows, which are read in parallel. Each window is read until the number of distinct ids equals the service's total for the window. At the end, the command requests the total for the whole range again and checks that no rows were added meanwhile. If everything matches, the command prints "verified". If anything differs, the command still writes the file, but exits with 12. FILE.manifest.json records the request, the rows read and the checks; cryptodata ledgers verify FILE repeats the checks.

The file appears under its name only when it is complete; an existing file is not replaced without --overwrite. Until the export is complete, rows are kept in FILE.part. After Ctrl-C, a crash, a full disk or a network failure, repeat the command with --resume.

Files of every format contain the names of accounts (wallet) and assets (symbol) beside their ids. If the accounts cannot be read, wallet is empty, and the manifest contains the reason. The verification, ledgers verify and ledgers diff ignore the names.

Decimal strings are written unchanged. In CSV, text that a spreadsheet would run as a formula gets a leading apostrophe. Control characters and invisible characters are written as escapes such as \\u001b. --csv-guard off disables both.

${SUMS_HELP} --sum-by also reads and verifies all rows.

${JOURNALS_HELP}

${NAMES_HELP} The verification covers all legs that were read. The manifest records the filter and the numbers of legs read and written.`,
  reads: true,
  flags: {
    out,
    format,
    overwrite,
    ...ledgerFilterFlags,
    sumBy: sumByFlag,
    ...formFlags,
    columns: columnsFlagOf(() => LEDGER_COLUMNS),
    partitionBy: partitionFlag,
    ...journalFlags,
    ...runFlags,
    ...paceFlags,
  },
  examples: {
    'Export a year as CSV': 'cryptodata ledgers export --period 2025 --out ledgers-2025.csv',
    'Export for Excel, with dates in the Berlin time zone':
      'cryptodata ledgers export --period 2025 --tz Europe/Berlin --csv-dialect excel --out 2025.csv',
    'Resume an unfinished export': 'cryptodata ledgers export --period 2025 --out ledgers-2025.csv --resume',
    'Export exact sums by asset and month':
      'cryptodata ledgers export --period 2025 --sum-by asset,month --out sums-2025.xlsx',
    'Export for DuckDB, Spark or a data warehouse': 'cryptodata ledgers export --out ledgers.parquet',
    'Export a data set with one folder per month':
      'cryptodata ledgers export --out ledgers --partition-by year,month',
    'Export a journal for hledger': 'cryptodata ledgers export --period 2025 --out 2025.journal',
    'Export monthly journals for Xero':
      'cryptodata ledgers export --period 2025 --format xero --accounts accounts.txt --roll-up month --out xero-2025',
    'Send every field, and account and asset names, to another program':
      'cryptodata ledgers export --out - --format jsonl | gzip > ledgers.jsonl.gz',
  },
  prints:
    'A record { file, format, rows, bytes, sha256, verified, manifest }. With --sum-by, the record also has the field "groups". If the tool itself filters the rows, the record also has the field "rowsRead".\nWith --out -: the exported ledgers instead of the record.\nOn stderr: the progress, and whether the rows were verified.',
  output: [oneOf(EXPORTED), listOf(served({ ...ledgers.record, ...NAMES }), 'with --out -')],
  exits: [...SERVICE_EXITS, 12],
  prepare: async (context, flags) => {
    await placeFor(context, flags);
  },
  async run(context, { resume, restart, ...flags }) {
    if (resume && restart)
      throw usageError('--resume and --restart cannot be used together', 'Use one or the other.');
    const place = await placeFor(context, flags);
    const { path: file, target, special, partitionBy } = place;
    const request = await requestOf(context, place, flags, resume);
    if (target === undefined || special) {
      const write = async (sink: ByteSink) => {
        const exported = await exportToSink(request, sink);
        if (!exported.claim.verified) throw findUnverified('The export', exported.claim.why);
        return notesOf(request, exported, flags.period);
      };
      return file === undefined ? toStdout(write) : toSpecial(context, file, write);
    }
    const existing = resume ? 'resume' : restart ? 'restart' : 'refuse';
    const whole = { ...request, partitionBy, overwrite: flags.overwrite };
    const exported = await exportToFile(whole, target, existing);
    const { path, rows, rowsWritten, groups, bytes, sha256, files, claim, manifest } = exported;
    if (!claim.verified) throw findUnverified(`${path} is written, but it`, claim.why, manifest);
    const notes = await notesOf(request, exported, flags.period, ` See ${manifest}`);
    const counts = {
      ...(request.selection.tool ? { rows: rowsWritten, rowsRead: rows } : { rows }),
      ...(groups === undefined ? {} : { groups }),
      ...(files ? { files: files.length } : {}),
    };
    const hash = sha256 === undefined ? {} : { sha256 };
    const record = { file: path, format: place.format, ...counts, bytes, ...hash, verified: true, manifest };
    return { ...ABOUT_FILE, record, notes: () => notes };
  },
});

/** @throws CryptodataError if the file cannot be written; thrown before the first request */
async function placeFor(context: Context, flags: ExportValues) {
  const partitionBy = partitionsOf(flags);
  const format = partitionBy ? ('parquet' as const) : flags.format;
  const place = await placeOf(context, { ...flags, format, partitionBy }, 'ledgers');
  checkJournalFlags(place.format, flags);
  return { ...place, partitionBy };
}

type ChosenPlace = Awaited<ReturnType<typeof placeFor>>;

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

/** Checks `--columns` against one page of the query, so that a typo is reported before a long export. */
async function checkColumns(
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

interface ExportRequest extends LedgerExport {
  readonly selection: ChosenSelection;
  readonly layout: Layout & {
    readonly sums: SummedBy | undefined;
    readonly journal: ChosenJournal | undefined;
  };
}

/** @throws usage error if the flags contradict each other, or if they cannot be used with a stream */
async function requestOf(
  context: Context,
  place: ChosenPlace,
  flags: ExportValues,
  resume: boolean | undefined,
): Promise<ExportRequest> {
  const accountNames = await servedNames(context);
  const sums = await summedBy(context, flags, accountNames.nameOf);
  const selection = await ledgerSelection(context, selectingFlags(flags, sums));
  const readOpening = flags.opening ? () => servedOpening(context, selection) : undefined;
  if (exportedFormat(place.format).file.journal) checkWholeTransactions(selection);
  const journal = await journalOf(context, place.format, { ...flags, selection, readOpening });
  await checkColumns(context, selection, sums ? [] : flags.columns);
  if (place.target === undefined || place.special) checkStream(place, resume);
  const columns = fileColumns(sums?.columns ?? ledgerColumns(accountNames.nameOf), flags.columns);
  const options = { ...flags, format: place.format };
  const view = await context.view();
  const layout = { ...layoutFor(options, view, columns), sums, journal };
  const identity = await identityOf(context, formFor(options, view), flags, selection, layout);
  const client = await context.client();
  return { accountNames, client, selection, layout, identity, ...paceOf(context, flags) };
}

/** @throws usage error for a flag that only an export to a file accepts */
function checkStream({ partitionBy }: ChosenPlace, resume: boolean | undefined): void {
  if (partitionBy) {
    throw usageError('Cannot write a data set to a stream', 'Choose a folder: --out ledgers.', 'NO_FOLDER');
  }
  if (!resume) return;
  throw usageError(
    'Cannot resume an export to a stream',
    'Write to a file with --out FILE, then use --resume.',
    'CANNOT_RESUME',
  );
}

/** Describes the request for the manifest. An unfinished export can be resumed only with the same request. */
async function identityOf(
  context: Context,
  form: Identity,
  flags: ExportValues,
  { filters, span, sent, tool }: ChosenSelection,
  { sums, journal }: ExportRequest['layout'],
): Promise<LedgerExport['identity']> {
  const { extra, ...named } = filters;
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

/** Returns notes on the columns, on the rows that were selected, and on what was verified. */
async function notesOf(
  { selection: { tool, notes, whyEmpty }, layout: { sums, journal } }: ExportRequest,
  { names, sheets, rows, rowsWritten, claim, unchecked }: LegsRead & Counts,
  period: string | undefined,
  see = '',
): Promise<Note[]> {
  const where = period === undefined ? '' : ` (--period ${period})`;
  const none = warning(`warning: The export has no rows: no ledger matches${where}.`);
  return [
    ...sheetNotes(sheets),
    ...noNames(names?.missing),
    ...(sums?.notes() ?? []),
    ...(journal?.notes() ?? []),
    ...notes,
    ...(rowsWritten === 0 ? [none] : []),
    ...(tool ? [filteredNote(rowsWritten, rows)] : []),
    ...(rows === 0 ? await whyEmpty() : []),
    { text: `${claim.text()}${see}` },
    ...uncheckedNote(unchecked),
  ];
}

/** Exports to a named pipe or a device, without a manifest. The export cannot be resumed. */
async function toSpecial(
  context: Context,
  path: string,
  write: (sink: ByteSink) => Promise<readonly Note[]>,
): Promise<Outcome> {
  let notes: readonly Note[] = [];
  const { bytes, sha256 } = await OutputFile.fill(path, { signal: context.signal }, async (file) => {
    notes = await write(file);
  });
  const record = { file: path, bytes, sha256, verified: true };
  return { ...ABOUT_FILE, record, notes: () => notes };
}
