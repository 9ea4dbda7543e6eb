/** An error of csv-parse. Its message is not shown, because the message is about the parser and contains the cell. */
interface CsvFault {
  readonly code: string;
  readonly [more: string]: unknown;
}

/** Describes why text is not CSV. The line number is approximate, because csv-parse counts a CRLF inside a cell twice. */
export function csvFault({ code, lines }: CsvFault): string {
  if (code === 'CSV_QUOTE_NOT_CLOSED') return 'a quote is never closed';
  return `a quote near line ${String(lines)} is in the wrong place`;
}
