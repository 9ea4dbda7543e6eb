import { OutputError } from '../../core/errors.ts';
import type { JsonRecord } from '../../core/json.ts';
import { VERSION } from '../../core/version.ts';
import type { Column, View } from '../columns.ts';
import type { Layout, RecordCheck } from '../format.ts';
import { type ColumnKind, exactKind, type KindOf, ledgerKind, textKind } from '../kinds.ts';
import { type ByteSink, type ColumnwiseFile, type RecordFile, recordName } from '../record-file.ts';
import { rowReader } from '../row-reader.ts';
import { parquetSumKind } from '../summed-file.ts';
import { cellText } from '../text.ts';
import { createPacking, type EncodedValues, type Fail, ParquetColumn } from './column.ts';
import { ByteWriter, ParquetWriter, type SchemaElement } from './format.ts';
import { type ColumnBounds, firstOffset, groupBounds, type StoredGroup, shifted } from './stored-group.ts';
import { TextValues } from './text-values.ts';
import {
  BooleanValues,
  CountValues,
  DecimalValues,
  type MomentUnit,
  MomentValues,
  NumberValues,
} from './values.ts';

export interface ParquetOptions {
  /** Returns the values of all columns for a record (default: {@link rowReader}). */
  readonly read?: ((record: JsonRecord) => readonly unknown[]) | undefined;
  readonly columns: readonly Column[];
  readonly view: View;
  /** Whether to write decimal strings as DECIMAL(38, 18) or as unchanged text. */
  readonly decimals: 'decimal' | 'string';
  /** Returns the kind of a column (default: {@link ledgerKind}). */
  readonly kindOf?: KindOf;
  /** Key-value metadata of the file. */
  readonly metadata?: Readonly<Record<string, string>>;
  /** Maximum number of rows in a row group. */
  readonly groupRows?: number;
  /** The unit in which times are stored (default: milliseconds). */
  readonly momentUnit?: MomentUnit;
  /** The type of the kind `count` (default: DOUBLE). */
  readonly counts?: 'DOUBLE' | 'INT32';
}

/** A Parquet file whose row groups the caller controls. */
export interface ParquetFile extends RecordFile {
  byColumn(current: () => JsonRecord): ColumnwiseFile;
  /** Ends the current row group, if it has rows. Returns the number of row groups so far. */
  endGroup(): Promise<number>;
  /** Copies a row group of another file with the same columns, without decoding it. */
  copyGroup(group: StoredGroup): Promise<void>;
  /** Returns the number of rows so far, and the least and the greatest value of a column of times, in its unit. */
  summary(column: string): { readonly rows: number; readonly bounds: ColumnBounds | undefined };
}

/** Creates a writer for an exported Parquet file. */
export function parquetFile(sink: ByteSink, layout: Layout): RecordFile {
  return createParquet(sink, parquetOptions(layout));
}

/** Returns the Parquet options for an export. */
export function parquetOptions(layout: Layout): ParquetOptions {
  const { columns, view, parquetDecimals: decimals, parquetNumbers, sums, openFields } = layout;
  const kindOf = sums ? parquetSumKind : openFields ? textKind : ledgerKind;
  return { columns, view, decimals, kindOf: parquetNumbers === 'string' ? exactKind(kindOf) : kindOf };
}

/** Checks that each value of a record fits the type of its column. */
export function parquetCheck(layout: Layout): RecordCheck {
  return recordCheckOf(parquetOptions(layout));
}

export function recordCheckOf({ columns, view, decimals, kindOf = ledgerKind }: ParquetOptions): RecordCheck {
  const read = rowReader(columns, view);
  let current: JsonRecord = {};
  const typed = columns.flatMap((column, at) => {
    const kind = kindOf(column);
    const fail = failOf(column, () => ({ record: current, row: undefined, value: read(current)[at] }));
    const values = valuesOf(kind, { decimals }, fail);
    return values instanceof TextValues ? [] : { key: column.key, kind, at, values };
  });
  return {
    kinds: new Map(typed.map(({ key, kind }) => [key, kind])),
    check(record) {
      current = record;
      const row = read(record);
      for (const { at, values } of typed) {
        const value = row[at];
        if (value === null || value === undefined) continue;
        values.put(value);
        values.clear();
      }
    },
  };
}

/** @param rejected returns the value that the column cannot store */
function failOf(
  { key }: Column,
  rejected: () => { readonly record: JsonRecord; readonly row: number | undefined; readonly value: unknown },
): Fail {
  return (code, why, hint) => {
    const { record, row, value } = rejected();
    const text = cellText(value);
    const shown = text.length > 120 ? `${text.slice(0, 120)}…` : text;
    const message = `Row ${recordName(record, row)}: ${key} is ${JSON.stringify(shown)}, ${why}`;
    throw new OutputError(code, message, { hint });
  };
}

const GROUP_ROWS = 50_000;
/** Maximum size of a row group in bytes, before compression. A row group stays in memory until it is written. */
const GROUP_BYTES = 16 * 1024 * 1024;
/** Bytes per write. */
const CHUNK = 1024 * 1024;
/** Number of rows after which the size of the row group is checked again. */
const LOOK_EVERY = 64;

/**
 * Creates a Parquet file, one row group at a time (https://github.com/apache/parquet-format). hyparquet-writer writes the file
 * structure (thrift, page headers, levels, footer), and `ParquetColumn` encodes the values.
 */
export function createParquet(sink: ByteSink, options: ParquetOptions): ParquetFile {
  const { columns, view, kindOf = ledgerKind, groupRows = GROUP_ROWS, metadata = {} } = options;
  if (columns.length === 0) {
    throw new OutputError('PARQUET_NO_COLUMNS', 'A Parquet file needs at least one column', {
      hint: 'Select columns with `columns`.',
    });
  }
  let current = (): JsonRecord => ({});
  let record: JsonRecord | undefined;
  let rows = 0;
  let inGroup = 0;
  let nextLook = LOOK_EVERY;

  const read = options.read ?? rowReader(columns, view);
  const fields = columns.map((column, at) => {
    const fail = failOf(column, () => {
      const rejected = record ?? current();
      return { record: rejected, row: rows, value: read(rejected)[at] };
    });
    return new ParquetColumn(column.key, valuesOf(kindOf(column), options, fail));
  });
  const elements: SchemaElement[] = fields.map(({ element }) => element);
  const writer = new ByteWriter(64 * 1024);
  const packing = createPacking();
  const parts = {
    schema: [{ name: 'schema', num_children: elements.length }, ...elements],
    createdBy: `cryptodata version ${VERSION}`,
    ...(Object.keys(metadata).length > 0 && {
      kvMetadata: Object.entries(metadata).map(([key, value]) => ({ key, value })),
    }),
  };
  const file = new ParquetWriter({ writer, ...parts });

  const drain = async (): Promise<void> => {
    if (writer.index === 0) return;
    await sink.write(writer.getBytes());
    writer.index = 0;
  };

  const flush = async (): Promise<void> => {
    const start = writer.offset;
    const chunks = [];
    for (const field of fields) {
      const offset = BigInt(writer.offset);
      chunks.push({ file_offset: offset, meta_data: field.flush(writer, packing) });
      if (writer.index >= CHUNK) await drain();
    }
    file.row_groups.push({
      columns: chunks,
      num_rows: BigInt(inGroup),
      total_byte_size: chunks.reduce((sum, { meta_data }) => sum + meta_data.total_uncompressed_size, 0n),
      total_compressed_size: BigInt(writer.offset - start),
    });
    file.num_rows += BigInt(inGroup);
    inGroup = 0;
    nextLook = LOOK_EVERY;
    await drain();
  };

  const isFull = (): boolean => {
    if (inGroup >= groupRows) return true;
    if (inGroup < nextLook) return false;
    nextLook = inGroup + LOOK_EVERY;
    return fields.reduce((sum, { size }) => sum + size, 0) >= GROUP_BYTES;
  };

  const endRows = (count: number): Promise<void> | void => {
    record = undefined;
    rows += count;
    inGroup += count;
    return isFull() ? flush() : undefined;
  };

  return {
    add(added) {
      record = added;
      const values = read(added);
      for (let at = 0; at < fields.length; at += 1) fields[at]?.add(values[at]);
      return endRows(1);
    },
    byColumn(currentRecord) {
      current = currentRecord;
      return { columns: fields, endRows };
    },
    async endGroup() {
      if (inGroup > 0) await flush();
      return file.row_groups.length;
    },
    summary: (column) => ({ rows, bounds: groupBounds(file.row_groups, column) }),
    async copyGroup({ group, bytes }) {
      const shift = BigInt(writer.offset) - firstOffset(group);
      writer.appendBytes(bytes);
      file.row_groups.push(shifted(group, shift));
      file.num_rows += group.num_rows;
      rows += Number(group.num_rows);
      await drain();
    },
    async finish() {
      if (inGroup > 0) await flush();
      await file.finish();
      if (rows === 0) typeEmptyList(writer, parts);
      await drain();
    },
  };
}

/**
 * If the list of row groups is empty, hyparquet-writer omits the element type of this list, and Rust readers reject the file.
 * This function adds the missing element type. To find the list, the function compares the footer of this file with the footer
 * of a file that has one row group.
 */
function typeEmptyList(
  { buffer }: ByteWriter,
  parts: Omit<ConstructorParameters<typeof ParquetWriter>[0], 'writer'>,
): void {
  const other = new ByteWriter();
  const file = new ParquetWriter({ writer: other, ...parts });
  file.row_groups.push({ columns: [], num_rows: 0n, total_byte_size: 0n });
  file.finish();
  const bytes = new Uint8Array(buffer);
  const list = bytes.findIndex((byte, at) => byte !== other.view.getUint8(at));
  bytes[list] = other.view.getUint8(list) & 0x0f;
}

function valuesOf(
  kind: ColumnKind,
  { decimals, momentUnit = 'MILLIS', counts }: Pick<ParquetOptions, 'decimals' | 'momentUnit' | 'counts'>,
  fail: Fail,
): EncodedValues {
  if (kind === 'decimal' && decimals === 'decimal') return new DecimalValues(fail);
  if (kind === 'count' && counts === 'INT32') return new CountValues(fail);
  if (kind === 'number' || kind === 'count') return new NumberValues(fail);
  if (kind === 'moment') return new MomentValues(fail, momentUnit);
  if (kind === 'boolean') return new BooleanValues(fail);
  return new TextValues(kind === 'json');
}
