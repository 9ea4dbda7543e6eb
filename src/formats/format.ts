import type { Journal } from '../books/journal/journal.ts';
import type { JsonRecord } from '../core/json.ts';
import type { Column, Shape, View } from './columns.ts';
import type { DataSetFile } from './data-set/folder.ts';
import type { ColumnKind } from './kinds.ts';
import type { ByteSink, RecordFile } from './record-file.ts';
import type { Separator } from './separators.ts';
import type { Style } from './style.ts';
import type { SumsOf } from './summed-file.ts';
import type { TextForm } from './text-file.ts';

/** A format for results (`-o`), for exported files (`--format`), or for both. */
export interface Format {
  /** Description in `help output`. */
  readonly describe?: string;
  /** The kind of columns that the format shows; undefined for a format that shows whole records. */
  readonly columns?: 'table' | 'csv';
  /** Whether errors and notes are also JSON if the result has this format. */
  readonly json?: true;
  /** Loads the printer for results. */
  readonly printer?: () => Promise<Printer>;
  /** How to write an exported file. Undefined for a format that only prints results. */
  readonly file?: FileFormat;
}

export interface Printer {
  /** Prints each row immediately if the format allows it. */
  rows(rows: AsyncIterable<JsonRecord>, shown: Shown): AsyncIterable<string>;
  record(record: JsonRecord, shown: Shown): AsyncIterable<string>;
}

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
  /** Returns additional tables, which human-readable formats show below a record or below rows. Called after the rows are read. */
  readonly parts: () => readonly ShownPart[];
  /** Writes a line for the user on stderr. */
  readonly say: (text: string) => void;
}

export interface ShownPart {
  readonly title: string;
  readonly rows: readonly JsonRecord[];
  readonly columns: readonly Column[];
  readonly view: View;
  readonly below?: string | undefined;
}

export interface FileFormat {
  /** File extensions, with the default first. Empty for formats that write folders. */
  readonly extensions: readonly string[];
  /** Returns the text format of the rows. Set only for JSON, JSONL and CSV. */
  readonly text?: (layout: Layout) => TextForm;
  /** Returns a function that checks each record. Set only for formats that cannot store every record. */
  readonly check?: (layout: Layout) => Promise<RecordCheck>;
  /** Opens a file that receives records one at a time. */
  open(sink: ByteSink, layout: Layout): Promise<RecordFile>;
  /** Opens a folder of files. Set only for formats that write folders. */
  openFolder?(path: string, layout: Layout): Promise<FileFolder>;
  /** Set only for journal formats. A journal can be written only from legs. */
  readonly journal?: JournalFormat;
}

/** Finds records that a file cannot store, so that an export fails when it reads such a record, and not at its end. */
export interface RecordCheck {
  /** @throws CryptodataError if the file cannot store the record */
  check(record: JsonRecord): void;
  /** The kinds of the values that the file cannot always store, by dotted path. A long text is always checked. */
  readonly kinds: ReadonlyMap<string, ColumnKind>;
}

/** The requirements of a journal format. */
export interface JournalFormat {
  /** If set, every account name must begin with one of these names. */
  readonly roots?: readonly string[];
  /** Template for the account name of a general-ledger code. */
  readonly code?: string;
  /**
   * The accounting package that imports the files; undefined if the files are not for an import. The accounts must already
   * exist in this package.
   */
  readonly imports?: string;
  /** If set, an account is a code of at most this length, not a name with several levels. */
  readonly longestCode?: number;
}

export interface FileFolder extends RecordFile {
  /** Returns the files, sorted by path. Call `files` after the folder is finished. */
  files(): readonly DataSetFile[];
  /** Closes open files after an error. The caller deletes the folder. */
  discard(): Promise<void>;
}

/** A journal that the exported file contains instead of the legs. */
export interface JournalOf {
  begin(): Journal;
  /**
   * Yields legs outside the period that may belong to transactions of the period. Undefined if the journal contains all legs.
   */
  readonly around?: (() => AsyncIterable<JsonRecord>) | undefined;
  /** Tax rate or tax code, for importers that need one. */
  readonly tax: string | undefined;
  /** Returns facts about the journal for the manifest. Call `facts` after the journal is written. */
  facts(): JsonRecord;
}

export type ExportedFormat = Format & { readonly file: FileFormat };

export interface Layout {
  readonly format: ExportedFormat;
  /** The columns of the file, if the format has columns. */
  readonly columns: readonly Column[];
  readonly hasNames?: boolean;
  /** Columns for all declared fields. The number of rows with other fields is in the manifest. */
  readonly known: readonly Column[];
  /** Converts a record for JSON and JSONL. */
  readonly shape: Shape;
  /** Columns that `shape` adds to each whole record in JSON and JSONL, such as the names of accounts. */
  readonly added?: readonly Column[] | undefined;
  /**
   * Whether the user kept the default columns. With the default columns, JSON and JSONL contain whole records and the names of
   * accounts and assets, and a workbook hides internal columns.
   */
  readonly whole: boolean;
  readonly view: View;
  readonly guard: boolean;
  readonly dialect: 'plain' | 'excel';
  readonly separator?: Separator | undefined;
  /** Whether decimals in CSV use a comma, as in `1,5`. */
  readonly decimalComma?: boolean | undefined;
  readonly parquetDecimals: 'decimal' | 'string';
  /** Whether the records are transactions. The specification does not define their fields. */
  readonly openFields?: boolean;
  /** Type of JSON numbers in Parquet: text with every digit, or DOUBLE. */
  readonly parquetNumbers: 'string' | 'double';
  /** Set if the file contains sums instead of the rows. */
  readonly sums?: SumsOf | undefined;
  /** Set if the file contains a journal instead of the rows. */
  readonly journal?: JournalOf | undefined;
}

/** Whether the file has every field of the records, including unknown fields. */
export function holdsAllFields({ format, whole }: Pick<Layout, 'format' | 'whole'>): boolean {
  return whole && format.columns === undefined;
}
