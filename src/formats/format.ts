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
  /** Description in `help output`. */
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
  /** Prints each row immediately if the format allows it. */
  rows(rows: AsyncIterable<JsonRecord>, shown: Shown): AsyncIterable<string>;
  record(record: JsonRecord, shown: Shown): AsyncIterable<string>;
}

/** Options for printing records. */
export interface Shown {
  /** The chosen columns, or the default columns of the format. */
  readonly columns: readonly Column[];
  /** Converts a record for JSON output. */
  readonly shape: Shape;
  readonly view: View;
  readonly style: Style;
  /** Show every digit of amounts in a table. */
  readonly full?: true | undefined;
  /** Message if there are no rows; empty for no message. */
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
  /** File extensions, default first; empty for formats that write folders. */
  readonly extensions: readonly string[];
  /** Converts rows to text. Set only for formats whose files consist of rows of text. */
  readonly text?: (layout: Layout) => TextForm;
  /** Opens a file that receives records one at a time. */
  open(sink: ByteSink, layout: Layout): Promise<RecordFile>;
  /** Opens a folder of files, for formats that write folders. */
  openFolder?(path: string, layout: Layout, options: FolderOptions): Promise<FileFolder>;
  /** Set for journal formats, which can only be written from legs. */
  readonly journal?: JournalFormat;
}

/** The requirements of a journal format. */
export interface JournalFormat {
  /** If set, every account name must begin with one of these names. */
  readonly roots?: readonly string[];
  /** Name template for the account of a general-ledger code. */
  readonly code?: string;
  /**
   * The accounting package that imports the files; undefined if the format is not for an import. The accounts must already exist
   * in the accounting package.
   */
  readonly imports?: string;
}

export interface FolderOptions {
  /** Replace an earlier folder that this tool wrote. */
  readonly overwrite?: boolean | undefined;
}

/** A folder of files. The folder appears only when it is complete. */
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

/** An export format. */
export type ExportedFormat = Format & { readonly file: FileFormat };

/** How the rows of an export are written to its file. */
export interface Layout {
  readonly format: ExportedFormat;
  /** Columns, for formats that have columns. */
  readonly columns: readonly Column[];
  /** Columns for every known field. Fields without a column are counted. */
  readonly known: readonly Column[];
  /** Converts a record for JSON and JSONL. */
  readonly shape: Shape;
  /**
   * False if the user replaced the default columns. If true, JSON and JSONL contain whole records, and a workbook hides internal
   * columns.
   */
  readonly whole: boolean;
  readonly view: View;
  readonly guard: boolean;
  readonly dialect: 'plain' | 'excel';
  readonly separator?: Separator | undefined;
  /** Whether CSV decimals are written as `1,5`. */
  readonly decimalComma?: boolean | undefined;
  readonly parquetDecimals: 'decimal' | 'string';
  /** Whether the records are transactions, whose fields and types are not specified. */
  readonly openFields?: boolean;
  /** Write JSON numbers as text with every digit, or as DOUBLE. */
  readonly parquetNumbers: 'string' | 'double';
  /** Sums to write instead of the rows. */
  readonly sums?: SumsOf | undefined;
  /** A journal to write instead of the rows. */
  readonly journal?: JournalOf | undefined;
}

/** Whether the file has every field of the records, including unknown fields. */
export function holdsAllFields({ format, whole }: Pick<Layout, 'format' | 'whole'>): boolean {
  return whole && format.columns === undefined;
}
