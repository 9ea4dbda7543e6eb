import { count } from '../../core/text.ts';
import { readTable } from './table.ts';
import type { CsvFinding } from './values.ts';

/** The file types that the service accepts ("POST /v1/csv/upload"). */
export const CSV_TYPES = ['csv', 'xls', 'xlsx'] as const;
export type FileType = (typeof CSV_TYPES)[number];

/** A file that can be read more than once. */
export interface CsvSource {
  readonly name: string;
  /** Bytes. */
  readonly size: number;
  open(): AsyncIterable<Uint8Array>;
}

/** Facts about a file. Unknown facts are null. */
export interface Inspection {
  readonly file: string;
  readonly type: FileType | null;
  readonly bytes: number;
  readonly encoding: string | null;
  readonly delimiter: string | null;
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

const ZIP = [0x50, 0x4b, 0x03, 0x04];
const OLE = [0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1];

export async function inspect(source: CsvSource, { maxSize }: InspectionLimits = {}): Promise<Inspection> {
  const { name, size } = source;
  const type = typeOf(name);
  const findings: CsvFinding[] = [];
  if (type === null) {
    findings.push({
      code: 'FILE_TYPE',
      says: 'The service accepts only .csv, .xls and .xlsx files',
      refused: true,
    });
  }
  if (maxSize !== undefined && size > maxSize) {
    const says = `The file has ${count(size)} bytes, but the limit is ${count(maxSize)}`;
    findings.push({ code: 'TOO_LARGE', says, refused: true });
  }
  if (size === 0) findings.push({ code: 'EMPTY_FILE', says: 'The file is empty', refused: true });
  const bare = { file: name, type, bytes: size, encoding: null, delimiter: null, header: null, rows: null };
  if (size === 0) return { ...bare, findings };
  const kind = await kindOf(source);
  const differs = type === null ? undefined : mismatch(type, kind);
  if (differs !== undefined) findings.push({ code: 'CONTENT_DIFFERS', says: differs });
  if (kind !== 'text' || type !== 'csv') return { ...bare, findings };
  const encoding = await encodingOf(source.open());
  const table = await readTable(decoded(source.open(), encoding));
  findings.push(...encodingFindings(encoding), ...table.findings);
  const { delimiter, header, rows } = table;
  return { ...bare, encoding: encoding.name, delimiter: delimiter ?? null, header, rows, findings };
}

export function typeOf(name: string): FileType | null {
  const extension = /\.([^.]+)$/.exec(name)?.[1]?.toLowerCase();
  return CSV_TYPES.find((type) => type === extension) ?? null;
}

type Kind = 'zip' | 'ole' | 'text';

/** Recognises workbooks by the first bytes of the file. */
async function kindOf(source: CsvSource): Promise<Kind> {
  for await (const chunk of source.open()) {
    const starts = (magic: readonly number[]) => magic.every((byte, at) => chunk[at] === byte);
    return starts(ZIP) ? 'zip' : starts(OLE) ? 'ole' : 'text';
  }
  return 'text';
}

function mismatch(type: FileType, kind: Kind): string | undefined {
  if (type === 'csv') {
    if (kind === 'zip') return 'The file is named .csv but is a workbook (.xlsx) or another zip file';
    return kind === 'ole' ? 'The file is named .csv but is a workbook (.xls)' : undefined;
  }
  if (type === 'xlsx') {
    if (kind === 'ole')
      return 'The file is named .xlsx but is an older workbook (.xls), or a workbook with a password';
    return kind === 'text' ? 'The file is named .xlsx but is not a workbook' : undefined;
  }
  if (kind === 'zip') return 'The file is named .xls but is a newer workbook (.xlsx)';
  return kind === 'text' ? 'The file is named .xls but is text or a web page' : undefined;
}

function encodingFindings({ name, label, badLine }: Encoding): CsvFinding[] {
  if (label === 'utf-8') return [];
  const says =
    badLine === undefined
      ? `The encoding is ${name}, not UTF-8`
      : `The encoding is probably ${name.replace(' (a guess)', '')}, not UTF-8, so accented letters may be wrong`;
  return [{ code: 'NOT_UTF8', says, ...(badLine === undefined ? {} : { line: badLine }) }];
}

interface Encoding {
  /** For display. */
  readonly name: string;
  /** For `TextDecoder`. */
  readonly label: 'utf-8' | 'utf-16le' | 'utf-16be' | 'windows-1252';
  /** First line with invalid UTF-8. Set only if Windows-1252 was guessed. */
  readonly badLine?: number;
}

const UTF8: Encoding = { name: 'UTF-8', label: 'utf-8' };
const BOMS: readonly (readonly [readonly number[], Encoding])[] = [
  [[0xef, 0xbb, 0xbf], { name: 'UTF-8 with a byte-order mark', label: 'utf-8' }],
  [[0xff, 0xfe], { name: 'UTF-16LE', label: 'utf-16le' }],
  [[0xfe, 0xff], { name: 'UTF-16BE', label: 'utf-16be' }],
];

/** Detects the encoding. Invalid UTF-8 can occur anywhere, so the whole file is read. The fallback is Windows-1252. */
async function encodingOf(bytes: AsyncIterable<Uint8Array>): Promise<Encoding> {
  const strict = new TextDecoder('utf-8', { fatal: true });
  const lenient = new TextDecoder('utf-8');
  let marked: Encoding | undefined;
  let lines = 1;
  let first = true;
  const guess = (text: string): Encoding => {
    const before = text.slice(0, Math.max(0, text.indexOf('\ufffd')));
    return {
      name: 'Windows-1252 or Latin-1 (a guess)',
      label: 'windows-1252',
      badLine: lines + breaks(before),
    };
  };
  for await (const chunk of bytes) {
    if (first) {
      marked = BOMS.find(([bom]) => bom.every((byte, at) => chunk[at] === byte))?.[1] ?? withoutBom(chunk);
      if (marked && marked.label !== 'utf-8') return marked;
      first = false;
    }
    const text = lenient.decode(chunk, { stream: true });
    try {
      strict.decode(chunk, { stream: true });
    } catch {
      return guess(text);
    }
    lines += breaks(text);
  }
  try {
    strict.decode();
  } catch {
    return guess('');
  }
  return marked ?? UTF8;
}

/** Detects UTF-16 without a byte-order mark: every second byte of Western text is zero. Other encodings contain no zeros. */
function withoutBom(chunk: Uint8Array): Encoding | undefined {
  const head = chunk.subarray(0, 2048);
  const zeros = [0, 0];
  for (const [at, byte] of head.entries()) if (byte === 0) zeros[at % 2] = (zeros[at % 2] ?? 0) + 1;
  const [even = 0, odd = 0] = zeros;
  if (odd > head.length / 4 && even === 0) return { name: 'UTF-16LE (a guess)', label: 'utf-16le' };
  if (even > head.length / 4 && odd === 0) return { name: 'UTF-16BE (a guess)', label: 'utf-16be' };
  return undefined;
}

function breaks(text: string): number {
  return text.split('\n').length - 1;
}

/** Decodes a file. The byte-order mark is removed, and invalid bytes are replaced. */
async function* decoded(bytes: AsyncIterable<Uint8Array>, { label }: Encoding): AsyncGenerator<string> {
  const decoder = new TextDecoder(label);
  for await (const chunk of bytes) {
    const text = decoder.decode(chunk, { stream: true });
    if (text !== '') yield text;
  }
  const rest = decoder.decode();
  if (rest !== '') yield rest;
}
