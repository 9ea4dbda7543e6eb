import type { JsonRecord } from '../core/json.ts';
import type { Column, Shape, View } from './columns.ts';
import type { ByteSink, RecordFile } from './record-file.ts';
import type { Style } from './style.ts';
import type { SumsOf } from './summed-file.ts';
import type { TextForm } from './text-file.ts';

/** A format of results (`-o`), of exported files (`--format`), or of both. */
export interface Format {
  /** Which columns of a record it shows; undefined for formats that hold whole records. */
  readonly columns?: 'table' | 'csv';
  /** Whether errors and notes beside a result in this format are JSON. */
  readonly json?: true;
  /** Loads what prints results to a stream. */
  readonly printer?: () => Promise<Printer>;
  /** Writes exports to files. */
  readonly file?: FileFormat;
}

export interface Printer {
  /** Prints each row as it comes, if the format allows it. */
  rows(rows: AsyncIterable<JsonRecord>, shown: Shown): AsyncIterable<string>;
  record(record: JsonRecord, shown: Shown): AsyncIterable<string>;
}

/** What is shown of records, and how. */
export interface Shown {
  /** The chosen columns, or the usual ones of the format. */
  readonly columns: readonly Column[];
  /** What a record becomes in JSON. */
  readonly shape: Shape;
  readonly view: View;
  readonly style: Style;
  /** Reported if there are no rows; empty for no report. */
  readonly none: string;
  /** Further tables below a record, in formats for people. */
  readonly parts: readonly ShownPart[];
  /** Writes a line for the user beside the result. */
  readonly say: (text: string) => void;
}

export interface ShownPart {
  readonly title: string;
  readonly rows: readonly JsonRecord[];
  readonly columns: readonly Column[];
  readonly view: View;
}

export interface FileFormat {
  /** Extensions of its files, the usual one first. */
  readonly extensions: readonly [string, ...string[]];
  /** How rows become text, for formats whose file is the text of one row after the other. */
  readonly text?: (layout: Layout) => TextForm;
  /** Begins a file that takes one record after the other. */
  open(sink: ByteSink, layout: Layout): Promise<RecordFile>;
}

/** A format of exports. */
export type ExportedFormat = Format & { readonly file: FileFormat };

/** How the rows of an export are written to its file. */
export interface Layout {
  readonly format: ExportedFormat;
  /** Columns of formats that have columns. */
  readonly columns: readonly Column[];
  /** Columns of every field that is known: fields without one are counted. */
  readonly known: readonly Column[];
  /** What a record becomes in JSON and JSONL. */
  readonly shape: Shape;
  /** Whether the user named no columns: JSON and JSONL hold records as served, and a workbook hides internal columns. */
  readonly whole: boolean;
  readonly view: View;
  readonly guard: boolean;
  readonly dialect: 'plain' | 'excel';
  readonly separator?: Separator | undefined;
  /** Decimals of a CSV as `1,5`. */
  readonly decimalComma?: boolean | undefined;
  readonly parquetDecimals: 'decimal' | 'string';
  /** Whether the records are transactions, whose fields the specification does not show: no type is certain. */
  readonly openFields?: boolean;
  /** JSON numbers as text, with every digit, or as DOUBLE. */
  readonly parquetNumbers: 'string' | 'double';
  /** Sums in place of the rows. */
  readonly sums?: SumsOf | undefined;
}

/** Separators of the cells of a CSV. */
export const SEPARATORS = [',', ';', '\t', '|'] as const;
export type Separator = (typeof SEPARATORS)[number];

/** Whether the file has every field of the records, including unknown ones. */
export function holdsAllFields({ format, whole }: Pick<Layout, 'format' | 'whole'>): boolean {
  return whole && format.columns === undefined;
}
