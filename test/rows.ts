import { ByteBuffer } from '../src/core/byte-buffer.ts';
import type { Row } from '../src/read/rows.ts';

/** A row with this text in a segment. */
export function rowWith({
  text,
  ...fields
}: Partial<Row> & { readonly id: string; readonly text: string }): Row {
  return {
    time: 1,
    isRecord: true,
    extraFields: [],
    ...fields,
    writeTo: (buffer) => buffer.text(text),
    keep() {},
  };
}

/** The text of a row in a segment. */
export function textOf(row: Row): string {
  const buffer = new ByteBuffer();
  row.writeTo(buffer);
  return buffer.written.toString();
}
