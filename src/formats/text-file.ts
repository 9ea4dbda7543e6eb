import type { JsonRecord } from '../core/json.ts';
import type { ByteSink, RecordFile } from './record-file.ts';

/** The layout of a text file: the rows, and the text before, between and after them. */
export interface TextForm {
  readonly head: string;
  /** Formats a record as a row. The row includes its own line end, or the separator before it. */
  readonly row: (record: JsonRecord) => string;
  /** Length of the separator at the beginning of every row, including the first row. */
  readonly separatorLength: number;
  readonly tail: string;
  /** The file content if there are no rows. */
  readonly empty: string;
  /**
   * The text around each row. Set only if each row can be copied: it is unchanged JSON, possibly with additional fields at its
   * end.
   */
  readonly verbatim?: Between | undefined;
  /** How the fast writer converts rows to CSV. Set only if each row is a line of CSV. */
  readonly cells?: CsvForm | undefined;
}

/** Converts records to lines of CSV. */
export interface CsvForm {
  /** The line before the first record; empty if there are no columns. */
  readonly head: string;
  /** Returns one record as a line, including the line end. */
  line(record: JsonRecord): string;
  /** Formats one value as a cell. `amount` is true if the column contains amounts. */
  cell(value: unknown, amount?: boolean): string;
  /** For each column, whether it contains amounts. */
  readonly amounts: readonly boolean[];
  /** The cell for an empty value. */
  readonly empty: string;
  /** The line end: LF or CRLF. */
  readonly end: string;
}

/** The strings before and after the JSON of each row. */
export interface Between {
  readonly before: string;
  /** Fields to add after the fields of the row. A field that the row already has is not added. */
  readonly added: readonly AddedField[];
  readonly after: string;
}

/** A field that is computed from other fields of a row. */
export interface AddedField {
  readonly key: string;
  /** Dotted paths of the fields that `read` reads. Each field of `part` has one of these paths as its name. */
  readonly from: readonly string[];
  read(part: JsonRecord): unknown;
}

/** Characters to buffer before a write. */
const CHUNK = 256 * 1024;

export function textFile(sink: ByteSink, { head, row, separatorLength, tail, empty }: TextForm): RecordFile {
  const writer = new TextWriter(sink);
  let hasRows = false;
  return {
    add(record) {
      const text = row(record);
      const added = hasRows ? text : head + text.slice(separatorLength);
      hasRows = true;
      return writer.add(added);
    },
    finish: () => writer.end(hasRows ? tail : empty),
  };
}

/** Collects text, and writes it in large chunks. */
export class TextWriter {
  readonly #sink: ByteSink;
  #pending = '';

  constructor(sink: ByteSink) {
    this.#sink = sink;
  }

  /** If the method returns a promise, await the promise before you add more text. */
  add(text: string): Promise<void> | undefined {
    this.#pending += text;
    return this.#pending.length < CHUNK ? undefined : this.end();
  }

  /** Writes the rest of the text. */
  end(text = ''): Promise<void> {
    const data = Buffer.from(this.#pending + text);
    this.#pending = '';
    return this.#sink.write(data);
  }
}
