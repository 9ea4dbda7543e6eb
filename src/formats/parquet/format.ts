// Re-exports the hyparquet-writer functions that are used here, and defines names for the metadata types.
import type { ParquetWriter, SchemaElement } from 'hyparquet-writer';
import { writeRleBitPackedHybrid } from 'hyparquet-writer/src/encoding.js';

export { ByteWriter, ParquetWriter } from 'hyparquet-writer';
export { writePageHeader } from 'hyparquet-writer/src/datapage.js';
/**
 * Writes numbers below 2^width as RLE and bit-packed runs (parquet-format, Encodings.md). Accepts only one kind of array, because
 * V8 reads the numbers several times as fast if their array always has the same type.
 */
export const writeRuns: (
  writer: Parameters<typeof writeRleBitPackedHybrid>[0],
  values: Uint32Array,
  width: number,
) => void = writeRleBitPackedHybrid;

export type { SchemaElement };

type ColumnChunk = ParquetWriter['row_groups'][number]['columns'][number];
export type ColumnMetaData = NonNullable<ColumnChunk['meta_data']>;
export type Statistics = NonNullable<ColumnMetaData['statistics']>;
