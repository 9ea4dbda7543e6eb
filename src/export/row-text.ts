import { isRecord, type JsonRecord, jsonText, stringifyJson } from '../core/json.ts';
import type { Column } from '../formats/columns.ts';
import { holdsAllFields, type Layout, type RecordCheck } from '../formats/format.ts';
import type { TextForm } from '../formats/text-file.ts';
import type { RowEncoder } from '../read/rows.ts';
import { checkedWriter, copyVerbatim, csvWriter, type LineWriter } from './fast/line-writers.ts';
import { FastPath } from './fast/page-reader.ts';

/**
 * If the segments can be copied into the file unchanged, returns their text format. If the segments contain whole records,
 * returns undefined.
 */
export function segmentText(layout: Layout): TextForm | undefined {
  return layout.sums ? undefined : layout.format.file.text?.(layout);
}

/**
 * Returns the encoder for the segments of a file. The encoder uses the fast path if the layout allows it.
 *
 * @param check rejects records that the file cannot store
 */
export function rowEncoder(layout: Layout, check?: RecordCheck): RowEncoder {
  const text = segmentText(layout);
  const encode = text?.row ?? (check ? checkedLine(check) : recordLine);
  const counted = !holdsAllFields(layout) && layout.sums === undefined;
  const fields = layout.known.filter(({ derive }) => !derive);
  const extraFields = counted ? fieldsWithoutColumn(fields) : undefined;
  const writer = lineWriter(layout, text, check);
  if (!writer) return { encode, extraFields };
  const shown = [...(counted ? fields : []), ...layout.columns].map(({ key }) => key);
  const path = new FastPath({ writer, shown, encoder: { encode, extraFields } });
  return { encode, extraFields, newReader: () => path.newReader() };
}

/** Returns an encoder that writes each row as a whole record on one line. */
export function recordEncoder(): RowEncoder {
  const encoder = { encode: recordLine };
  const path = new FastPath({ writer: copyVerbatim('', stringifyJson, '\n'), shown: [], encoder });
  return { ...encoder, newReader: () => path.newReader() };
}

function recordLine(record: JsonRecord): string {
  return `${stringifyJson(record)}\n`;
}

function checkedLine({ check }: RecordCheck): RowEncoder['encode'] {
  return (record) => {
    check(record);
    return recordLine(record);
  };
}

function lineWriter(
  { columns, view }: Layout,
  text: TextForm | undefined,
  check: RecordCheck | undefined,
): LineWriter | undefined {
  if (!text) {
    const writer = copyVerbatim('', stringifyJson, '\n');
    return check ? checkedWriter(writer, check) : writer;
  }
  const { cells, verbatim: json } = text;
  if (cells) return csvWriter(columns, cells, view);
  return json && copyVerbatim(json.before, jsonText, json.after);
}

/**
 * Returns a function that finds those fields of a row that have no column. The specification does not define these fields. A
 * column for a whole object covers all fields inside the object.
 */
function fieldsWithoutColumn(columns: readonly Column[]): (row: JsonRecord) => readonly string[] {
  const tops = new Map<string, Set<string> | undefined>();
  for (const { key } of columns) {
    const [top = '', ...rest] = key.split('.');
    if (rest.length === 0) tops.set(top, undefined);
    else if (!tops.has(top)) tops.set(top, new Set([rest.join('.')]));
    else tops.get(top)?.add(rest.join('.'));
  }
  return (row) => {
    let found: string[] | undefined;
    for (const name in row) {
      const parts = tops.get(name);
      if (parts === undefined) {
        if (!tops.has(name)) found = [...(found ?? []), name];
        continue;
      }
      const value = row[name];
      if (value === null) continue;
      if (!isRecord(value)) {
        found = [...(found ?? []), name];
        continue;
      }
      for (const part in value) if (!parts.has(part)) found = [...(found ?? []), `${name}.${part}`];
    }
    return found ?? NONE;
  };
}

const NONE: readonly string[] = [];
