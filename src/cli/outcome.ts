import type { CryptodataError } from '../core/errors.ts';
import type { JsonRecord } from '../core/json.ts';
import type { Columns, ColumnsFrom, View } from '../formats/columns.ts';

/** A line on stderr for the user, hidden by `--quiet`. */
export interface Note {
  readonly text: string;
  /** Also shown with `--quiet`, because the result could be misread without it. */
  readonly warning?: boolean;
  /**
   * A sentence that suggests a flag. Only the command line shows this sentence, because the MCP server has its own parameters.
   */
  readonly flagHint?: string;
  /** Whether the note suggests a command line. Agents call tools instead, so they do not see suggested command lines. */
  readonly isCommand?: boolean;
}

/** The text of a note for the command line. */
export function noteLine({ text, flagHint }: Note): string {
  return flagHint === undefined ? text : `${text} ${flagHint}`;
}

interface Ending {
  /** Number of findings of a check. With `--exit-code`, the command exits with 10 if there are any findings. */
  readonly found?: () => number;
  /** Called after the result is written. */
  readonly notes?: () => readonly Note[];
  /** The error of a command that also has a result. Called after the notes; determines the exit code. */
  readonly failed?: () => CryptodataError | undefined;
}

/** Many records. */
export interface Rows extends Ending {
  readonly kind: 'rows';
  readonly rows: AsyncIterable<JsonRecord> | Iterable<JsonRecord>;
  readonly columns: Columns | ColumnsFrom;
  /** Values of `--columns`. */
  readonly chosen?: readonly string[] | undefined;
  /** Text shown instead of an empty table. */
  readonly none?: string;
  /** Total of a list that is only partly shown; undefined if it is unknown. Called after the rows are read. */
  readonly total?: () => Total | undefined;
}

export interface Total {
  readonly rows: number;
  /** Whether `rows` may include rows that the command would never show. */
  readonly isApproximate: boolean;
}

/** One record. A table shows the record's fields as lines, and each of its `parts` as a table below. */
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
  /** Set if the view of this part differs from the view of the record. */
  readonly view?: View;
}

/** One value for scripts (a token, a path). JSON formats print the record. */
export interface Text extends Ending {
  readonly kind: 'text';
  readonly text: string;
  readonly record: JsonRecord;
}

/** Output in its final form. */
export interface Stream extends Ending {
  readonly kind: 'stream';
  readonly chunks: AsyncIterable<string | Uint8Array>;
}

/** Nothing for stdout: all output goes to stderr or comes from another process. */
export interface Silent extends Ending {
  readonly kind: 'silent';
  /** Exit code of a child process that ran for the user. */
  readonly exitCode?: number;
}

/** The result of a command. */
export type Outcome = Rows | One | Text | Stream | Silent;

export const SILENT: Silent = { kind: 'silent' };
