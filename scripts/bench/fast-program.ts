// Turns pages of ledgers into the lines of a segment, and prints the CPU time in milliseconds.
// Arguments: a format, the file with the pages (one on each line), and the number of repetitions.
import { readFileSync } from 'node:fs';
import { ByteBuffer } from '../../src/core/byte-buffer.ts';
import { isRecord, type JsonRecord, parseJson } from '../../src/core/json.ts';
import { rowEncoder } from '../../src/export/row-text.ts';
import { recordCheck } from '../../src/export/target.ts';
import { asServed } from '../../src/formats/columns.ts';
import type { Layout } from '../../src/formats/format.ts';
import { ledgerColumns } from '../../src/formats/ledger-columns.ts';
import { exportedFormat } from '../../src/formats/registry.ts';
import { rowOf } from '../../src/read/rows.ts';

const [format = 'csv', file = '', repetitions = '1'] = process.argv.slice(2);
const columns = ledgerColumns((walletId) => `Account ${String(walletId).slice(-4)}`).csv;
const layout = {
  ...{ columns, known: columns, shape: asServed, whole: format === 'jsonl' },
  ...{ view: { timeZone: 'UTC' }, guard: true, dialect: 'plain' },
  ...{ parquetDecimals: 'decimal', parquetNumbers: 'string' },
  format: exportedFormat(format as 'csv'),
} as Layout;
const encoder = rowEncoder(layout, await recordCheck(layout, {}));
const reader = encoder.newReader?.();
const pages = readFileSync(file, 'utf8')
  .split('\n')
  .map((text) => Buffer.from(text));
const lines = new ByteBuffer();
const started = process.cpuUsage();
for (let run = 0; run < Number(repetitions); run++) {
  for (const page of pages) {
    const read = reader?.read(page) ?? parseJson(page.toString('utf8'));
    const rows = isRecord(read) ? (read['data'] as readonly JsonRecord[]) : [];
    for (const row of rows) rowOf(row, encoder).writeTo(lines);
    lines.length = 0;
  }
}
const { user, system } = process.cpuUsage(started);
process.stdout.write(String((user + system) / 1000));
