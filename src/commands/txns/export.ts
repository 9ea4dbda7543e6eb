import { rm } from 'node:fs/promises';
import { verb } from '../../cli/define.ts';
import { SERVICE_EXITS } from '../../cli/exits.ts';
import type { Note } from '../../cli/outcome.ts';
import type { TransactionFilters } from '../../client/nouns.ts';
import { CryptodataError } from '../../core/errors.ts';
import type { Identity } from '../../export/journal.ts';
import { writeList } from '../../export/list-export.ts';
import { manifestOf, writeManifest } from '../../export/manifest.ts';
import { OutputFile } from '../../export/output-file.ts';
import { transactionsManifest } from '../../export/transactions-manifest.ts';
import { ColumnCheck } from '../../formats/column-check.ts';
import { type Column, type Columns, chooseColumns, namesAll } from '../../formats/columns.ts';
import { holdsAllFields } from '../../formats/format.ts';
import { spanText } from '../../formats/moments.ts';
import { openColumns } from '../../formats/open.ts';
import type { About, ByteSink } from '../../formats/record-file.ts';
import { filtersText, notCheckedLine, ROUNDED } from '../../formats/xlsx/parts.ts';
import { newSummary, type ReadSummary } from '../../read/pages.ts';
import { readTransactions, verdictOn } from '../../read/transactions.ts';
import {
  booksOf,
  complaints,
  exportFlags,
  formOf,
  layoutOf,
  placeOf,
  progressOf,
  toStdout,
  uncheckedNote,
} from '../exports.ts';
import { periodIn } from '../period.ts';
import { transactionColumns } from './columns.ts';
import { FILTERS, filterFlags, spanFlags, transactionFilters } from './filters.ts';
import { checkTransactionValues } from './known-values.ts';
import { InSpan } from './selected.ts';

const { out, format, overwrite, ...formFlags } = exportFlags;

export const exportTransactions = verb({
  name: 'export',
  summary: 'Write all transactions of a query to a file',
  about: `${FILTERS}

Each id is written once, and all is read a second time: the specification shows no order that could keep the pages in their places. Where both reads are alike and as many as the service's total says, the end says "verified"; else the file is written and the command ends with 12. Where the service gives no total, the end says so and "verified" is false; rows that came twice, or other ones the second time, show that the list moved while it was read, and end with 12.

CSV has every field that came: its columns are known when the last row is read. A leg or a list of legs stands as the service gives it; --columns id,incoming,outgoing,fees gives them as people read them. For a row a leg, export the ledgers.

FILE.manifest.json beside the file says what was asked for, which checks were possible, and what they found; cryptodata ledgers verify FILE --offline checks the file against it.`,
  flags: { out, format, overwrite, ...filterFlags, ...spanFlags, ...formFlags },
  examples: [
    { says: 'All of them, every field', line: 'cryptodata txns export --out txns.jsonl' },
    {
      says: 'What lacks a price, for a spreadsheet',
      line: 'cryptodata txns export --preset missing-prices --columns id,incoming,outgoing,fees --out unpriced.csv',
    },
  ],
  prints:
    'What was written: { file, format, rows, bytes, sha256, verified, manifest }. With --out -, the transactions themselves.\nOn stderr: progress, and what could be checked.',
  exits: [...SERVICE_EXITS, 12].sort((a, b) => a - b),
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
    const filters = transactionFilters(filterValues);
    const asked = askedFor(filters);
    const unchecked = Object.keys(asked).filter((name) => asked[name] !== undefined);
    const span = await periodIn(context, { from, to, period, fiscalYearStart });
    const selected = new InSpan(span);
    const place = await placeOf(context, flags, 'transactions');
    await checkTransactionValues(context, filterValues);
    const client = await context.client();
    const summary = newSummary();
    const chosen = columns ?? [];
    const known = transactionColumns('unsigned')([]);
    const check = new ColumnCheck(chosen, named(known));
    const onProgress = progressOf(context);
    const rows = readTransactions(
      { client, filters, onProgress: ({ rows, firstTotal }) => onProgress({ rows, total: firstTotal }) },
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
    let written = layout;
    const write = (sink: ByteSink) =>
      writeList(
        sink,
        check.over(selected.over(rows)),
        columnar && !namesAll(chosen)
          ? (fields) => {
              written = { ...layout, columns: columnsFrom(fields, chosen) };
              return written;
            }
          : layout,
        (): About => {
          const { verified, why } = verdictOn(summary, selected.doubt);
          return [
            ['Contents', 'transactions'],
            ['Period', spanText(span, layout.view.timeZone) ?? 'all'],
            ['Time zone', layout.view.timeZone],
            [
              'Verified',
              verified ? 'yes, against the total of the service' : `no: ${why ?? 'no reason known'}`,
            ],
            ['Filters', filtersText(asked)],
            ...notCheckedLine(unchecked),
            ...ROUNDED,
          ];
        },
      );
    if (place.path === undefined) {
      return toStdout(async (sink) => {
        await write(sink);
        return [
          ...judge(summary, selected, 'stdout', null).notes,
          ...uncheckedNote(unchecked, 'transaction'),
        ];
      }, check);
    }
    const { special, target = place.path } = place;
    const request = {
      ...(await booksOf(context)),
      filters: asked,
      ...(selected.isLimited ? { span } : {}),
      form: await formOf(context, place, flags),
    };
    const began = iso(context.now());
    const file = await OutputFile.open(place.path, { signal: context.signal, overwrite });
    try {
      await write(file);
      const ended = iso(context.now());
      // The old manifest must not be found beside the new file, should the process end in between.
      if (overwrite && !special) await rm(manifestOf(target), { force: true });
      const done = await file.finish();
      const { path, bytes, sha256 } = done;
      const names = holdsAllFields(layout) ? null : written.columns.map(({ key }) => key);
      const about = { summary, selected, written: done, request, unchecked, columns: names, began, ended };
      const manifest = special ? null : await writeManifest(done, transactionsManifest(about), overwrite);
      const { verified, notes } = judge(summary, selected, path, manifest);
      const counts = { rows: selected.kept, bytes, sha256, verified };
      const record = { file: path, format: place.format, ...counts, manifest };
      return {
        kind: 'record',
        record,
        columns: openColumns,
        notes: () => [...complaints(check), ...notes, ...uncheckedNote(unchecked, 'transaction')],
      };
    } catch (error) {
      await file.discard();
      throw error;
    }
  },
});

/** What was asked for, for the manifest. */
function askedFor({ extra, ...named }: TransactionFilters): Identity {
  return { ...named, ...extra };
}

function iso(time: number): string {
  return new Date(time).toISOString();
}

function named({ csv, table }: Columns): readonly Column[] {
  return [...csv, ...table];
}

/** Fields are open, so that usual columns are those that came. */
function columnsFrom(fields: Columns, chosen: readonly string[]): readonly Column[] {
  const { csv, table } = transactionColumns('unsigned')([]);
  const rest = fields.csv.filter(({ key }) => !csv.some((column) => column.key === key));
  const usual = [...csv, ...rest];
  return chooseColumns(usual, [...usual, ...table], chosen);
}

/** What can be said of the rows once the last one is read. */
interface Verdict {
  readonly verified: boolean;
  /** Said on stderr beside the result. */
  readonly notes: readonly Note[];
}

function judge(summary: ReadSummary, selected: InSpan, where: string, manifest: string | null): Verdict {
  const { verified, why = '', changed } = verdictOn(summary, selected.doubt);
  if (verified) {
    const see = manifest === null ? '' : ` See ${manifest}`;
    return {
      verified,
      notes: [...selected.notes(), { text: `Verified against the service's total.${see}` }],
    };
  }
  const written = where === 'stdout' ? 'The export' : where;
  if (!changed && selected.doubt === undefined) {
    const text = `${written} is not verified: ${why}. Each id stands in it once, the pages were read to their end, and a second time, and were the same again.`;
    return { verified, notes: [...selected.notes(), { text, warning: true }] };
  }
  const more = manifest === null ? '' : ` The manifest says more: ${manifest}`;
  throw new CryptodataError('unverified', 'UNVERIFIED', `${written} is written, but not verified: ${why}`, {
    hint: changed
      ? `The transactions changed while they were read. Run the export again when no sync is running.${more}`
      : `Export without a period to have all of them.${more}`,
  });
}
