import { type FileHandle, open } from 'node:fs/promises';
import { type AsyncBuffer, type FileMetaData, parquetMetadataAsync, parquetRead } from 'hyparquet';
import { snappyUncompressor } from 'hysnappy';
import { once } from '../../core/once.ts';
import { readDecimal } from './decimal128.ts';
import { firstOffset, type StoredGroup } from './stored-group.ts';
import { storedText } from './text.ts';

/** The columns of one row group. Decimals are text, and times are Unix milliseconds. */
export interface RowGroup {
  readonly rows: number;
  /** Returns the values of a column, or undefined if the file does not have the column. */
  column(name: string): ArrayLike<unknown> | undefined;
}

export interface ParquetSelection {
  /** Names of the columns to read (default: all). */
  readonly columns?: readonly string[];
  /** Whether the text is JSON that was stored unchanged. */
  readonly isJson?: boolean;
  /** The row groups to read (default: all). */
  readonly groups?: GroupRange | undefined;
}

/** Consecutive row groups of a file: the number of the first, and how many. */
export interface GroupRange {
  readonly first: number;
  readonly count: number;
}

/**
 * Yields the row groups of a Parquet file that `createParquet` wrote.
 *
 * @throws Error if the file is damaged
 */
export async function* readParquet(
  path: string,
  { columns, isJson = false, groups = ALL_GROUPS }: ParquetSelection = {},
): AsyncGenerator<RowGroup> {
  const handle = await open(path);
  try {
    const file = await bufferOf(handle);
    const { metadata, kinds } = withoutConversions(await metadataOf(file));
    let start = 0;
    for (const [at, { num_rows }] of metadata.row_groups.entries()) {
      const rows = Number(num_rows);
      if (at < groups.first || at >= groups.first + groups.count) {
        start += rows;
        continue;
      }
      const values = new Map<string, ArrayLike<unknown>>();
      await parquetRead({
        file,
        metadata,
        rowStart: start,
        rowEnd: start + rows,
        ...(columns && { columns: columns.filter((name) => kinds.has(name)) }),
        compressors: { SNAPPY: uncompress() },
        parsers: { stringFromBytes: isJson ? decoded : textFrom },
        onChunk: ({ columnName, columnData }) => values.set(columnName, columnData),
      });
      for (const [name, data] of values) {
        const convert = kinds.get(name);
        if (data.length !== rows) throw new Error(`${name} has ${data.length} of ${rows} values`);
        if (convert) values.set(name, Array.from(data, convert));
      }
      yield { rows, column: (name) => values.get(name) };
      start += rows;
    }
  } finally {
    await handle.close();
  }
}

const ALL_GROUPS: GroupRange = { first: 0, count: Number.POSITIVE_INFINITY };

/** Yields row groups as they are stored, so that `createParquet` can copy them. */
export async function* storedGroups(path: string, { first, count }: GroupRange): AsyncGenerator<StoredGroup> {
  const handle = await open(path);
  try {
    const file = await bufferOf(handle);
    const { row_groups } = await metadataOf(file);
    for (const group of row_groups.slice(first, first + count)) {
      const start = Number(firstOffset(group));
      const size = group.columns.reduce(
        (sum, { meta_data }) => sum + Number(meta_data?.total_compressed_size ?? 0),
        0,
      );
      yield { group, bytes: new Uint8Array(await file.slice(start, start + size)) };
    }
  } finally {
    await handle.close();
  }
}

let last: { readonly file: string; readonly metadata: FileMetaData } | undefined;

/**
 * Returns the metadata of a file. Keeps the metadata of the last file, because the windows of a mirror are read one by one from
 * the same file. Parsing the metadata of all its row groups takes longer than reading one window.
 */
async function metadataOf(file: StoredFile): Promise<FileMetaData> {
  if (last?.file === file.identity) return last.metadata;
  // Dates would lose times that are out of range.
  const parsers = { timestampFromMicroseconds: (time: bigint) => time as unknown as Date };
  const metadata = await parquetMetadataAsync(file, { parsers });
  last = { file: file.identity, metadata };
  return metadata;
}

/** Loads the WebAssembly only once, because loading takes longer than decompressing a page. */
const uncompress = once(snappyUncompressor);

type Convert = (value: unknown) => unknown;

/**
 * Removes the logical types of decimals and times, because hyparquet would return doubles and dates instead of the stored bytes
 * and integers.
 */
function withoutConversions(metadata: FileMetaData): {
  metadata: FileMetaData;
  kinds: ReadonlyMap<string, Convert | undefined>;
} {
  const kinds = new Map<string, Convert | undefined>();
  const [root, ...fields] = metadata.schema;
  if (!root) throw new Error('the file has no schema');
  const schema = fields.map(({ logical_type, converted_type, ...field }) => {
    const type = logical_type?.type;
    const time =
      logical_type?.type === 'TIMESTAMP' && logical_type.unit === 'MICROS' ? fromMicros : milliseconds;
    const convert = type === 'DECIMAL' ? decimalText : type === 'TIMESTAMP' ? time : undefined;
    kinds.set(field.name, convert);
    if (convert) return field;
    return { ...field, ...(logical_type && { logical_type }), ...(converted_type && { converted_type }) };
  });
  return { metadata: { ...metadata, schema: [root, ...schema] }, kinds };
}

function decimalText(value: unknown): string | null {
  return value instanceof Uint8Array ? readDecimal(value) : null;
}

function milliseconds(value: unknown): number | null {
  return typeof value === 'bigint' ? Number(value) : null;
}

function fromMicros(value: unknown): number | null {
  return typeof value === 'bigint' ? Number(value / 1000n) : null;
}

/** Decodes UTF-8. For the short strings in most columns, `Buffer` is faster than the decoder of hyparquet. */
function textFrom(bytes: Uint8Array): string {
  const text = decoded(bytes);
  return text.includes('\\u') ? storedText(text) : text;
}

interface StoredFile extends AsyncBuffer {
  /** Differs for each file, and for each content of a file. */
  readonly identity: string;
}

async function bufferOf(handle: FileHandle): Promise<StoredFile> {
  const { dev, ino, mtimeNs, size: bytes } = await handle.stat({ bigint: true });
  const size = Number(bytes);
  return {
    byteLength: size,
    identity: [dev, ino, mtimeNs, size].join(' '),
    async slice(start, end = size) {
      const bytes = new Uint8Array(end - start);
      let at = 0;
      while (at < bytes.length) {
        const { bytesRead } = await handle.read(bytes, at, bytes.length - at, start + at);
        if (bytesRead === 0) throw new Error('the file ends too early');
        at += bytesRead;
      }
      return bytes.buffer;
    },
  };
}

function decoded(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8');
}
