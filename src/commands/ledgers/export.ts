import { CryptodataError, usageError } from '../../base/errors.ts';
import type { JsonRecord } from '../../base/json.ts';
import type { Context } from '../../context.ts';
import { SERVICE_EXITS } from '../../exits.ts';
import { EXPORT_FORMATS, type ExportFormat, formatOfFile, layOut } from '../../export/formats.ts';
import { OutputFile } from '../../export/output-file.ts';
import { doubt, type Reading, readLedgers, startReading } from '../../export/read-ledgers.ts';
import { chooseColumns } from '../../output/columns.ts';
import type { Outcome } from '../../output/outcome.ts';
import { verb } from '../define.ts';
import { choice, text } from '../flags.ts';
import { columnsFlag, sameColumns } from '../shared.ts';
import { LEDGER_COLUMNS } from './columns.ts';
import { filterFlags, ledgerQuery } from './filters.ts';

export const exportLedgers = verb({
  name: 'export',
  summary: 'Write all ledgers of a query to a file, oldest first',
  about: `The rows are held against the service's own total when the last one is read: the end says "verified", or the file is written and the command ends with 12.

The file appears under its name only when it is whole. Decimal strings are written character for character. In CSV, text that a spreadsheet would run as a formula gets a leading apostrophe, and control characters are written as \\u001b; --csv-guard off leaves them.`,
  flags: {
    out: text('--out <file>', 'file to write, or - for stdout'),
    format: choice(
      '--format <format>',
      `${EXPORT_FORMATS.join(', ')}; told from the ending of the file where not given`,
      EXPORT_FORMATS,
    ),
    ...filterFlags,
    columns: columnsFlag,
    csvGuard: choice('--csv-guard <on|off>', 'guard text cells against formulas and escapes (default on)', [
      'on',
      'off',
    ]),
    csvDialect: choice('--csv-dialect <dialect>', 'plain (default), or excel: byte-order mark and CRLF', [
      'plain',
      'excel',
    ]),
  },
  examples: [
    { says: 'A year as CSV', line: 'cryptodata ledgers export --period 2025 --out ledgers-2025.csv' },
    {
      says: 'For Excel, in German days',
      line: 'cryptodata ledgers export --period 2025 --tz Europe/Berlin --csv-dialect excel --out 2025.csv',
    },
    {
      says: 'Every field as served, into a pipe',
      line: 'cryptodata ledgers export --out - --format jsonl | gzip > ledgers.jsonl.gz',
    },
  ],
  prints:
    'What was written: { file, format, rows, bytes, sha256, verified }. With --out -, the ledgers themselves.\nOn stderr: progress, and whether the rows were verified.',
  exits: [...SERVICE_EXITS, 12].sort((a, b) => a - b),
  async run(context, { out, format, columns, csvGuard, csvDialect, ...flags }) {
    if (out === undefined)
      throw usageError(
        'There is no file to write',
        'Name it: --out ledgers.csv, or --out - for stdout.',
        'NO_OUTPUT',
      );
    const query = await ledgerQuery(context, flags);
    const client = await context.client();
    const reading = startReading();
    const legs = readLedgers({ client, filters: query.filters, onProgress: progressOf(context) }, reading);
    const kept = { count: 0 };
    const layout = {
      columns: chooseColumns(LEDGER_COLUMNS.csv, LEDGER_COLUMNS.csv, columns ?? []),
      chosen: (columns ?? []).some((name) => !name.startsWith('+')),
      view: await context.view(),
      guard: csvGuard !== 'off',
      dialect: csvDialect ?? 'plain',
    };
    const textIn = (format: ExportFormat) => layOut(counted(query.keep(legs), kept), { ...layout, format });
    if (out === '-') return toStdout(textIn(format ?? (await pipeFormat(context))), reading);

    const file = await OutputFile.open(out);
    try {
      const fileFormat = format ?? formatOfFile(out);
      for await (const text of textIn(fileFormat)) await file.write(text);
      const { path, bytes, sha256 } = await file.finish();
      const why = doubt(reading);
      if (why !== undefined) throw unverified(`${path} is written, but not verified: ${why}`);
      const record = { file: path, format: fileFormat, rows: kept.count, bytes, sha256, verified: true };
      return { kind: 'record', record, columns: sameColumns(...Object.keys(record)) };
    } catch (error) {
      await file.discard();
      throw error;
    }
  },
});

/** Without --format, stdout gets what -o says; a table is no export. */
async function pipeFormat(context: Context): Promise<ExportFormat> {
  const format = await context.format();
  return format === 'table' ? 'csv' : format;
}

function toStdout(chunks: AsyncIterable<string>, reading: Reading): Outcome {
  async function* proved(): AsyncGenerator<string> {
    yield* chunks;
    const why = doubt(reading);
    if (why !== undefined) throw unverified(`The export is not verified: ${why}`);
  }
  return {
    kind: 'stream',
    chunks: proved(),
    notes: () => [{ text: "Verified against the service's total." }],
  };
}

function unverified(message: string): CryptodataError {
  return new CryptodataError('unverified', 'UNVERIFIED', message, {
    hint: 'The ledgers changed while they were read. Run the export again when no sync is running.',
  });
}

async function* counted(
  rows: AsyncIterable<JsonRecord>,
  kept: { count: number },
): AsyncGenerator<JsonRecord> {
  for await (const row of rows) {
    kept.count += 1;
    yield row;
  }
}

function progressOf(context: Context): (reading: Readonly<Reading>) => void {
  const started = context.now();
  return ({ rows, firstTotal }) => {
    const seconds = Math.max(0.001, (context.now() - started) / 1000);
    const speed = rows / seconds;
    const left =
      firstTotal === undefined || speed === 0 ? '' : `, ${Math.ceil((firstTotal - rows) / speed)} s left`;
    const of = firstTotal === undefined ? '' : ` of ${firstTotal.toLocaleString('en')}`;
    context
      .progress()
      .update(
        `${rows.toLocaleString('en')}${of} rows, ${Math.round(speed).toLocaleString('en')} a second${left}`,
      );
  };
}
