import type { Journal } from '../books/journal/journal.ts';
import type { JsonRecord } from '../core/json.ts';
import type { Column, Shape, View } from './columns.ts';
import type { DataSetFile } from './data-set/folder.ts';
import type { ByteSink, RecordFile } from './record-file.ts';
import type { Separator } from './separators.ts';
import type { Style } from './style.ts';
import type { SumsOf } from './summed-file.ts';
import type { TextForm } from './text-file.ts';

/** A format of results (`-o`), of exported files (`--format`), or of both. */
export interface Format {
  /** Description for `help output`. */
  readonly describe?: string;
  /** The columns that the format shows; undefined for formats with whole records. */
  readonly columns?: 'table' | 'csv';
  /** Whether errors and notes are JSON if the result has this format. */
  readonly json?: true;
  /** Loads the printer of results. */
  readonly printer?: () => Promise<Printer>;
  /** Writes exports to files. */
  readonly file?: FileFormat;
}

export interface Printer {
  /** Prints each row immediately, if the format allows that. */
  rows(rows: AsyncIterable<JsonRecord>, shown: Shown): AsyncIterable<string>;
  record(record: JsonRecord, shown: Shown): AsyncIterable<string>;
}

/** The shown parts of records, and their form. */
export interface Shown {
  /** The chosen columns, or the default columns of the format. */
  readonly columns: readonly Column[];
  /** Converts a record for JSON output. */
  readonly shape: Shape;
  readonly view: View;
  readonly style: Style;
  /** Show every digit of amounts in a table. */
  readonly full?: true | undefined;
  /** Reported if there are no rows; empty for no report. */
  readonly none: string;
  /** Further tables below a record, in human-readable formats. */
  readonly parts: readonly ShownPart[];
  /** Writes a line for the user on stderr. */
  readonly say: (text: string) => void;
}

export interface ShownPart {
  readonly title: string;
  readonly rows: readonly JsonRecord[];
  readonly columns: readonly Column[];
  readonly view: View;
}

export interface FileFormat {
  /** File extensions, the default one first; none for a format of folders. */
  readonly extensions: readonly string[];
  /** Converts rows to text, for formats whose file is the text of the rows. */
  readonly text?: (layout: Layout) => TextForm;
  /** Opens a file that receives one record after the other. */
  open(sink: ByteSink, layout: Layout): Promise<RecordFile>;
  /** Begins a folder of files, for formats that write one. */
  openFolder?(path: string, layout: Layout, options: FolderOptions): Promise<FileFolder>;
  /** Whether its rows are entries of a journal, which only legs have. */
  readonly journal?: JournalFormat;
}

/** The requirements of a journal format. */
export interface JournalFormat {
  /** Whether account names must begin with one of these. */
  readonly roots?: readonly string[];
  /** Name of the account of a general-ledger code. */
  readonly code?: string;
  /** Name of the accounting package in which the accounts must exist; undefined if they need not exist. */
  readonly imports?: string;
}

export interface FolderOptions {
  /** Replace an earlier folder of the tool. */
  readonly overwrite?: boolean | undefined;
}

/** A folder of files, which appears only when it is complete. */
export interface FileFolder extends RecordFile {
  /** The files, sorted by path, once the folder is finished. */
  files(): readonly DataSetFile[];
  /** Deletes the files written so far; the target is not changed. */
  discard(): Promise<void>;
}

/** A journal that is written instead of the legs. */
export interface JournalOf {
  begin(): Journal;
  /** Tax rate or tax code, for importers that need one. */
  readonly tax: string | undefined;
  /** Facts about the journal for the manifest, once it is written. */
  facts(): JsonRecord;
}

/** A format of exports. */
export type ExportedFormat = Format & { readonly file: FileFormat };

/** How the rows of an export are written to its file. */
export interface Layout {
  readonly format: ExportedFormat;
  /** Columns of formats that have columns. */
  readonly columns: readonly Column[];
  /** Columns of every known field. Fields without a column are counted. */
  readonly known: readonly Column[];
  /** Converts a record for JSON and JSONL. */
  readonly shape: Shape;
  /** Whether the user named no columns: If so, JSON and JSONL contain unchanged records, and a workbook hides internal columns. */
  readonly whole: boolean;
  readonly view: View;
  readonly guard: boolean;
  readonly dialect: 'plain' | 'excel';
  readonly separator?: Separator | undefined;
  /** Whether a CSV has decimals as `1,5`. */
  readonly decimalComma?: boolean | undefined;
  readonly parquetDecimals: 'decimal' | 'string';
  /** Whether the records are transactions, whose fields are not specified and have no certain type. */
  readonly openFields?: boolean;
  /** Write JSON numbers as text with every digit, or as DOUBLE. */
  readonly parquetNumbers: 'string' | 'double';
  /** Sums to write instead of the rows. */
  readonly sums?: SumsOf | undefined;
  /** A journal instead of the rows. */
  readonly journal?: JournalOf | undefined;
}

/** Whether the file has every field of the records, including unknown ones. */
export function holdsAllFields({ format, whole }: Pick<Layout, 'format' | 'whole'>): boolean {
  return whole && format.columns === undefined;
}
