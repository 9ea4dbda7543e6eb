import { ledgers } from '../../api/ledgers.ts';
import { bool, int, text as string } from '../../api/records.ts';
import { columnsFlagOf } from '../../cli/common-flags.ts';
import { type Values, verb } from '../../cli/define.ts';
import { SERVICE_EXITS } from '../../cli/exits.ts';
import { durationOr, integer, integerOr, list, toggle } from '../../cli/flags.ts';
import type { Note, Outcome } from '../../cli/outcome.ts';
import { listOf, made, oneOf, optional, served } from '../../cli/output.ts';
import type { Context } from '../../context.ts';
import { usageError } from '../../core/errors.ts';
import { isRecord } from '../../core/json.ts';
import { exportToFile, exportToSink, type LedgerExport } from '../../export/ledger-export.ts';
import { unverified } from '../../export/manifest.ts';
import { OutputFile } from '../../export/output-file.ts';
import { ColumnCheck, LOOKED_THROUGH } from '../../formats/column-check.ts';
import { chooseColumns } from '../../formats/columns.ts';
import { PARTITION_KEYS } from '../../formats/data-set/hive.ts';
import { LEDGER_COLUMNS } from '../../formats/ledger-columns.ts';
import { openColumns } from '../../formats/open.ts';
import type { ByteSink } from '../../formats/record-file.ts';
import type { LedgerSelection } from '../../read/ledger-source.ts';
import {
  booksOf,
  complaints,
  type ExportFlags,
  exportFlags,
  formOf,
  layoutOf,
  type Place,
  placeOf,
  progressOf,
  toStdout,
  uncheckedNote,
} from '../exports.ts';
import { type ChosenSelection, filteredNote, filterFlags, ledgerSelection } from './filters.ts';
import {
  type ChosenJournal,
  checkJournalFlags,
  checkWholeTransactions,
  JOURNALS_HELP,
  journalFlags,
  journalOf,
} from './journal.ts';
import { NAMES_HELP } from './names.ts';
import { SUMS_HELP, type SummedBy, sumByFlag, summedBy } from './sums.ts';

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

const { out, format, overwrite, ...formFlags } = exportFlags;

const partitionFlag = list(
  '--partition-by <keys>',
  `write a folder of Parquet files, a Hive-style data set: ${PARTITION_KEYS.join(', ')}`,
  PARTITION_KEYS,
);

const runFlags = {
  resume: toggle('--resume', 'resume an unfinished export of the same file'),
  restart: toggle('--restart', 'discard an unfinished export of the same file and start over'),
  concurrency: integerOr('--concurrency <n>', 'maximum parallel requests', { min: 1, max: 64 }, 16),
  maxRps: integer('--max-rps <n>', 'maximum requests per second', { min: 1 }),
  patience: durationOr(
    '--patience <duration>',
    'keep retrying for this long after the last successful response',
    { min: 0 },
    60,
  ),
};

export const exportLedgers = verb({
  name: 'export',
  summary: 'Export ledgers to a file and verify that no row is missing',
  about: `Rows are written oldest first, up to the last ledger that exists when the export starts; later ledgers are not included. The time range is split into windows, which are read in parallel. Each window is read until its number of distinct ids equals the service's total. At the end, the command requests the total of the whole range again and looks for rows that were added meanwhile. If everything matches, it prints "verified"; otherwise it writes the file and exits with 12. FILE.manifest.json records the request, the rows read and the checks; cryptodata ledgers verify FILE repeats the checks.

The file appears under its name only when it is complete; an existing file is not replaced without --overwrite. Rows that were read are kept in FILE.part. After Ctrl-C, a crash, a full disk or a network failure, repeat the command with --resume.

Decimal strings are written character for character. In CSV, text that a spreadsheet would run as a formula gets a leading apostrophe, and control and invisible characters are written as \\u001b; --csv-guard off disables both.

${SUMS_HELP} The rows are read and verified as for any export.

${JOURNALS_HELP}

${NAMES_HELP} The verification covers all legs that were read. The manifest records the filter, and how many legs were read and written.`,
  reads: true,
  flags: {
    out,
    format,
    overwrite,
    ...filterFlags,
    sumBy: sumByFlag,
    ...formFlags,
    columns: columnsFlagOf(() => LEDGER_COLUMNS),
    partitionBy: partitionFlag,
    ...journalFlags,
    ...runFlags,
  },
  examples: [
    { says: 'Export a year as CSV', line: 'cryptodata ledgers export --period 2025 --out ledgers-2025.csv' },
    {
      says: 'Export for Excel, with days in the Berlin time zone',
      line: 'cryptodata ledgers export --period 2025 --tz Europe/Berlin --csv-dialect excel --out 2025.csv',
    },
    {
      says: 'Resume an unfinished export',
      line: 'cryptodata ledgers export --period 2025 --out ledgers-2025.csv --resume',
    },
    {
      says: 'Export exact sums by asset and month',
      line: 'cryptodata ledgers export --period 2025 --sum-by asset,month --out sums-2025.xlsx',
    },
    {
      says: 'Export for DuckDB, Spark or a data warehouse',
      line: 'cryptodata ledgers export --out ledgers.parquet',
    },
    {
      says: 'Export a data set with one folder per month',
      line: 'cryptodata ledgers export --out ledgers --partition-by year,month',
    },
    {
      says: 'Export a journal for hledger',
      line: 'cryptodata ledgers export --period 2025 --out 2025.journal',
    },
    {
      says: 'Export monthly journals for Xero',
      line: 'cryptodata ledgers export --period 2025 --format xero --accounts accounts.txt --roll-up month --out xero-2025',
    },
    {
      says: 'Pipe every field as served',
      line: 'cryptodata ledgers export --out - --format jsonl | gzip > ledgers.jsonl.gz',
    },
  ],
  prints:
    'A record { file, format, rows, bytes, sha256, verified, manifest }, with groups for --sum-by, and rowsRead if the tool filtered. With --out -, the ledgers themselves.\nOn stderr: progress, and whether the rows were verified.',
  output: [oneOf(EXPORTED), listOf(served(ledgers.record), 'with --out -')],
  exits: [...SERVICE_EXITS, 12],
  prepare: async (context, flags) => {
    await placeFor(context, flags);
  },
  async run(context, { resume, restart, ...flags }) {
    if (resume && restart)
      throw usageError('--resume and --restart cannot be used together', 'Use one or the other.');
    const { partitionBy, ...place } = await placeFor(context, flags);
    const sums = await summedBy(context, flags);
    const selection = await ledgerSelection(context, flags);
    const journal = await journalOf(context, place.format, flags);
    if (journal) checkWholeTransactions(selection);
    const contents = { sums, journal };
    const check = await checkedColumns(context, selection, sums ? [] : flags.columns);
    const { path: file, target, special } = place;
    if (target === undefined || special) {
      if (partitionBy)
        throw usageError('Cannot write a data set to a stream', 'Name a folder: --out ledgers.', 'NO_FOLDER');
      if (resume) {
        throw usageError(
          'Cannot resume an export to a stream',
          'Write to a file with --out FILE, then use --resume.',
          'CANNOT_RESUME',
        );
      }
      const write = async (sink: ByteSink) => {
        const request = await requestOf(context, place, flags, selection, contents);
        const exported = await exportToSink(request, sink);
        if (!exported.proof.verified) throw unverified('The export', exported.proof.why);
        const statement = { text: `${capital(exported.statement)}.` };
        const notes = await selectionNotes(request, exported, flags.period);
        return [...notesOf(contents), ...notes, statement, ...uncheckedNote(exported.unchecked, 'leg')];
      };
      return file === undefined ? toStdout(write, check) : toSpecial(context, file, write, check);
    }
    const existing = resume ? 'resume' : restart ? 'restart' : 'refuse';
    const request = {
      ...(await requestOf(context, place, flags, selection, contents)),
      partitionBy,
      overwrite: flags.overwrite,
    };
    const exported = await exportToFile(request, target, existing);
    const { path, rows, rowsWritten, groups, bytes, sha256, files, proof, manifest } = exported;
    if (!proof.verified) throw unverified(`${path} is written, but it`, proof.why, manifest);
    const notes = await selectionNotes(request, exported, flags.period);
    const counts = {
      ...(request.selection.tool ? { rows: rowsWritten, rowsRead: rows } : { rows }),
      ...(groups === undefined ? {} : { groups }),
      ...(files ? { files: files.length } : {}),
    };
    const hash = sha256 === undefined ? {} : { sha256 };
    const record = { file: path, format: place.format, ...counts, bytes, ...hash, verified: true, manifest };
    return {
      kind: 'record',
      record,
      columns: openColumns,
      notes: () => [
        ...complaints(check),
        ...notesOf(contents),
        ...notes,
        { text: `${capital(exported.statement)}. See ${manifest}` },
        ...uncheckedNote(exported.unchecked, 'leg'),
      ],
    };
  },
});

/** @throws CryptodataError if the file cannot be written, before any request */
async function placeFor(context: Context, flags: ExportValues) {
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
  Values<typeof filterFlags> & {
    readonly sumBy: readonly string[] | undefined;
    readonly partitionBy: readonly string[] | undefined;
  } & Values<typeof journalFlags> &
  Omit<Values<typeof runFlags>, 'resume' | 'restart'>;

/** What the file holds in place of the legs, if anything. */
interface Contents {
  readonly sums: SummedBy | undefined;
  readonly journal: ChosenJournal | undefined;
}

function notesOf({ sums, journal }: Contents): Note[] {
  return [...(sums?.notes() ?? []), ...(journal?.notes() ?? [])];
}

/** Checks `--columns` against one page of the query, so that a typo fails before a long export. */
async function checkedColumns(
  context: Context,
  { filters, span, sent }: LedgerSelection,
  chosen: readonly string[] = [],
): Promise<ColumnCheck> {
  const check = new ColumnCheck(chosen, [...LEDGER_COLUMNS.csv, ...LEDGER_COLUMNS.table]);
  if (!check.isOpen) return check;
  const bounds = { startTime: span.from ?? sent.startTime, endTime: span.to ?? sent.endTime };
  const client = await context.client();
  const page = await client.ledgers
    .list({ ...filters, ...bounds, limit: LOOKED_THROUGH })
    .asServed()
    .page();
  for await (const _ of check.over(page.rows.filter(isRecord)));
  return check;
}

async function requestOf(
  context: Context,
  place: Place,
  flags: ExportValues,
  selection: ChosenSelection,
  { sums, journal }: Contents,
): Promise<LedgerExport & { readonly selection: ChosenSelection }> {
  const { columns, concurrency, maxRps, patience } = flags;
  const known = sums?.columns ?? LEDGER_COLUMNS;
  const layout = await layoutOf(context, place, flags, {
    columns: chooseColumns(known.csv, [...known.csv, ...known.table], columns ?? []),
    known,
  });
  return {
    client: await context.client(),
    selection,
    layout: { ...layout, sums, journal },
    identity: await identityOf(context, place, flags, selection, { sums, journal }),
    concurrency,
    maxRps,
    patience: patience * 1000,
    signal: context.signal,
    now: context.now,
    onProgress: progressOf(context),
  };
}

/** The request, for the manifest. An unfinished export can be resumed only with an equal one. */
async function identityOf(
  context: Context,
  place: Place,
  flags: ExportValues,
  { filters, span, sent, tool }: ChosenSelection,
  { sums, journal }: Contents,
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
      ...(journal ? { journal: journal.form } : {}),
    },
  };
}

/** Notes: how names were resolved, how many rows the tool filtered, and why the result is empty. */
async function selectionNotes(
  { selection: { tool, notes, whyEmpty } }: { readonly selection: ChosenSelection },
  { rows, rowsWritten }: { readonly rows: number; readonly rowsWritten: number },
  period: string | undefined,
): Promise<Note[]> {
  const where = period === undefined ? '' : ` (--period ${period})`;
  const none = {
    text: `warning: The export has no rows: no ledger matches${where}.`,
    warning: true,
  };
  return [
    ...notes,
    ...(rowsWritten === 0 ? [none] : []),
    ...(tool ? [filteredNote(rowsWritten, rows)] : []),
    ...(rows === 0 ? await whyEmpty() : []),
  ];
}

/** Exports to a named pipe or a device, which has no manifest and cannot be resumed. */
async function toSpecial(
  context: Context,
  path: string,
  write: (sink: ByteSink) => Promise<readonly Note[]>,
  check: ColumnCheck,
): Promise<Outcome> {
  let notes: readonly Note[] = [];
  const { bytes, sha256 } = await OutputFile.fill(path, { signal: context.signal }, async (file) => {
    notes = await write(file);
  });
  const record = { file: path, bytes, sha256, verified: true };
  return { kind: 'record', record, columns: openColumns, notes: () => [...complaints(check), ...notes] };
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
