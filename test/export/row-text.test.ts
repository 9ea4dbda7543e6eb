import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Agent } from 'undici';
import { describe, expect, onTestFinished, test } from 'vitest';
import { exportToFile } from '../../src/export/ledger-export.ts';
import { rowEncoder } from '../../src/export/row-text.ts';
import { asServed } from '../../src/formats/columns.ts';
import type { Layout } from '../../src/formats/format.ts';
import { type ExportFormat, exportedFormat } from '../../src/formats/registry.ts';
import { CALM, makeRows, seeded, startLedgerServer } from './ledger-server.ts';
import { exportRequest } from './request.ts';

const KNOWN = [{ key: 'id' }, { key: 'asset.symbol' }, { key: 'asset.name' }, { key: 'price' }];

function layout(format: ExportFormat, more: Partial<Layout> = {}): Layout {
  return {
    ...{
      format: exportedFormat(format),
      columns: [{ key: 'id' }],
      known: KNOWN,
      shape: asServed,
      whole: true,
    },
    ...{ view: { timeZone: 'UTC' }, guard: true, dialect: 'plain' },
    ...{ parquetDecimals: 'decimal', parquetNumbers: 'string' },
    ...more,
  };
}

describe('omitted fields', () => {
  const { extraFields } = rowEncoder(layout('csv'));

  test.each<[string, Record<string, unknown>, readonly string[]]>([
    ['nothing, if each field has a column', { id: 'l1', asset: { symbol: 'BTC', name: 'Bitcoin' } }, []],
    ['each field without a column', { id: 'l1', memo: 'a', more: null }, ['memo', 'more']],
    [
      'inner fields without a column, even if other inner fields of the same object have columns',
      { asset: { symbol: 'BTC', rank: 1 } },
      ['asset.rank'],
    ],
    ['the name of an object if its value is text', { asset: 'BTC' }, ['asset']],
    ['no object that is null', { asset: null }, []],
    ['nothing inside a field with a column of its own', { price: { source: 'market' } }, []],
  ])('include %s', (_, row, fields) => {
    expect(extraFields?.(row)).toEqual(fields);
  });

  test('a derived column does not hide a field with the same name', () => {
    const known = [...KNOWN, { key: 'wallet', from: ['walletId'], derive: () => 'Savings' }];
    expect(rowEncoder(layout('csv', { known })).extraFields?.({ id: 'l1', wallet: 'x' })).toEqual(['wallet']);
  });

  test('a file with sums or whole records has no count of omitted fields', () => {
    expect(rowEncoder(layout('jsonl')).extraFields).toBeUndefined();
    const sums = { keys: [], timeZone: 'UTC', columns: [] } as unknown as Layout['sums'];
    expect(rowEncoder(layout('csv', { sums })).extraFields).toBeUndefined();
    const chosen = rowEncoder(layout('jsonl', { whole: false }));
    expect(chosen.extraFields?.({ id: 'l1', memo: 'a' })).toEqual(['memo']);
  });

  test('the manifest counts omitted fields over all windows of an export', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'cryptodata-left-out-'));
    const dispatcher = new Agent();
    const random = seeded(3);
    const server = await startLedgerServer(makeRows(450, 0.3, random), CALM, random);
    onTestFinished(async () => {
      await server.close();
      await dispatcher.close();
      rmSync(directory, { recursive: true });
    });
    const path = join(directory, 'out.csv');
    const request = exportRequest(server.url, dispatcher, { windowRows: 100 });
    const known = ['id', 'timestamp', 'quantity', 'value', 'type', 'assetId'].map((key) => ({ key }));
    const { segments } = await exportToFile({ ...request, layout: layout('csv', { known }) }, path, 'refuse');
    expect(segments.length).toBeGreaterThan(2);
    const manifest: unknown = JSON.parse(readFileSync(`${path}.manifest.json`, 'utf8'));
    const fieldsLeftOut = { description: 450, transactionId: 450, price: 450, afterBalance: 450 };
    expect(manifest).toMatchObject({ rows: 450, fieldsLeftOut });
  });
});
