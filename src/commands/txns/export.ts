import { bool, int, nullable, text } from '../../api/records.ts';
import { transactions } from '../../api/transactions.ts';
import {
  ABOUT_FILE,
  booksOf,
  complaints,
  type ExportFlags,
  type ExportPlace,
  exportFlags,
  placeOf,
  progressOf,
  sheetNotes,
  toStdout,
} from '../../app/exports.ts';
import { checkValues } from '../../app/known-values.ts';
import { uncheckedNote } from '../../app/list-end.ts';
import { periodIn } from '../../app/period.ts';
import { columnsFlagOf } from '../../cli/common-flags.ts';
import { verb } from '../../cli/define.ts';
import { SERVICE_EXITS } from '../../cli/exits.ts';
import { choiceFlag } from '../../cli/flags.ts';
import { warning } from '../../cli/outcome.ts';
import { listOf, made, oneOf, optional, served } from '../../cli/output.ts';
import type { TransactionFilters } from '../../client/nouns.ts';
import type { Context } from '../../context.ts';
import { UnverifiedError } from '../../core/errors.ts';
import type { OpenSpan } from '../../core/span.ts';
import { formFor, layoutFor } from '../../export/form.ts';
import { transactionsManifest, writeList } from '../../export/list-export.ts';
import type { ManifestContent } from '../../export/manifest.ts';
import { OutputFile, type WrittenPath } from '../../export/output-file.ts';
import { withPart } from '../../export/part.ts';
import type { Identity } from '../../export/resume-log.ts';
import { writePair } from '../../export/target.ts';
import { ColumnCheck } from '../../formats/column-check.ts';
import { type Column, type Columns, chooseColumns, namesAll, type View } from '../../formats/columns.ts';
import { holdsAllFields } from '../../formats/format.ts';
import { spanText } from '../../formats/moments.ts';
import type { About, ByteSink } from '../../formats/record-file.ts';
import { ROW_FORMATS } from '../../formats/registry.ts';
import { filtersText, notCheckedLine, ROUNDED } from '../../formats/xlsx/parts.ts';
import { newSummary, type ReadSummary, RowCheck } from '../../read/pages.ts';
import { readTransactions, verdictOn } from '../../read/transactions.ts';
import { transactionColumns } from './columns.ts';
import { FILTERS, spanFlags, transactionFilterFlags, transactionQuery } from './filters.ts';
import { InSpan } from './selected.ts';

const EXPORTED = made({
  file: text,
  format: text,
  rows: int,
  bytes: int,
  sha256: optional(text),
  verified: bool,
  manifest: nullable(text),
});

const { out, format: _, overwrite, ...formFlags } = exportFlags;
/** The journal formats are not available, because they require legs. */
const format = choiceFlag(
  '--format <format>',
  `${ROW_FORMATS.join(', ')}; default: by the file extension`,
  ROW_FORMATS,
);

export const exportTransactions = verb({
  name: 'export',
  summary: 'Export transactions to a file',
  about: `${FILTERS}

Each id is written once. The list is read twice, because the specification defines no order that keeps pages stable. If both reads return the same records, and their number equals the service's total, "verified" is true. If the records differ, the result lists the fields that differ. If the reads differ, contain duplicate rows or do not match the total, the command writes the file, but exits with 12. Without a total from the service, "verified" is false, and the reason is printed.

CSV has a column for every field in the response. By default, legs are written as the service sent them. To write legs as readable text, use --columns id,incoming,outgoing,fees. For one row per leg, export the ledgers.

FILE.manifest.json contains the request and the result of each check. cryptodata ledgers verify FILE --offline checks the file against the manifest.`,
  flags: {
    ...{ out, format, overwrite, ...transactionFilterFlags, ...spanFlags, ...formFlags },
    columns: columnsFlagOf(() => transactionColumns('unsigned')),
  },
  examples: {
    'Export every field of all transactions': 'cryptodata txns export --out txns.jsonl',
    'Export transactions without a price, as CSV for a spreadsheet':
      'cryptodata txns export --preset missing-prices --columns id,incoming,outgoing,fees --out unpriced.csv',
  },
  prints:
    'One record { file, format, rows, bytes, sha256, verified, manifest }. With --out -, stdout contains the transactions instead.\nOn stderr: progress, and the result of each check.',
  output: [oneOf(EXPORTED), listOf(served(transactions.record), 'with --out -')],
  exits: [...SERVICE_EXITS, 12],
  reads: true,
  prepare: async (context, flags) => {
    await placeOf(context, flags, 'transactions');
  },
  async run(context, flags) {
    const filters = transactionQuery(flags);
    const { from, to, period, fiscalYearStart } = flags;
    const span = await periodIn(context, { from, to, period, fiscalYearStart });
    const place = await placeOf(context, flags, 'transactions');
    const list = await openList(context, filters, span);
    const file = await openFile(context, place, flags, list);
    if (place.path === undefined) {
      return toStdout(async (sink) => {
        await file.write(sink);
        return [
          ...file.notes(),
          ...judge(list, 'stdout', null).notes,
          ...uncheckedNote(list.check.unchecked),
        ];
      });
    }
    const { special, target = place.path } = place;
    const { signal } = context;
    const done = special
      ? { ...(await OutputFile.fill(target, { signal }, file.write)), manifest: null }
      : await withPart({ target, identity: undefined, existing: 'refuse', signal }, async (directory) => {
          const about = await manifestOf(context, place, flags, list, file);
          return writePair({ directory, path: target, overwrite: flags.overwrite }, file.write, about);
        });
    const { path, bytes, sha256, manifest } = done;
    const { verified, notes } = judge(list, path, manifest);
    const counts = { rows: list.selected.kept, bytes, sha256, verified };
    return {
      ...ABOUT_FILE,
      record: { file: path, format: place.format, ...counts, manifest },
      notes: () => [...file.notes(), ...notes, ...uncheckedNote(list.check.unchecked)],
    };
  },
});

type OpenList = Awaited<ReturnType<typeof openList>>;

async function openList(context: Context, filters: TransactionFilters, span: OpenSpan) {
  const client = await context.client();
  await checkValues(context, transactions, filters, client.transactions.list);
  const check = new RowCheck(transactions, filters);
  const selected = new InSpan(span, (await context.view()).timeZone);
  const summary = newSummary();
  const began = iso(context.now());
  const progress = progressOf(context);
  const onProgress = ({ rows, firstTotal }: Readonly<ReadSummary>) => progress({ rows, total: firstTotal });
  const rows = selected.over(readTransactions({ client, filters, check, onProgress }, summary));
  /** Returns whether the read is verified. Called after all rows are read. */
  const verdict = () =>
    verdictOn(summary, { by: 'two reads', t0: began, t1: iso(context.now()) }, selected.doubt);
  return { filters, span, rows, check, selected, summary, began, verdict };
}

type OpenFile = Awaited<ReturnType<typeof openFile>>;

async function openFile(context: Context, place: ExportPlace, flags: ExportFlags, list: OpenList) {
  const { columns: chosen = [], decimalComma } = flags;
  const known = transactionColumns('unsigned', decimalComma)([]);
  const columns = chooseColumns(known.csv, named(known), chosen);
  const options = { ...flags, format: place.format };
  const layout = { ...layoutFor(options, await context.view(), { columns, known }), openFields: true };
  const columnCheck = new ColumnCheck(chosen, named(known), true);
  // With a decimal comma, the columns depend on the rows, because only the values show whether a column contains amounts.
  const isByRows = layout.format.columns !== undefined && (!namesAll(chosen) || decimalComma);
  let written = layout;
  let sheets: readonly string[] = [];
  const layoutOf = (fields: Columns) => {
    written = { ...layout, columns: columnsFrom(fields, known, chosen) };
    return written;
  };
  return {
    write: async (sink: ByteSink) => {
      const rows = columnCheck.over(list.rows);
      const about = () => aboutFile(list, layout.view);
      sheets = await writeList(sink, rows, isByRows ? layoutOf : layout, about);
    },
    /**
     * The columns of the file; null if the file contains whole records. Like `notes`, called only after the file is written.
     */
    columns: () => (holdsAllFields(layout) ? null : written.columns.map(({ key }) => key)),
    notes: () => [...complaints(columnCheck), ...sheetNotes(sheets)],
  };
}

function aboutFile({ filters, span, check, verdict }: OpenList, { timeZone }: View): About {
  const { claim } = verdict();
  return [
    ['Contents', 'transactions'],
    ['Period', spanText(span, timeZone) ?? 'all'],
    ['Time zone', timeZone],
    ['Verified', claim.verified ? "yes, against the service's total" : `no: ${claim.why}`],
    ['Filters', filtersText(askedFor(filters))],
    ...notCheckedLine(check.unchecked),
    ...ROUNDED,
  ];
}

/** Returns a function that makes the manifest of the written file. */
async function manifestOf(
  context: Context,
  place: ExportPlace,
  flags: ExportFlags,
  { filters, span, selected, summary, check, began }: OpenList,
  file: OpenFile,
): Promise<(written: WrittenPath) => ManifestContent> {
  const request = {
    ...(await booksOf(context)),
    filters: askedFor(filters),
    ...(selected.isLimited ? { span } : {}),
    form: formFor({ ...flags, format: place.format }, await context.view()),
  };
  return (written) => {
    const [columns, ended, { unchecked }] = [file.columns(), iso(context.now()), check];
    return transactionsManifest({ summary, selected, written, request, unchecked, columns, began, ended });
  };
}

function askedFor({ extra, ...named }: TransactionFilters): Identity {
  return { ...named, ...extra };
}

function iso(time: number): string {
  return new Date(time).toISOString();
}

function named({ csv, table }: Columns): readonly Column[] {
  return [...csv, ...table];
}

/** The specification does not define the fields of transactions, so the default columns include every field in the rows. */
function columnsFrom(fields: Columns, { csv, table }: Columns, chosen: readonly string[]): readonly Column[] {
  const rest = fields.csv.filter(({ key }) => !csv.some((column) => column.key === key));
  const usual = [...csv, ...rest];
  return chooseColumns(usual, [...usual, ...table], chosen);
}

function judge({ verdict, selected }: OpenList, where: string, manifest: string | null) {
  const { claim, changed } = verdict();
  const { verified, why } = claim;
  if (verified) {
    const see = manifest === null ? '' : ` See ${manifest}`;
    return {
      verified,
      notes: [...selected.notes(), { text: `${claim.text()}${see}` }],
    };
  }
  const written = where === 'stdout' ? 'The export' : where;
  if (!changed && selected.doubt === undefined) {
    const text = `${written} is not verified: ${why}. Each id is written once, and a second read of the list returned the same records.`;
    return { verified, notes: [...selected.notes(), warning(text)] };
  }
  const more = manifest === null ? '' : ` For details, see ${manifest}`;
  throw new UnverifiedError('UNVERIFIED', `${written} was written, but is not verified: ${why}`, {
    hint: changed
      ? `The transactions changed while they were read. Run the export again when no sync is running.${more}`
      : `Export without a period to include all transactions.${more}`,
  });
}
