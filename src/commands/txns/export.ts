import { bool, int, nullable, text } from '../../api/records.ts';
import { transactions } from '../../api/transactions.ts';
import {
  booksOf,
  complaints,
  exportFlags,
  formOf,
  layoutOf,
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
import type { Note } from '../../cli/outcome.ts';
import { listOf, made, oneOf, optional, served } from '../../cli/output.ts';
import type { TransactionFilters } from '../../client/nouns.ts';
import { UnverifiedError } from '../../core/errors.ts';
import { writeList } from '../../export/list-export.ts';
import { OutputFile, type WrittenPath } from '../../export/output-file.ts';
import { withPart } from '../../export/part.ts';
import type { Identity } from '../../export/resume-log.ts';
import { writePair } from '../../export/target.ts';
import { transactionsManifest } from '../../export/transactions-manifest.ts';
import { ColumnCheck } from '../../formats/column-check.ts';
import { type Column, type Columns, chooseColumns, namesAll } from '../../formats/columns.ts';
import { holdsAllFields } from '../../formats/format.ts';
import { spanText } from '../../formats/moments.ts';
import { openColumns } from '../../formats/open.ts';
import type { About, ByteSink } from '../../formats/record-file.ts';
import { ROW_FORMATS } from '../../formats/registry.ts';
import { filtersText, notCheckedLine, ROUNDED } from '../../formats/xlsx/parts.ts';
import { newSummary, RowCheck } from '../../read/pages.ts';
import { readTransactions, type TransactionVerdict, verdictOn } from '../../read/transactions.ts';
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

Each id is written once. The list is read twice, because the specification defines no order that keeps pages stable. If both reads return the same records, and their number equals the service's total, "verified" is true. If the records differ, the result lists the fields that differ. If the reads differ, contain duplicate rows or do not match the total, the command writes the file, but exits with 12. If the service reports no total, "verified" is false even if the reads are equal, and the reason is printed.

CSV has a column for every field in the response. By default, legs are written as the service sent them. To write legs as readable text, use --columns id,incoming,outgoing,fees. For one row per leg, export the ledgers.

FILE.manifest.json contains the request and the result of each check. cryptodata ledgers verify FILE --offline checks the file against the manifest.`,
  flags: {
    ...{ out, format, overwrite, ...transactionFilterFlags, ...spanFlags, ...formFlags },
    columns: columnsFlagOf(() => transactionColumns('unsigned')),
  },
  examples: [
    { says: 'Export every field of all transactions', line: 'cryptodata txns export --out txns.jsonl' },
    {
      says: 'Export transactions without a price, as CSV for a spreadsheet',
      line: 'cryptodata txns export --preset missing-prices --columns id,incoming,outgoing,fees --out unpriced.csv',
    },
  ],
  prints:
    'One record { file, format, rows, bytes, sha256, verified, manifest }. With --out -, stdout contains the transactions instead.\nOn stderr: progress, and the result of each check.',
  output: [oneOf(EXPORTED), listOf(served(transactions.record), 'with --out -')],
  exits: [...SERVICE_EXITS, 12],
  reads: true,
  prepare: async (context, flags) => {
    await placeOf(context, flags, 'transactions');
  },
  async run(context, flags) {
    const {
      out: _,
      format: __,
      overwrite,
      columns,
      csvGuard,
      csvDialect,
      separator,
      decimalComma,
      parquetDecimals,
      parquetNumbers,
      from,
      to,
      period,
      fiscalYearStart,
      ...filterValues
    } = flags;
    const filters = transactionQuery(filterValues);
    const asked = askedFor(filters);
    const rowCheck = new RowCheck(transactions, filters);
    const span = await periodIn(context, { from, to, period, fiscalYearStart });
    const selected = new InSpan(span, (await context.view()).timeZone);
    const place = await placeOf(context, flags, 'transactions');
    const client = await context.client();
    await checkValues(context, transactions, filters, client.transactions.list);
    const summary = newSummary();
    const began = iso(context.now());
    const verdict = () =>
      verdictOn(summary, { by: 'two reads', t0: began, t1: iso(context.now()) }, selected.doubt);
    const chosen = columns ?? [];
    const known = transactionColumns('unsigned', decimalComma)([]);
    const check = new ColumnCheck(chosen, named(known), true);
    const onProgress = progressOf(context);
    const rows = readTransactions(
      {
        ...{ client, filters, check: rowCheck },
        onProgress: ({ rows, firstTotal }) => onProgress({ rows, total: firstTotal }),
      },
      summary,
    );
    const layout = {
      ...(await layoutOf(context, place, flags, {
        columns: chooseColumns(known.csv, named(known), chosen),
        known,
      })),
      openFields: true,
    };
    const columnar = layout.format.columns !== undefined;
    let writtenLayout = layout;
    let sheets: readonly string[] = [];
    const write = async (sink: ByteSink) => {
      sheets = await writeList(
        sink,
        check.over(selected.over(rows)),
        // With a decimal comma, the values of a column show whether it contains amounts.
        columnar && (!namesAll(chosen) || decimalComma)
          ? (fields) => {
              writtenLayout = { ...layout, columns: columnsFrom(fields, known, chosen) };
              return writtenLayout;
            }
          : layout,
        (): About => {
          const { claim } = verdict();
          return [
            ['Contents', 'transactions'],
            ['Period', spanText(span, layout.view.timeZone) ?? 'all'],
            ['Time zone', layout.view.timeZone],
            ['Verified', claim.verified ? "yes, against the service's total" : `no: ${claim.why}`],
            ['Filters', filtersText(asked)],
            ...notCheckedLine(rowCheck.unchecked),
            ...ROUNDED,
          ];
        },
      );
    };
    const notesOf = (notes: readonly Note[]) => [
      ...complaints(check),
      ...sheetNotes(sheets),
      ...notes,
      ...uncheckedNote(rowCheck.unchecked),
    ];
    if (place.path === undefined) {
      return toStdout(async (sink) => {
        await write(sink);
        const { notes } = judge(verdict(), selected, 'stdout', null);
        return notesOf(notes);
      });
    }
    const { special, target = place.path } = place;
    const request = {
      ...(await booksOf(context)),
      filters: asked,
      ...(selected.isLimited ? { span } : {}),
      form: await formOf(context, place, flags),
    };
    const { signal } = context;
    const manifestFor = (written: WrittenPath) => {
      const ended = iso(context.now());
      const columns = holdsAllFields(layout) ? null : writtenLayout.columns.map(({ key }) => key);
      const { unchecked } = rowCheck;
      return transactionsManifest({ summary, selected, written, request, unchecked, columns, began, ended });
    };
    const done = special
      ? { ...(await OutputFile.fill(target, { signal }, write)), manifest: null }
      : await withPart({ target, identity: undefined, existing: 'refuse', signal }, (directory) =>
          writePair({ directory, path: target, overwrite }, write, manifestFor),
        );
    const { path, bytes, sha256, manifest } = done;
    const { verified, notes } = judge(verdict(), selected, path, manifest);
    const counts = { rows: selected.kept, bytes, sha256, verified };
    const record = { file: path, format: place.format, ...counts, manifest };
    return {
      kind: 'record',
      record,
      columns: openColumns,
      notes: () => notesOf(notes),
    };
  },
});

/** The request, for the manifest. */
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

interface Verdict {
  readonly verified: boolean;
  /** Notes on stderr. */
  readonly notes: readonly Note[];
}

function judge(
  { claim, changed }: TransactionVerdict,
  selected: InSpan,
  where: string,
  manifest: string | null,
): Verdict {
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
    return { verified, notes: [...selected.notes(), { text, warning: true }] };
  }
  const more = manifest === null ? '' : ` For details, see ${manifest}`;
  throw new UnverifiedError('UNVERIFIED', `${written} was written, but is not verified: ${why}`, {
    hint: changed
      ? `The transactions changed while they were read. Run the export again when no sync is running.${more}`
      : `Export without a period to include all transactions.${more}`,
  });
}
