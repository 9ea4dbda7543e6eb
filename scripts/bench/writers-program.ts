// Started by writers.js. Writes many ledgers with one writer. Prints the CPU time in milliseconds, the peak memory in MiB, and
// the number of written bytes.

import { writeXlsxStream } from 'hucre/xlsx';
import { ByteWriter, ParquetWriter, type SchemaElement } from 'hyparquet-writer';
import { snappyCompressor } from 'hysnappy';
import type { JsonRecord } from '../../src/core/json.ts';
import { columnValue } from '../../src/formats/columns.ts';
import { csvForm } from '../../src/formats/csv.ts';
import { csvLines } from '../../src/formats/csv-list.ts';
import { exactLedgerKind, ledgerKind } from '../../src/formats/kinds.ts';
import { LEDGER_COLUMNS } from '../../src/formats/ledger-columns.ts';
import { createParquet } from '../../src/formats/parquet/index.ts';
import type { RecordFile } from '../../src/formats/record-file.ts';
import { cellText, guardCell } from '../../src/formats/text.ts';
import { createXlsx } from '../../src/formats/xlsx/index.ts';
import { amountOf } from '../../src/formats/xlsx/text.ts';

const [name = '', count = '0'] = process.argv.slice(2);
const columns = LEDGER_COLUMNS.csv;
const view = { timeZone: 'UTC' };
let bytes = 0;
const sink = {
  async write(written: Uint8Array) {
    bytes += written.length;
  },
};

/** Generates realistic ledgers. Some strings repeat, others are unique, and the amounts vary in size. */
function* ledgers(): Generator<JsonRecord> {
  let seed = 1;
  const next = () => {
    seed = (Math.imul(seed, 1103515245) + 12345) >>> 0;
    return seed >>> 8;
  };
  const decimal = () =>
    `${next() % 100_000}.${String(next()).padStart(9, '0')}${String(next()).padStart(9, '0').slice(0, 9)}`;
  for (let at = 0; at < Number(count); at += 1) {
    const symbol = `S${next() % 300}`;
    yield {
      id: `led_${next().toString(36)}${at}`,
      transactionId: `txn_${at >> 1}`,
      type: ['incoming', 'outgoing', 'fee'][at % 3],
      quantity: decimal(),
      beforeBalance: decimal(),
      afterBalance: `-${decimal()}`,
      costbasis: at % 3 === 0 ? null : decimal(),
      proceeds: at % 3 === 0 ? null : decimal(),
      profit: at % 4 === 0 ? `-${next()}.5` : '0',
      baseCurrency: 'USD',
      price:
        at % 5 === 0 ? null : { price: next() / 1000, timestamp: 1_700_000_000_000 + at, source: 'exchange' },
      value: next() / 7,
      timestamp: 1_700_000_000_000 + at * 61_000,
      walletId: `wal_${next() % 40}`,
      label: at % 7 === 0 ? null : `label ${next() % 900}`,
      isEdited: at % 11 === 0,
      asset: { symbol, name: `Name of ${symbol}`, type: 'crypto' },
    };
  }
}

async function fill(file: RecordFile): Promise<void> {
  for (const record of ledgers()) {
    const written = file.add(record);
    if (written) await written;
  }
  await file.finish();
}

/** Writes the ledgers with the library's column API. The API accepts columns as arrays of values; decimals must be bigints. */
async function libraryColumns(): Promise<void> {
  const elementOf = (key: string): Omit<SchemaElement, 'name'> => {
    const kind = exactLedgerKind({ key });
    if (kind === 'decimal')
      return {
        ...{
          type: 'FIXED_LEN_BYTE_ARRAY',
          type_length: 16,
          converted_type: 'DECIMAL',
          precision: 38,
          scale: 18,
        },
        logical_type: { type: 'DECIMAL', precision: 38, scale: 18 },
      };
    if (kind === 'moment') return { type: 'INT64', converted_type: 'TIMESTAMP_MILLIS' };
    return kind === 'boolean' ? { type: 'BOOLEAN' } : { type: 'BYTE_ARRAY', converted_type: 'UTF8' };
  };
  const convert = (key: string, value: unknown): unknown => {
    if (value === null || value === undefined) return undefined;
    const kind = exactLedgerKind({ key });
    if (kind === 'boolean') return value;
    if (kind === 'moment') return BigInt(Number(value));
    if (kind !== 'decimal') return cellText(value);
    const [whole = '', places = ''] = cellText(value).split('.');
    return BigInt(whole + places.padEnd(18, '0'));
  };
  const writer = new ByteWriter();
  const elements = columns.map(({ key }) => ({
    name: key,
    repetition_type: 'OPTIONAL' as const,
    ...elementOf(key),
  }));
  const file = new ParquetWriter({
    writer,
    schema: [{ name: 'schema', num_children: elements.length }, ...elements],
    compressors: { SNAPPY: snappyCompressor() },
  });
  let data: unknown[][] = columns.map(() => []);
  const flush = async () => {
    const columnData = columns.map(({ key }, at) => ({
      name: key,
      data: data[at] ?? [],
      offsetIndex: false,
    }));
    file.write({ columnData, rowGroupSize: 50_000 });
    data = columns.map(() => []);
    await sink.write(writer.getBytes());
    writer.index = 0;
  };
  for (const record of ledgers()) {
    for (const [at, column] of columns.entries())
      data[at]?.push(convert(column.key, columnValue(record, column, view)));
    if (data[0]?.length === 50_000) await flush();
  }
  await flush();
  file.finish();
  await sink.write(writer.getBytes());
}

async function libraryXlsx(): Promise<void> {
  const wide = columns.flatMap((column) => {
    const kind = ledgerKind(column);
    const isAmount = kind === 'decimal' || kind === 'number';
    const text = {
      header: column.key,
      style: { numFmt: '@' },
      of: (value: unknown) => (value == null ? null : guardCell(cellText(value))),
    };
    if (!isAmount) return [{ ...text, column }];
    return [
      {
        header: column.key,
        style: { numFmt: '0.00################' },
        of: (value: unknown) => amountOf(value) ?? null,
        column,
      },
      { ...text, header: `${column.key}_exact`, column },
    ];
  });
  function* cells() {
    for (const record of ledgers()) yield wide.map(({ column, of }) => of(columnValue(record, column, view)));
  }
  const stream = writeXlsxStream(cells(), {
    name: 'ledgers',
    columns: wide.map(({ header, style }) => ({ header, style })),
    freezePane: { rows: 1 },
  });
  for await (const chunk of stream) await sink.write(chunk);
}

async function run(): Promise<void> {
  switch (name) {
    case 'csv': {
      const form = csvForm(columns, { view });
      for (const record of ledgers()) bytes += form.line(record).length;
      return;
    }
    case 'csv-stringify':
      for await (const line of csvLines(ledgers(), columns, { view })) bytes += line.length;
      return;
    case 'parquet':
      return fill(createParquet(sink, { columns, view, decimals: 'decimal', kindOf: exactLedgerKind }));
    case 'hyparquet-writer':
      return libraryColumns();
    case 'xlsx':
      return fill(createXlsx(sink, { columns, view, guard: true }));
    case 'hucre':
      return libraryXlsx();
  }
}

await run();
const { userCPUTime, systemCPUTime, maxRSS } = process.resourceUsage();
process.stdout.write(
  JSON.stringify({ cpu: (userCPUTime + systemCPUTime) / 1000, memory: maxRSS / 1024, bytes }),
);
