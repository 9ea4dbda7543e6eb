import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Agent } from 'undici';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { exportToFile, exportToSink, type LedgerExport } from '../../src/export/ledger-export.ts';
import { LEDGER_COLUMNS } from '../../src/formats/ledger-columns.ts';
import { FORMATS } from '../../src/formats/registry.ts';
import { CALM, makeRow, type Row, seeded, startLedgerServer } from './ledger-server.ts';
import { exportRequest } from './request.ts';

let directory: string;
let dispatcher: Agent;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'cryptodata-check-'));
  dispatcher = new Agent();
});
afterEach(async () => {
  await dispatcher.close();
  rmSync(directory, { recursive: true, force: true });
});

const ROWS = 3000;
const PAGE = 200;

interface Case {
  readonly format: 'parquet' | 'xlsx';
  readonly more?: Partial<LedgerExport>;
  /** The fields that the file cannot store. */
  readonly fields: Partial<Row>;
  readonly code: string;
}

const CASES: Readonly<Record<string, Case>> = {
  'a wallet id that is too long for a folder': {
    format: 'parquet',
    more: { partitionBy: ['year', 'walletId'] },
    fields: { walletId: 'x'.repeat(247) },
    code: 'PARTITION_VALUE',
  },
  'a wallet id that is too long for a folder after it is encoded': {
    format: 'parquet',
    more: { partitionBy: ['walletId'] },
    fields: { walletId: '/'.repeat(100) },
    code: 'PARTITION_VALUE',
  },
  'a decimal with too many digits before the point': {
    format: 'parquet',
    fields: { value: '9'.repeat(21) },
    code: 'PARQUET_DECIMAL',
  },
  'a decimal with too many digits after the point': {
    format: 'parquet',
    fields: { value: `0.${'1'.repeat(19)}` },
    code: 'PARQUET_DECIMAL',
  },
  'a text that is too long for a cell': {
    format: 'xlsx',
    fields: { note: 'x'.repeat(32_768) },
    code: 'XLSX_CELL',
  },
};

/** Starts a service in which the row at `index`, in the order of time, has the fields `fields`. */
async function serverWith(index: number, fields: Partial<Row>) {
  const random = seeded(5);
  const rows = Array.from({ length: ROWS }, (_, made) => ({
    ...makeRow(1_700_000_000_000 + made, made, random),
    ...{ value: `${made}.5`, walletId: 'w1', ...(made === index ? fields : {}) },
  }));
  return startLedgerServer(rows, CALM, random);
}

/** Exports all rows, and returns the error and the number of requests. */
async function failedExport(
  { format, more, fields }: Case,
  index: number,
  run: (request: LedgerExport) => Promise<unknown>,
) {
  const server = await serverWith(index, fields);
  try {
    const request = exportRequest(server.url, dispatcher, { windowRows: 2 * ROWS });
    const columns = LEDGER_COLUMNS.csv;
    const layout = { ...request.layout, format: FORMATS[format], columns, known: columns };
    const error: unknown = await run({ ...request, ...more, layout }).catch((reason: unknown) => reason);
    return { error, id: server.rows[index]?.id, requests: server.requests.length };
  } finally {
    await server.close();
  }
}

describe.each(Object.entries(CASES))('an export with %s', (_, testCase) => {
  const toFile = (request: LedgerExport) =>
    exportToFile(request, join(directory, `a.${testCase.format}`), 'refuse');

  test.each([0, PAGE - 1])(
    'an export fails before it requests the next page if the file cannot store row %s of a page',
    async (index) => {
      const { error, id, requests } = await failedExport(testCase, index, toFile);
      expect(error).toMatchObject({ code: testCase.code });
      expect(String(error)).toContain(`Row "${id}"`);
      expect((error as { hint: string }).hint).not.toContain('resume');
      expect(readdirSync(directory)).toEqual([]);
      const { requests: untilFirst } = await failedExport(testCase, 0, toFile);
      expect(requests).toBe(untilFirst);
      expect(requests).toBeLessThan(ROWS / PAGE / 2);
    },
  );

  test('an export to a stream fails before it requests the next page if the format cannot store a row', async () => {
    if (testCase.more) return;
    const sink = { write: async () => {} };
    const { error, requests } = await failedExport(testCase, 0, (request) => exportToSink(request, sink));
    expect(error).toMatchObject({ code: testCase.code });
    expect(requests).toBeLessThan(ROWS / PAGE / 2);
  });
});
