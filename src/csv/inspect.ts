import { count } from '../core/text.ts';
import { decoded, encodingOf } from './encoding.ts';
import type { CsvFinding } from './finding.ts';
import { readCsvTable } from './text.ts';

/** The file types that the service accepts ("POST /v1/csv/upload"). */
export const CSV_TYPES = ['csv', 'xls', 'xlsx'] as const;
export type FileType = (typeof CSV_TYPES)[number];

/** A file that can be read more than once. */
export interface CsvSource {
  readonly name: string;
  /** Bytes. */
  readonly size: number;
  /** Reads the file from its beginning. A chunk is valid only until the next chunk is read. */
  open(): AsyncIterable<Uint8Array>;
}

/** Facts about a file. Unknown facts are null. */
export interface Inspection {
  readonly file: string;
  readonly type: FileType | null;
  readonly bytes: number;
  readonly encoding: string | null;
  readonly delimiter: string | null;
  /** Names of the sheets of a workbook. */
  readonly sheets: readonly string[] | null;
  /** Column names. */
  readonly header: readonly string[] | null;
  /** Number of rows below the header. */
  readonly rows: number | null;
  readonly findings: readonly CsvFinding[];
}

export interface InspectionLimits {
  /** Maximum size of one file in bytes; the specification sets no limit. */
  readonly maxSize?: number | undefined;
}

export async function inspect(source: CsvSource, { maxSize }: InspectionLimits = {}): Promise<Inspection> {
  const { name, size } = source;
  const type = typeOf(name);
  const findings: CsvFinding[] = [];
  const block = (code: string, says: string) => findings.push({ code, level: 'error', says, blocks: true });
  if (type === null) block('FILE_TYPE', 'The name of the file does not end with .csv, .xls or .xlsx');
  if (maxSize !== undefined && size > maxSize) {
    block('TOO_LARGE', `The file has ${count(size)} bytes, but the limit is ${count(maxSize)}`);
  }
  if (size === 0) block('EMPTY_FILE', 'The file is empty');
  const bare: Omit<Inspection, 'findings'> = {
    file: name,
    type,
    bytes: size,
    encoding: null,
    delimiter: null,
    sheets: null,
    header: null,
    rows: null,
  };
  if (size === 0) return { ...bare, findings };
  const content = await contentOf(source);
  if (content.type !== 'csv' || type === null) {
    const isNamed = type === null || content.type === type;
    if (!isNamed) findings.push(differs(type, content.says));
    if (content.type === 'xls') findings.push(NOT_INSPECTED);
    if (content.type !== 'xlsx') return { ...bare, findings };
    const { readWorkbook } = await import('./workbook.ts');
    const workbook = await readWorkbook(source.open(), size);
    return { ...bare, ...workbook, findings: [...findings, ...workbook.findings] };
  }
  if (type !== 'csv') return { ...bare, findings: [...findings, differs(type, content.says)] };
  const encoding = await encodingOf(source.open());
  const {
    delimiter,
    header,
    rows,
    findings: found,
  } = await readCsvTable(decoded(source.open(), encoding.label));
  findings.push(...encoding.findings, ...found);
  return { ...bare, encoding: encoding.name, delimiter: delimiter ?? null, header, rows, findings };
}

export function typeOf(name: string): FileType | null {
  const extension = /\.([^.]+)$/.exec(name)?.[1]?.toLowerCase();
  return CSV_TYPES.find((type) => type === extension) ?? null;
}

const NOT_INSPECTED: CsvFinding = {
  code: 'NOT_INSPECTED',
  level: 'warning',
  says: 'This is an Excel 97-2003 workbook (.xls), or a workbook with a password; its content is not inspected',
};

/** Detects the format of a file by its first bytes. The format of text files is called `csv`. */
const CONTENTS: readonly (readonly [start: string, type: FileType | null, says: string])[] = [
  ['504b0304', 'xlsx', 'a newer workbook (.xlsx) or another zip file'],
  ['d0cf11e0a1b11ae1', 'xls', 'an older workbook (.xls), or a workbook with a password'],
  ['1f8b', null, 'compressed (gzip)'],
  ['25504446', null, 'a PDF file'],
  ['50415231', null, 'a Parquet file'],
];
const WEB_PAGE = /^\ufeff?\s*<(?:!doctype html|html|table|\?xml|head)\b/i;

interface Content {
  readonly type: FileType | null;
  /** The end of the sentence `The file is named .csv but is …`. */
  readonly says: string;
}

async function contentOf(source: CsvSource): Promise<Content> {
  let head: Uint8Array = new Uint8Array();
  for await (const chunk of source.open()) {
    head = Buffer.concat([head, chunk]);
    if (head.length >= 64) break;
  }
  const hex = Buffer.from(head.subarray(0, 8)).toString('hex');
  const known = CONTENTS.find(([start]) => hex.startsWith(start));
  if (known !== undefined) return { type: known[1], says: known[2] };
  if (WEB_PAGE.test(Buffer.from(head).toString())) return { type: null, says: 'a web page or XML' };
  return { type: 'csv', says: 'text' };
}

function differs(type: FileType, says: string): CsvFinding {
  return { code: 'CONTENT_DIFFERS', level: 'error', says: `The file is named .${type} but is ${says}` };
}
