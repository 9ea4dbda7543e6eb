import { open } from 'node:fs/promises';
import { type JsonRecord, stringifyJson } from '../core/json.ts';
import { asServed, type Column } from '../formats/columns.ts';
import { csvForm } from '../formats/csv.ts';
import type { Layout } from '../formats/formats.ts';
import { jsonText } from '../formats/json.ts';
import { exactLedgerKind, type KindOf, ledgerKind, openKind, textKind } from '../formats/kinds.ts';
import type { ParquetOptions } from '../formats/parquet/index.ts';
import type { About, ByteSink, RecordFile } from '../formats/record-file.ts';
import { readRecords } from '../formats/records.ts';
import { isSummedAmount, sumKind, summedFile, xlsxSumKind } from '../formats/summed-file.ts';
import type { Encode } from '../read/rows.ts';
import { csvWriter, type LineWriter, verbatim } from './scan/line-writers.ts';

/** What segments become a file through. */
export interface Assembly {
  /** Takes a segment's file, in the order of the file to be. */
  add(path: string): Promise<void>;
  finish(about?: About): Promise<void>;
  /** Rows of the file that were made of the records, where it holds sums. */
  readonly groups?: () => number;
}

/** Text around and between rows. */
interface TextForm {
  readonly head: string;
  /** A row with what ends it, or what parts it from the one before. */
  readonly row: Encode;
  /** Writes the same out of the bytes of a page; undefined where it needs the record. */
  readonly writer: LineWriter | undefined;
  /** Length of what parts rows, which the first row has too. */
  readonly parting: number;
  readonly tail: string;
  /** What stands where there is no row. */
  readonly empty: string;
}

/** Undefined for formats that are no text. */
function textForm(layout: Layout): TextForm | undefined {
  const { format, columns, shape, view, guard, dialect, separator, decimalComma } = layout;
  if (format === 'csv') {
    const decimals = decimalComma ? decimalColumns(layout) : undefined;
    const form = csvForm(columns, { view, guard, dialect, separator, decimalComma: decimals });
    const { head, line } = form;
    // The scanner writes commas between cells and points in decimals.
    const general = decimalComma === true || (separator ?? ',') !== ',';
    const writer = general ? undefined : csvWriter(columns, form, view);
    return { head, row: line, writer, parting: 0, tail: '', empty: head };
  }
  const between = (before: string, after: string) => ({
    row: (record: JsonRecord) => before + jsonText(shape(record)) + after,
    writer: shape === asServed ? verbatim(before, jsonText, after) : undefined,
  });
  if (format === 'jsonl') return { head: '', ...between('', '\n'), parting: 0, tail: '', empty: '' };
  if (format === 'json')
    return { head: '[\n', ...between(',\n', ''), parting: 2, tail: '\n]\n', empty: '[]\n' };
  return undefined;
}

/** How rows stand in segments: where it can be, as the very text of the file, so that to assemble is to copy. */
export function lineForm(layout: Layout): { encode: Encode; writer: LineWriter | undefined } {
  const text = segmentsHoldText(layout) ? textForm(layout) : undefined;
  if (text) return { encode: text.row, writer: text.writer };
  return { encode: (row) => `${stringifyJson(row)}\n`, writer: verbatim('', stringifyJson, '\n') };
}

/** Whether segments hold the text of the file, rather than records as served. */
export function segmentsHoldText(layout: Layout): boolean {
  return layout.sums === undefined && textForm(layout) !== undefined;
}

export async function assemble(sink: ByteSink, layout: Layout): Promise<Assembly> {
  const form = textForm(layout);
  if (layout.sums) {
    const gathering = layout.sums.begin();
    const file = summedFile(await recordFile(sink, layout), gathering);
    return { ...assembleRecords(file), groups: () => gathering.size };
  }
  if (!form) return assembleRecords(await recordFile(sink, layout));
  let rows = false;
  return {
    async add(path) {
      if (!rows) await sink.write(Buffer.from(form.head));
      const start = rows ? 0 : form.parting;
      rows = true;
      await copyInto(sink, path, start);
    },
    finish: () => sink.write(Buffer.from(rows ? form.tail : form.empty)),
  };
}

export function assembleRecords(file: RecordFile): Assembly {
  return {
    async add(path) {
      for await (const record of readRecords(path)) {
        const writing = file.add(record);
        if (writing) await writing;
      }
    },
    finish: (about) => file.finish(about),
  };
}

/** A file of the layout's format that takes one record after the other. */
export async function recordFile(sink: ByteSink, layout: Layout): Promise<RecordFile> {
  const form = textForm(layout);
  if (form) return textFile(sink, form);
  const { columns, view, guard, whole, sums, openFields } = layout;
  if (layout.format === 'xlsx') {
    const { createXlsx } = await import('../formats/xlsx/index.ts');
    const title = sums ? 'sums' : openFields ? 'transactions' : 'ledgers';
    const kinds = sums ? xlsxSumKind : openFields ? openKind : ledgerKind;
    return createXlsx(sink, { columns, view, guard, title, kindOf: kinds, showInternal: !whole });
  }
  const { createParquet } = await import('../formats/parquet/index.ts');
  return createParquet(sink, parquetOptions(layout));
}

/** The columns that hold decimals; legs inside a transaction have the fields of a ledger. */
function decimalColumns({ sums, openFields }: Layout): (column: Column) => boolean {
  if (sums) return isSummedAmount;
  return (column) => {
    const { key } = column;
    const own = openFields ? { key: key.slice(key.lastIndexOf('.') + 1) } : column;
    return ledgerKind(own) === 'decimal';
  };
}

/** How a layout's columns stand in Parquet. */
export function parquetOptions(layout: Layout): ParquetOptions {
  const { columns, view, parquetDecimals: decimals } = layout;
  const kind = kindOf(layout);
  const exact = kind === ledgerKind && layout.parquetNumbers === 'string';
  return { columns, view, decimals, kindOf: exact ? exactLedgerKind : kind };
}

/** What the columns of Parquet hold. */
function kindOf({ sums, openFields }: Layout): KindOf {
  return sums ? sumKind : openFields ? textKind : ledgerKind;
}

/** Copies a file from a place on, through one buffer: a stream would take a new one for each of its chunks. */
async function copyInto(sink: ByteSink, path: string, start: number): Promise<void> {
  const file = await open(path);
  try {
    const buffer = Buffer.allocUnsafe(COPIED);
    for (let at = start; ; ) {
      const { bytesRead } = await file.read(buffer, 0, COPIED, at);
      if (bytesRead === 0) return;
      at += bytesRead;
      await sink.write(buffer.subarray(0, bytesRead));
    }
  } finally {
    await file.close();
  }
}

/** Bytes that are copied at once. */
const COPIED = 512 * 1024;
/** Characters that are gathered before they are written. */
const CHUNK = 256 * 1024;

function textFile(sink: ByteSink, { head, row, parting, tail, empty }: TextForm): RecordFile {
  let pending = '';
  let rows = false;
  const flush = async () => {
    const data = Buffer.from(pending);
    pending = '';
    await sink.write(data);
  };
  return {
    add(record) {
      const text = row(record);
      pending += rows ? text : head + text.slice(parting);
      rows = true;
      return pending.length < CHUNK ? undefined : flush();
    },
    async finish() {
      pending += rows ? tail : empty;
      await flush();
    },
  };
}
