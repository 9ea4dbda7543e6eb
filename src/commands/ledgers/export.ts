import { CryptodataError } from '../../base/errors.ts';
import { SERVICE_EXITS } from '../../exits.ts';
import { readLedgers } from '../../export/read-ledgers.ts';
import { doubt, startReading } from '../../export/reading.ts';
import { chooseColumns } from '../../output/columns.ts';
import { verb } from '../define.ts';
import { exportFlags, progressOf, writeExport } from '../exports.ts';
import { LEDGER_COLUMNS } from './columns.ts';
import { filterFlags, ledgerQuery } from './filters.ts';

const { out, format, ...formFlags } = exportFlags;
const placeFlags = { out, format };

export const exportLedgers = verb({
  name: 'export',
  summary: 'Write all ledgers of a query to a file, oldest first',
  about: `The rows are held against the service's own total when the last one is read: the end says "verified", or the file is written and the command ends with 12.

The file appears under its name only when it is whole. Decimal strings are written character for character. In CSV, text that a spreadsheet would run as a formula gets a leading apostrophe, and control characters are written as \\u001b; --csv-guard off leaves them.`,
  flags: { ...placeFlags, ...filterFlags, ...formFlags },
  examples: [
    { says: 'A year as CSV', line: 'cryptodata ledgers export --period 2025 --out ledgers-2025.csv' },
    {
      says: 'For Excel, with the days of Berlin',
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
  reads: true,
  async run(context, { out, format, columns, csvGuard, csvDialect, ...flags }) {
    return writeExport(context, { out, format, columns, csvGuard, csvDialect }, 'ledgers', async () => {
      const query = await ledgerQuery(context, flags);
      const client = await context.client();
      const reading = startReading();
      const onProgress = progressOf(context);
      return {
        rows: query.keep(readLedgers({ client, filters: query.filters, onProgress }, reading)),
        columns: chooseColumns(LEDGER_COLUMNS.csv, LEDGER_COLUMNS.csv, columns ?? []),
        known: LEDGER_COLUMNS.csv,
        judge: (where) => {
          const why = doubt(reading);
          if (why !== undefined) throw unverified(where, why);
          const notes = where === 'stdout' ? [{ text: "Verified against the service's total." }] : [];
          return { verified: true, notes };
        },
      };
    });
  },
});

function unverified(where: string, why: string): CryptodataError {
  const what = where === 'stdout' ? 'The export is not verified' : `${where} is written, but not verified`;
  return new CryptodataError('unverified', 'UNVERIFIED', `${what}: ${why}`, {
    hint: 'The ledgers changed while they were read. Run the export again when no sync is running.',
  });
}
