import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Action } from '../../src/delta/actions.ts';
import { commit } from '../../src/delta/commit.ts';
import { viewOf } from '../../src/formats/columns.ts';
import { createParquet } from '../../src/formats/parquet/index.ts';
import { atEnd } from '../at-end.ts';

export function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'cryptodata-delta-'));
  atEnd(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

export interface Leg {
  readonly id: string;
  readonly quantity: string;
}

const field = (name: string, type: string) => ({ name, type, nullable: true, metadata: {} });

/** The first actions of a table with the columns `workspace_id`, `id` and `quantity`. */
export const FIRST: readonly Action[] = [
  { protocol: { minReaderVersion: 1, minWriterVersion: 2 } },
  {
    metaData: {
      id: '2f8a3c1e-6d1b-4f0a-9c3e-000000000001',
      format: { provider: 'parquet', options: {} },
      schemaString: JSON.stringify({
        type: 'struct',
        fields: [field('workspace_id', 'string'), field('id', 'string'), field('quantity', 'decimal(38,18)')],
      }),
      partitionColumns: ['workspace_id'],
      configuration: { 'delta.checkpointInterval': '100' },
      createdTime: 1_700_000_000_000,
    },
  },
];

/** Writes a data file into the folder of a table, and returns the action that adds it. */
export async function dataFile(table: string, workspace: string, legs: readonly Leg[]): Promise<Action> {
  const chunks: Uint8Array[] = [];
  const sink = { write: async (chunk: Uint8Array) => void chunks.push(Uint8Array.from(chunk)) };
  const columns = [{ key: 'id' }, { key: 'quantity' }];
  const file = createParquet(sink, { columns, view: viewOf('UTC'), decimals: 'decimal' });
  for (const leg of legs) await file.add({ ...leg });
  await file.finish();
  const bytes = Buffer.concat(chunks);
  const path = `${createHash('sha256').update(bytes).digest('hex').slice(0, 16)}.parquet`;
  mkdirSync(table, { recursive: true });
  writeFileSync(join(table, path), bytes);
  return {
    add: {
      ...{ path, partitionValues: { workspace_id: workspace }, size: bytes.length, modificationTime: 1 },
      ...{ dataChange: true, stats: JSON.stringify({ numRecords: legs.length }) },
    },
  };
}

/** Adds a version with these actions to a table. */
export function addVersion(
  folder: string,
  actions: readonly Action[],
  {
    now = Date.now,
    info = {},
  }: { readonly now?: () => number; readonly info?: Record<string, unknown> } = {},
): Promise<number> {
  const options = { directory: join(folder, 'table'), temporary: join(folder, 'work'), now };
  return commit(options, () => ({ actions, info: { operation: 'WRITE', ...info } }));
}
