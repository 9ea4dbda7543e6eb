import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { readTable } from '../../src/delta/log.ts';
import { hasSpark, READERS, startDeltaRs, type TableReader } from '../spark.ts';
import { addVersion, dataFile, FIRST, newFolder } from './support.ts';

const SQL = 'SELECT workspace_id, id, quantity FROM legs ORDER BY id';
const row = (workspace_id: string, id: string, quantity: string) => ({ workspace_id, id, quantity });
const A = row('acme', 'a', '1.500000000000000000');
const B = row('birch', 'b', '99999999999999999999.999999999999999999');
const C = row('acme', 'c', '-0.000000000000000001');

describe.skipIf(!hasSpark())('tables that this tool and other programs exchange', () => {
  const folder = newFolder();
  const long = newFolder();
  const legs = { path: join(folder, 'table') };

  beforeAll(async () => {
    const a = await dataFile(legs.path, 'acme', [A]);
    await addVersion(folder, [...FIRST, a]);
    await addVersion(folder, [await dataFile(legs.path, 'birch', [B])]);
    const path = a.add?.path ?? '';
    await addVersion(folder, [
      await dataFile(legs.path, 'acme', [C]),
      { remove: { path, deletionTimestamp: Date.now(), dataChange: true } },
      { txn: { appId: 'cryptodata/acme', version: 2 } },
    ]);
    await addVersion(long, [...FIRST, await dataFile(join(long, 'table'), 'acme', [A])]);
    for (let version = 1; version <= 101; version++) await addVersion(long, []);
  });

  describe.each(READERS)('%s', (_, start) => {
    let reader: TableReader;
    beforeAll(() => {
      reader = start();
    });

    test('reads every version of a table that this tool wrote', async () => {
      const at = (version: number) => reader.ask({ sql: SQL, tables: { legs: { ...legs, version } } });
      expect(await at(0)).toEqual([A]);
      expect(await at(1)).toEqual([A, B]);
      expect(await at(2)).toEqual([B, C]);
      expect(await reader.ask({ sql: SQL, tables: { legs } })).toEqual([B, C]);
    });

    test('reads a table with a checkpoint', async () => {
      const tables = { legs: { path: join(long, 'table') } };
      expect(await reader.ask({ sql: SQL, tables })).toEqual([A]);
    });
  });

  test('reads tables that delta-rs wrote', async () => {
    const path = join(newFolder(), 'table');
    const reader = startDeltaRs();
    const write = (write: readonly object[], mode: string) =>
      reader.ask({ write, path, mode } as unknown as Parameters<TableReader['ask']>[0]);
    await write([A, B], 'append');
    await write([C], 'append');
    const first = await readTable(path, 0);
    const second = await readTable(path);
    expect([first?.files.size, second?.files.size]).toEqual([2, 3]);
    const rows = [...(second?.files.values() ?? [])].map(
      ({ stats }) => JSON.parse(stats ?? '{}')['numRecords'],
    );
    expect(rows).toEqual([1, 1, 1]);
    await write([B], 'overwrite');
    const last = await readTable(path);
    expect([...(last?.files.values() ?? [])].map(({ partitionValues }) => partitionValues)).toEqual([
      { workspace_id: 'birch' },
    ]);
    expect(last?.removed.size).toBe(3);
  });
});
