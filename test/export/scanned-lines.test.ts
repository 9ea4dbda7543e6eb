import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, describe, expect, test } from 'vitest';
import { isRecord, type JsonRecord, parseJson, stringifyJson } from '../../src/core/json.ts';
import { ScannedLines } from '../../src/export/scanned-lines.ts';
import { assemble } from '../../src/export/target.ts';
import { asServed, type Column, valueAt } from '../../src/formats/columns.ts';
import type { Layout } from '../../src/formats/format.ts';
import { ledgerColumns } from '../../src/formats/ledger-columns.ts';
import { exportedFormat } from '../../src/formats/registry.ts';
import { decimalText, numberText } from '../formats/arbitrary.ts';
import { Kept, ledger } from '../formats/support.ts';
import { runs } from '../runs.ts';

const directory = mkdtempSync(join(tmpdir(), 'cryptodata-scanned-'));
afterAll(() => rmSync(directory, { recursive: true, force: true }));
let files = 0;

function fileOf(text: string): string {
  files += 1;
  const path = join(directory, `${files}.seg`);
  writeFileSync(path, text);
  return path;
}

const view = { timeZone: 'Asia/Kolkata' };
const LEDGERS = ledgerColumns((walletId) => (walletId === 'wal_1' ? 'Café' : undefined)).csv;
const PARTS: readonly Column[] = [
  { key: 'id' },
  { key: 'asset' },
  { key: 'label' },
  { key: 'label' },
  { key: 'asset.symbol' },
  {
    key: 'pair',
    from: ['label', 'price.price'],
    derive: (leg) => stringifyJson(valueAt(leg, 'price.price')),
  },
];

function layout(more: Partial<Layout> = {}): Layout {
  return {
    ...{ format: exportedFormat('parquet'), columns: LEDGERS, known: LEDGERS, shape: asServed, whole: true },
    ...{ view, guard: true, dialect: 'plain', parquetDecimals: 'decimal', parquetNumbers: 'string' },
    ...more,
  };
}

const LAYOUTS: readonly Layout[] = [
  layout(),
  layout({ parquetNumbers: 'double' }),
  layout({ parquetDecimals: 'string' }),
  layout({ columns: PARTS }),
  layout({ openFields: true }),
];

/** Returns the bytes of the file, or the message of the error. */
async function result(write: (sink: Kept) => Promise<void>): Promise<Buffer | string> {
  const sink = new Kept();
  try {
    await write(sink);
  } catch (error) {
    return String(error);
  }
  return sink.whole();
}

const fast = (form: Layout, text: string) =>
  result(async (sink) => {
    const path = fileOf(text);
    const assembly = await assemble(sink, form);
    await assembly.add(path);
    await assembly.finish();
    rmSync(path);
  });

const plain = (form: Layout, lines: readonly string[]) =>
  result(async (sink) => {
    const file = await form.format.file.open(sink, form);
    for (const line of lines) await file.add(parsed(line));
    await file.finish();
  });

function parsed(line: string): JsonRecord {
  const value = parseJson(line);
  if (!isRecord(value)) throw new Error('no record');
  return value;
}

/** JSON texts that a column may be unable to store, or that two programs may write differently. */
const odd = fc.oneof(
  numberText,
  decimalText.map((text) => JSON.stringify(text)),
  fc.jsonValue().map((value) => JSON.stringify(value)),
  fc.constantFrom('""', '"\\u0061"', '"\\\\ud83d"', 'true', '1e-9', '-0', '12345678901234567890.5', '[1]'),
);
const oddField = fc.tuple(
  fc.constantFrom('quantity', 'value', 'label', 'timestamp', 'isEdited', 'asset', 'price', 'x', 'id'),
  odd,
);
const line = fc.tuple(ledger, fc.option(oddField, { freq: 2 })).map(([leg, field]) => {
  const { [field?.[0] ?? '']: _, ...rest } = leg;
  const text = stringifyJson(field ? rest : leg);
  if (!field) return text;
  return `${text.slice(0, -1)}${text === '{}' ? '' : ','}${JSON.stringify(field[0])}:${field[1]}}`;
});

describe('a Parquet file that is filled from the bytes of segments', () => {
  test('a Parquet file from segment bytes equals a Parquet file from records, or fails with the same message', async () => {
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...LAYOUTS), fc.array(line, { maxLength: 8 }), async (form, lines) => {
        // Use each line twice: the reader learns the shape of the line from the first copy.
        const twice = lines.flatMap((one) => [one, one]);
        const text = twice.map((one) => `${one}\n`).join('');
        expect(await fast(form, text)).toEqual(await plain(form, twice));
      }),
      { numRuns: runs(400) },
    );
  });

  test('fails if a column cannot store a value, and the message contains the row and the value', async () => {
    const lines = ['1', '2', '9e99'].map((quantity, at) => `{"id":"led_${at}","quantity":"${quantity}"}`);
    const message = await fast(layout(), lines.join('\n'));
    expect(message).toContain('Row "led_2": quantity is "9e99", which does not fit DECIMAL(38, 18)');
  });
});

describe('ScannedLines', () => {
  async function read(text: string) {
    const found = { scanned: [] as string[], parsed: [] as string[] };
    const lines = new ScannedLines({
      wanted: ['id'],
      addScanned(block, { starts, ends }, from, to) {
        const row = block.toString('utf8', from, to);
        found.scanned.push(row);
        // A call of `expect` for each of many rows is slow.
        const id = `"${block.toString('utf8', starts[0], ends[0])}"`;
        if (!row.includes(id)) expect(row).toContain(id);
      },
      addRecord: (record) => {
        found.parsed.push(stringifyJson(record));
      },
    });
    await lines.read(fileOf(text));
    return found;
  }

  test('parses only rows with a new shape or an unusual structure', async () => {
    const rows = ['{"id":"a"}', '{"id":"b"}', '{"id":["c"]}', '{"id":"d","x":1}', '{"id":"e","x":2}'];
    expect(await read(rows.join('\n'))).toEqual({
      scanned: [rows[1], rows[4]],
      parsed: [rows[0], rows[2], rows[3]],
    });
  });

  test('reads lines of any length, with or without a line feed at the end of the file', async () => {
    for (const size of [10, 1000, 300_000, 700_000]) {
      const rows = Array.from({ length: 2e6 / size }, (_, at) => `{"id":"${at}${'x'.repeat(size)}"}`);
      for (const end of ['', '\n']) {
        const found = await read(rows.join('\n') + end);
        expect([...found.parsed, ...found.scanned]).toEqual(rows);
      }
    }
    expect(await read('')).toEqual({ scanned: [], parsed: [] });
  });

  test('ignores lines that are not records', async () => {
    expect((await read('{"a":1}\n[2]\n"x"\n{"b":2}\n')).parsed).toEqual(['{"a":1}', '{"b":2}']);
  });
});
