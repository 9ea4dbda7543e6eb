import type { CryptodataError } from '../core/errors.ts';
import type { JsonRecord } from '../core/json.ts';
import type { Columns, ColumnsFrom, View } from '../formats/columns.ts';

/** A line for the user beside the result: on stderr, where `--quiet` does not stop it. */
export interface Note {
  readonly text: string;
  /** Said even with `--quiet`: something that the user must know about the result. */
  readonly warning?: boolean;
}

interface Ending {
  /** What a check found; with `--exit-code` any finding ends with exit 10. */
  readonly found?: () => number;
  /** Asked once the result is written. */
  readonly notes?: () => readonly Note[];
  /** What failed inside a success, asked after the notes: the command ends with it although its result stands. */
  readonly failed?: () => CryptodataError | undefined;
}

/** Many records. */
export interface Rows extends Ending {
  readonly kind: 'rows';
  readonly rows: AsyncIterable<JsonRecord> | Iterable<JsonRecord>;
  readonly columns: Columns | ColumnsFrom;
  /** Values of `--columns`. */
  readonly chosen?: readonly string[] | undefined;
  /** What a table says where there is no row. */
  readonly none?: string;
}

/** One record; a table shows it as lines, and its parts below. */
export interface One extends Ending {
  readonly kind: 'record';
  readonly record: JsonRecord;
  readonly columns: Columns | ColumnsFrom;
  readonly chosen?: readonly string[] | undefined;
  readonly parts?: readonly Part[];
}

export interface Part {
  readonly title: string;
  readonly rows: readonly JsonRecord[];
  readonly columns: Columns | ColumnsFrom;
  /** Set if its values are shown otherwise than those of the record. */
  readonly view?: View;
}

/** One value that scripts take as it is (a token, a path); JSON formats print the record. */
export interface Text extends Ending {
  readonly kind: 'text';
  readonly text: string;
  readonly record: JsonRecord;
}

/** What is in its final form already. */
export interface Stream extends Ending {
  readonly kind: 'stream';
  readonly chunks: AsyncIterable<string | Uint8Array>;
}

/** All was said on stderr, or by another process. */
export interface Silent extends Ending {
  readonly kind: 'silent';
  /** The exit code of a child process that was run for the user. */
  readonly exitCode?: number;
}

/** What a command returns: it never prints by itself. */
export type Outcome = Rows | One | Text | Stream | Silent;

export const SILENT: Silent = { kind: 'silent' };
