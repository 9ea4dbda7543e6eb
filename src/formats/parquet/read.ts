import { type FileHandle, open } from 'node:fs/promises';
import { type AsyncBuffer, type FileMetaData, parquetMetadataAsync, parquetRead } from 'hyparquet';
import { snappyUncompressor } from 'hysnappy';
import { once } from '../../core/once.ts';
import { readDecimal } from './decimal128.ts';
import { storedText } from './text.ts';

/** The columns of one row group. Decimals are text, and times are Unix milliseconds. */
export interface RowGroup {
  readonly rows: number;
  /** Returns the values of a column, or undefined if the file does not have the column. */
  column(name: string): ArrayLike<unknown> | undefined;
}

/**
 * Yields the row groups of a Parquet file that `createParquet` wrote.
 *
 * @param columns names of the columns to read (default: all)
 * @throws Error if the file is damaged
 */
export async function* readParquet(path: string, columns?: readonly string[]): AsyncGenerator<RowGroup> {
  const handle = await open(path);
  try {
    const file = await bufferOf(handle);
    const served = await parquetMetadataAsync(file);
    const { metadata, kinds } = withoutConversions(served);
    let start = 0;
    for (const { num_rows } of metadata.row_groups) {
      const rows = Number(num_rows);
      const values = new Map<string, ArrayLike<unknown>>();
      await parquetRead({
        file,
        metadata,
        rowStart: start,
        rowEnd: start + rows,
        ...(columns && { columns: columns.filter((name) => kinds.has(name)) }),
        compressors: { SNAPPY: uncompress() },
        parsers: { stringFromBytes: textFrom },
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

/** Loads the WebAssembly only once, because loading takes longer than decompressing a page. */
const uncompress = once(snappyUncompressor);

type Convert = (value: unknown) => unknown;

/**
 * Removes the logical types of decimals and times. Otherwise, hyparquet would return doubles and dates instead of the stored
 * bytes and integers.
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
    const convert = type === 'DECIMAL' ? decimalText : type === 'TIMESTAMP' ? milliseconds : undefined;
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

/** Decodes UTF-8. For the short strings in most columns, `Buffer` is faster than the decoder of hyparquet. */
function textFrom(bytes: Uint8Array): string {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8');
  return text.includes('\\u') ? storedText(text) : text;
}

async function bufferOf(handle: FileHandle): Promise<AsyncBuffer> {
  const { size } = await handle.stat();
  return {
    byteLength: size,
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
