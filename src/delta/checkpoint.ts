import { readFile } from 'node:fs/promises';
import { parquetReadObjects, type SchemaElement } from 'hyparquet';
import { parquetWriteBuffer } from 'hyparquet-writer';
import { DAY } from '../core/instant.ts';
import { isRecord, type JsonRecord } from '../core/json.ts';
import { type Action, isAction, type TableState } from './actions.ts';

// A classic checkpoint (PROTOCOL.md, "Checkpoints"): one Parquet file with one row for each action of the table's state.

type Field = readonly SchemaElement[];
const leaf = (name: string, type: Omit<SchemaElement, 'name'>): Field => [
  { name, repetition_type: 'OPTIONAL', ...type },
];
const text = (name: string) => leaf(name, { type: 'BYTE_ARRAY', converted_type: 'UTF8' });
const long = (name: string) => leaf(name, { type: 'INT64' });
const int = (name: string) => leaf(name, { type: 'INT32' });
const flag = (name: string) => leaf(name, { type: 'BOOLEAN' });
const group = (name: string, ...fields: readonly Field[]): Field => [
  { name, repetition_type: 'OPTIONAL', num_children: fields.length },
  ...fields.flat(),
];
const list = (name: string): Field => [
  { name, repetition_type: 'OPTIONAL', num_children: 1, converted_type: 'LIST' },
  { name: 'list', repetition_type: 'REPEATED', num_children: 1 },
  ...text('element'),
];
const map = (name: string): Field => [
  { name, repetition_type: 'OPTIONAL', num_children: 1, converted_type: 'MAP' },
  { name: 'key_value', repetition_type: 'REPEATED', num_children: 2 },
  { name: 'key', repetition_type: 'REQUIRED', type: 'BYTE_ARRAY', converted_type: 'UTF8' },
  ...text('value'),
];

const ACTIONS: readonly Field[] = [
  group('txn', text('appId'), long('version'), long('lastUpdated')),
  group(
    'add',
    ...[text('path'), map('partitionValues'), long('size'), long('modificationTime'), flag('dataChange')],
    ...[text('stats'), map('tags')],
  ),
  group(
    'remove',
    ...[text('path'), long('deletionTimestamp'), flag('dataChange'), flag('extendedFileMetadata')],
    ...[map('partitionValues'), long('size')],
  ),
  group(
    'metaData',
    ...[text('id'), text('name'), group('format', text('provider'), map('options')), text('schemaString')],
    ...[list('partitionColumns'), map('configuration'), long('createdTime')],
  ),
  group('protocol', int('minReaderVersion'), int('minWriterVersion')),
];
const SCHEMA: SchemaElement[] = [{ name: 'spark_schema', num_children: ACTIONS.length }, ...ACTIONS.flat()];
const LONGS = new Set(SCHEMA.flatMap(({ name, type }) => (type === 'INT64' ? name : [])));

/** Days for which a removed file is remembered: `delta.deletedFileRetentionDuration`. */
export const RETENTION_DAYS = 30;
const RETENTION = RETENTION_DAYS * DAY;

/** The content of a checkpoint, and the number of its actions. */
export function checkpointOf(snapshot: TableState): { readonly bytes: Uint8Array; readonly size: number } {
  const { protocol, metaData, files, removed, transactions, timestamp } = snapshot;
  const recent = [...removed.values()].filter(
    ({ deletionTimestamp: at }) => (at ?? 0) > timestamp - RETENTION,
  );
  const actions: Action[] = [
    { protocol },
    { metaData },
    ...[...transactions].map(([appId, version]) => ({ txn: { appId, version } })),
    ...[...files.values()].map((add) => ({ add: { ...add, dataChange: false } })),
    ...recent.map((remove) => ({ remove: { ...remove, dataChange: false } })),
  ];
  const rows = actions.map((action) => withBigints({ ...action }));
  const columnData = ACTIONS.map(([element]) => {
    const name = element?.name ?? '';
    return { name, data: rows.map((row) => row[name] ?? null) };
  });
  return {
    bytes: new Uint8Array(parquetWriteBuffer({ columnData, schema: SCHEMA })),
    size: actions.length,
  };
}

/** Converts the integers of an action for 64-bit columns. */
function withBigints(record: JsonRecord): JsonRecord {
  const entries = Object.entries(record).map(([name, value]) => [
    name,
    isRecord(value)
      ? withBigints(value)
      : LONGS.has(name) && typeof value === 'number'
        ? BigInt(value)
        : value,
  ]);
  return Object.fromEntries(entries);
}

/** Reads a checkpoint. Returns undefined if the file is damaged. */
export async function readCheckpoint(path: string): Promise<readonly Action[] | undefined> {
  try {
    const { buffer, byteOffset, byteLength } = await readFile(path);
    const file = buffer.slice(byteOffset, byteOffset + byteLength) as ArrayBuffer;
    const rows = (await parquetReadObjects({ file })).map(plain);
    return rows.every(isAction) ? rows : undefined;
  } catch {
    return undefined;
  }
}

/** Converts 64-bit integers to numbers, and omits nulls. */
function plain(value: unknown): unknown {
  if (typeof value === 'bigint') return Number(value);
  if (Array.isArray(value)) return value.map(plain);
  if (!isRecord(value)) return value;
  const known = Object.entries(value).filter(([, held]) => held !== null && held !== undefined);
  return Object.fromEntries(known.map(([name, held]) => [name, plain(held)]));
}
