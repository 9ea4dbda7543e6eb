import { ledgers } from '../../api/ledgers.ts';
import { bool, int, text as string } from '../../api/records.ts';
import { noNames } from '../../app/accounts.ts';
import { exportFlags, servedNames, sheetNotes, toStdout } from '../../app/exports.ts';
import {
  checkWholeTransactions,
  JOURNALS_HELP,
  journalFlags,
  journalOf,
  servedOpening,
} from '../../app/journal.ts';
import { uncheckedNote } from '../../app/list-end.ts';
import { paceFlags } from '../../app/pace.ts';
import { SUMS_HELP, selectingFlags, sumByFlag, summedBy } from '../../app/sums.ts';
import { columnsFlagOf } from '../../cli/common-flags.ts';
import { verb } from '../../cli/define.ts';
import { SERVICE_EXITS } from '../../cli/exits.ts';
import { toggle } from '../../cli/flags.ts';
import type { Note, Outcome } from '../../cli/outcome.ts';
import { listOf, made, oneOf, optional, served } from '../../cli/output.ts';
import type { Context } from '../../context.ts';
import { usageError } from '../../core/errors.ts';
import { exportToFile, exportToSink, type LegsRead } from '../../export/ledger-export.ts';
import { findUnverified } from '../../export/manifest.ts';
import { OutputFile } from '../../export/output-file.ts';
import { LEDGER_COLUMNS } from '../../formats/ledger-columns.ts';
import { openColumns } from '../../formats/open.ts';
import type { ByteSink } from '../../formats/record-file.ts';
import { exportedFormat } from '../../formats/registry.ts';
import { checkColumns, type FileContents, partitionFlag, placeFor, requestOf } from './export-request.ts';
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

const { out, format, overwrite, ...formFlags } = exportFlags;

const runFlags = {
  resume: toggle('--resume', 'resume an unfinished export to the same file'),
  restart: toggle('--restart', 'discard an unfinished export to the same file and start over'),
};

export const exportLedgersVerb = verb({
  name: 'export',
  summary: 'Export ledgers to a file and verify that no row is missing',
  about: `Rows are written oldest first, up to the last ledger that exists when the export starts; later ledgers are not included. The time range is split into windows, which are read in parallel. Each window is read until the number of distinct ids equals the service's total for the window. At the end, the command requests the total for the whole range again and checks that no rows were added meanwhile. If everything matches, the command prints "verified". If anything differs, the command still writes the file, but exits with 12. FILE.manifest.json records the request, the rows read and the checks; cryptodata ledgers verify FILE repeats the checks.

The file appears under its name only when it is complete; an existing file is not replaced without --overwrite. Until the export is complete, rows are kept in FILE.part. After Ctrl-C, a crash, a full disk or a network failure, repeat the command with --resume.

CSV, XLSX and Parquet files contain the names of accounts (wallet) and assets (symbol) beside their ids. In JSON and JSONL, select these columns with --columns +wallet,+symbol. If the accounts cannot be read, wallet is empty, and the manifest contains the reason. The verification, ledgers verify and ledgers diff ignore the names.

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
  examples: [
    { says: 'Export a year as CSV', line: 'cryptodata ledgers export --period 2025 --out ledgers-2025.csv' },
    {
      says: 'Export for Excel, with dates in the Berlin time zone',
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
      says: 'Send every field, unchanged, to another program',
      line: 'cryptodata ledgers export --out - --format jsonl | gzip > ledgers.jsonl.gz',
    },
  ],
  prints:
    'A record { file, format, rows, bytes, sha256, verified, manifest }. --sum-by adds groups. If the tool itself filters the rows, rowsRead is added.\nWith --out -: the exported ledgers instead of the record.\nOn stderr: the progress, and whether the rows were verified.',
  output: [oneOf(EXPORTED), listOf(served(ledgers.record), 'with --out -')],
  exits: [...SERVICE_EXITS, 12],
  prepare: async (context, flags) => {
    await placeFor(context, flags);
  },
  async run(context, { resume, restart, ...flags }) {
    if (resume && restart)
      throw usageError('--resume and --restart cannot be used together', 'Use one or the other.');
    const { partitionBy, ...place } = await placeFor(context, flags);
    const accountNames = await servedNames(context);
    const sums = await summedBy(context, flags, accountNames.nameOf);
    const selection = await ledgerSelection(context, selectingFlags(flags, sums));
    const readOpening = flags.opening ? () => servedOpening(context, selection) : undefined;
    if (exportedFormat(place.format).file.journal) checkWholeTransactions(selection);
    const journal = await journalOf(context, place.format, { ...flags, selection, readOpening });
    const contents = { accountNames, sums, journal };
    await checkColumns(context, selection, sums ? [] : flags.columns);
    const { path: file, target, special } = place;
    if (target === undefined || special) {
      if (partitionBy)
        throw usageError(
          'Cannot write a data set to a stream',
          'Choose a folder: --out ledgers.',
          'NO_FOLDER',
        );
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
        if (!exported.claim.verified) throw findUnverified('The export', exported.claim.why);
        const statement = { text: exported.claim.text() };
        const notes = await selectionNotes(request, exported, flags.period);
        return [...notesOf(contents, exported), ...notes, statement, ...uncheckedNote(exported.unchecked)];
      };
      return file === undefined ? toStdout(write) : toSpecial(context, file, write);
    }
    const existing = resume ? 'resume' : restart ? 'restart' : 'refuse';
    const request = {
      ...(await requestOf(context, place, flags, selection, contents)),
      partitionBy,
      overwrite: flags.overwrite,
    };
    const exported = await exportToFile(request, target, existing);
    const { path, rows, rowsWritten, groups, bytes, sha256, files, claim, manifest } = exported;
    if (!claim.verified) throw findUnverified(`${path} is written, but it`, claim.why, manifest);
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
        ...notesOf(contents, exported),
        ...notes,
        { text: `${claim.text()} See ${manifest}` },
        ...uncheckedNote(exported.unchecked),
      ],
    };
  },
});

function notesOf({ sums, journal }: FileContents, { names, sheets }: LegsRead): Note[] {
  return [
    ...sheetNotes(sheets),
    ...noNames(names?.missing),
    ...(sums?.notes() ?? []),
    ...(journal?.notes() ?? []),
  ];
}

/** Returns notes on the resolved names, on the number of filtered rows, and on the reason for an empty result. */
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

/** Exports to a named pipe or a device. Such an export has no manifest and cannot be resumed. */
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
  return { kind: 'record', record, columns: openColumns, notes: () => notes };
}
