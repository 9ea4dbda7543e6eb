import { CryptodataError } from '../core/errors.ts';
import type { JsonRecord } from '../core/json.ts';
import type { Columns, ColumnsFrom, View } from '../formats/columns.ts';

/** A line for the user on stderr. `--quiet` hides all notes except warnings. */
export interface Note {
  readonly text: string;
  /** Whether `--quiet` also shows the note, because the result could be misread without it. */
  readonly warning?: boolean;
  /** A sentence that suggests a flag. The MCP server omits this sentence, because its tools have no flags. */
  readonly flagHint?: string;
  /**
   * Whether the note suggests a command line. The MCP server omits such a note, because its clients call tools, not commands.
   */
  readonly isCommand?: boolean;
}

export function warning(text: string): Note {
  return { text, warning: true };
}

export function noteLine({ text, flagHint }: Note): string {
  return flagHint === undefined ? text : `${text} ${flagHint}`;
}

/** Returns notes about errors that are not reported, because a more serious error is reported instead. */
export function alsoNotes(errors: readonly CryptodataError[]): Note[] {
  return errors.map(({ message }) => ({ text: `Also: ${message}`, warning: true }));
}

export interface Ending {
  /** Number of findings of a check. With `--exit-code`, the command exits with 10 if there are findings. */
  readonly found?: () => number;
  /** Returns the notes to show. Called after the result is written. */
  readonly notes?: () => readonly Note[];
  /**
   * Returns one line about the result, for the summary of several profiles. Called after `notes`. If a record has a summary,
   * the table of several profiles contains only the summary, not the record.
   */
  readonly summary?: () => JsonRecord;
  /** Returns the error of a command that also has a result. Called after `notes`. The error determines the exit code. */
  readonly failed?: () => CryptodataError | undefined;
  /** Adds commands and flags to the hint of an error. */
  readonly explain?: (error: unknown) => Promise<unknown>;
}

/** Returns the error of a command that also has a result. Call this function after `notes`. */
export async function finalError({ failed, explain }: Ending): Promise<CryptodataError | undefined> {
  const error = failed?.();
  const more = error && (await explain?.(error));
  return more instanceof CryptodataError ? more : error;
}

/**
 * The notes, the error and the total at the end of a stream. The generator returns this value after its last item, and `verb`
 * adds it to the outcome.
 */
export interface End {
  readonly notes?: readonly Note[];
  readonly failed?: CryptodataError | undefined;
  /** The number of rows in the whole list, if the output contains only a part of the list; undefined if unknown. */
  readonly total?: Total | undefined;
}

/** Items that can be read only once. A generator can return an {@link End} after the last item. */
export type Items<T> = AsyncGenerator<T, End | undefined> | AsyncIterable<T> | Iterable<T>;

export interface Rows extends Ending {
  readonly kind: 'rows';
  readonly rows: Items<JsonRecord>;
  readonly columns: Columns | ColumnsFrom;
  /** Values of `--columns`. */
  readonly chosen?: readonly string[] | undefined;
  /** Text shown instead of an empty table. */
  readonly none?: string;
  /** The view of the rows. Omitted if it is the view of the command. */
  readonly view?: View;
  /** Returns additional tables to show below the rows. Called after the rows are read. */
  readonly parts?: () => readonly Part[];
  /** See {@link End.total}. Called after the rows are read. */
  readonly total?: () => Total | undefined;
}

interface Total {
  readonly rows: number;
  /** Whether `rows` may include rows that the command never shows. */
  readonly isApproximate: boolean;
}

/** One record. In a table, the record has one line for each field. Each of the `parts` follows as a separate table. */
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
  /** A sentence to show below the table. */
  readonly below?: string;
  /** The view of the part. Omitted if it is the view of the record. */
  readonly view?: View;
}

/** One value for scripts, such as a token or a path. JSON formats print `record` instead. */
export interface Text extends Ending {
  readonly kind: 'text';
  readonly text: string;
  readonly record: JsonRecord;
}

export interface Stream extends Ending {
  readonly kind: 'stream';
  readonly chunks: Items<string | Uint8Array>;
}

/** An outcome without a result on stdout. The command writes only to stderr, or runs another process that writes the output. */
export interface Silent extends Ending {
  readonly kind: 'silent';
  /** Exit code of the child process that the command ran for the user. */
  readonly exitCode?: number;
}

/** A step between the rows of a list and the output, such as a filter that the tool applies itself. */
export interface RowStep {
  over(rows: AsyncIterable<JsonRecord>): AsyncIterable<JsonRecord>;
  /** Returns notes on the rows. Called after the rows are read. */
  notes(): readonly Note[];
  /** Returns an error if rows may be missing. Called after the rows are read. */
  failed?(): CryptodataError | undefined;
}

export type Outcome = Rows | One | Text | Stream | Silent;

export const SILENT: Silent = { kind: 'silent' };
