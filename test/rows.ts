import { ByteBuffer } from '../src/core/byte-buffer.ts';
import type { Row } from '../src/read/rows.ts';

/** Returns a row that is stored in a segment file as `text`. */
export function rowWith({
  text,
  ...fields
}: Partial<Row> & { readonly id: string; readonly text: string }): Row {
  return {
    time: 1,
    isRecord: true,
    content: undefined,
    extraFields: [],
    ...fields,
    writeTo: (buffer) => buffer.text(text),
    keep() {},
  };
}

/** Returns the text that is written to a segment file for a row. */
export function textOf(row: Row): string {
  const buffer = new ByteBuffer();
  row.writeTo(buffer);
  return buffer.written.toString();
}
