import { snappyCompressor } from 'hysnappy';
import {
  ByteWriter,
  type ColumnMetaData,
  type SchemaElement,
  type Statistics,
  writePageHeader,
  writeRuns,
} from './format.ts';

/** The encoded values of a column in a row group, without nulls. */
export interface EncodedValues {
  /** The physical and logical type of the column. */
  readonly type: Omit<SchemaElement, 'name'>;
  /** Bytes before compression. */
  readonly size: number;
  /** @throws CryptodataError if the column cannot store the value exactly */
  put(value: unknown): void;
  /** Like `put`, for the bytes of a text or a number. The bytes are ASCII without a backslash. */
  putText?(source: Buffer, from: number, to: number): void;
  /** Appends the values to `body`, in the encoding of the page. */
  write(body: ByteWriter): void;
  clear(): void;
  /** Returns the distinct values in the PLAIN encoding, or undefined if the page has no dictionary. */
  dictionary?(): { readonly bytes: Uint8Array; readonly count: number } | undefined;
  /** The minimum and maximum value, so that readers can skip row groups. */
  bounds?(): Statistics;
}

/**
 * One column. Each value is encoded when it is added. In each row group, the column has one data page, compressed with snappy.
 * The page has version 1, which every reader supports (parquet-format, README.md, "Data Pages").
 *
 * All kinds of columns share this class and differ only in their `Values`. Because all columns have the same object shape,
 * writing takes a third less time. decisions/0006-parquet-columns.md explains why the library's columns are not used.
 */
export class ParquetColumn {
  readonly element: SchemaElement;
  readonly #values: EncodedValues;
  #rows = 0;
  #nulls = 0;
  /** Definition levels: 1 for a value, 0 for null. Those of later rows are 1 already. */
  #levels = new Uint8Array(1024).fill(1);

  constructor(name: string, values: EncodedValues) {
    this.#values = values;
    this.element = { name, repetition_type: 'OPTIONAL', ...values.type };
  }

  get size(): number {
    return this.#values.size;
  }

  add(value: unknown): void {
    if (value === null || value === undefined) {
      this.#reserve(this.#rows + 1);
      this.#levels[this.#rows] = 0;
      this.#nulls += 1;
    } else this.#values.put(value);
    this.#rows += 1;
  }

  /** Whether {@link addText} may be called. */
  get takesText(): boolean {
    return this.#values.putText !== undefined;
  }

  /** Adds a text or a number from its bytes. The bytes are ASCII without a backslash. */
  addText(source: Buffer, from: number, to: number): void {
    this.#values.putText?.(source, from, to);
    this.#rows += 1;
  }

  /** Ensures that there are definition levels for this number of rows. */
  #reserve(rows: number): void {
    if (rows <= this.#levels.length) return;
    const larger = new Uint8Array(2 * rows).fill(1);
    larger.set(this.#levels);
    this.#levels = larger;
  }

  /** Writes the column chunk and removes its rows from memory. */
  flush(writer: ByteWriter, { body, compress }: Packing): ColumnMetaData {
    const start = writer.offset;
    let uncompressed = 0;
    const values = this.#values;
    const rows = this.#rows;
    this.#reserve(rows);
    const levels = this.#levels.subarray(0, rows);
    const dictionary = values.dictionary?.();
    if (dictionary) {
      uncompressed += page(writer, compress, dictionary.bytes, (sizes) => ({
        ...sizes,
        type: 'DICTIONARY_PAGE',
        dictionary_page_header: { num_values: dictionary.count, encoding: 'PLAIN' },
      }));
    }
    const dataStart = writer.offset;
    body.index = 0;
    body.appendUint32(0);
    writeRuns(body, new Uint32Array(levels), 1);
    body.view.setUint32(0, body.index - 4, true);
    values.write(body);
    uncompressed += page(writer, compress, body.getBytes(), (sizes) => ({
      ...sizes,
      type: 'DATA_PAGE',
      data_page_header: {
        num_values: rows,
        encoding: dictionary ? 'RLE_DICTIONARY' : 'PLAIN',
        definition_level_encoding: 'RLE',
        repetition_level_encoding: 'RLE',
      },
    }));
    const { type = 'BYTE_ARRAY', name } = this.element;
    const metadata: ColumnMetaData = {
      type,
      encodings: dictionary ? ['PLAIN', 'RLE', 'RLE_DICTIONARY'] : ['PLAIN', 'RLE'],
      path_in_schema: [name],
      codec: 'SNAPPY',
      num_values: BigInt(rows),
      total_uncompressed_size: BigInt(uncompressed),
      total_compressed_size: BigInt(writer.offset - start),
      data_page_offset: BigInt(dataStart),
      statistics: { null_count: BigInt(this.#nulls), ...values.bounds?.() },
    };
    if (dictionary) metadata.dictionary_page_offset = BigInt(start);
    levels.fill(1);
    this.#rows = 0;
    this.#nulls = 0;
    values.clear();
    return metadata;
  }
}

/** Throws an error that explains why a value cannot be stored. */
export type Fail = (code: 'PARQUET_DECIMAL' | 'PARQUET_TYPE', why: string, hint: string) => never;

/** Resources shared by the columns of a file. */
export interface Packing {
  /** One buffer for the pages of all columns. A separate buffer for each column would use most of the memory. */
  readonly body: ByteWriter;
  readonly compress: Compress;
}
type Compress = (bytes: Uint8Array) => Uint8Array;

/**
 * hysnappy uses WebAssembly and is several times as fast as the compressor of hyparquet-writer. The compressed bytes depend on
 * earlier pages. Each file therefore has its own compressor, so that the same records always produce the same bytes.
 */
export function createPacking(): Packing {
  return { body: new ByteWriter(4096), compress: snappyCompressor() };
}

type PageHeader = Parameters<typeof writePageHeader>[1];

function page(
  writer: ByteWriter,
  compress: Compress,
  bytes: Uint8Array,
  header: (sizes: { uncompressed_page_size: number; compressed_page_size: number }) => PageHeader,
): number {
  const compressed = compress(bytes);
  const start = writer.offset;
  writePageHeader(
    writer,
    header({ uncompressed_page_size: bytes.length, compressed_page_size: compressed.length }),
  );
  const headerSize = writer.offset - start;
  writer.appendBytes(compressed);
  return headerSize + bytes.length;
}
