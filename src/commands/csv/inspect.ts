import { decoded, type Encoding, encodingOf } from './encoding.ts';
import type { Finding } from './finding.ts';
import { readTable } from './table.ts';

/** The types that the service takes ("POST /v1/csv/upload"). */
export const TYPES = ['csv', 'xls', 'xlsx'] as const;
export type FileType = (typeof TYPES)[number];

/** A file to look at; it may be read more than once. */
export interface Source {
  readonly name: string;
  /** Bytes. */
  readonly size: number;
  open(): AsyncIterable<Uint8Array>;
}

/** What can be told of a file on this machine; null where it cannot. */
export interface Inspection {
  readonly file: string;
  readonly type: FileType | null;
  readonly bytes: number;
  readonly encoding: string | null;
  readonly delimiter: string | null;
  /** Names of columns. */
  readonly header: readonly string[] | null;
  /** Below the header. */
  readonly rows: number | null;
  readonly findings: readonly Finding[];
}

export interface InspectionLimits {
  /** Bytes of one file: the specification gives no number. */
  readonly maxSize?: number | undefined;
}

const ZIP = [0x50, 0x4b, 0x03, 0x04];
const OLE = [0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1];

export async function inspect(source: Source, { maxSize }: InspectionLimits = {}): Promise<Inspection> {
  const { name, size } = source;
  const type = typeOf(name);
  const findings: Finding[] = [];
  if (type === null) {
    findings.push({
      code: 'FILE_TYPE',
      says: 'It is no .csv, .xls or .xlsx: the service takes nothing else',
      refused: true,
    });
  }
  if (maxSize !== undefined && size > maxSize) {
    const says = `It has ${size.toLocaleString('en')} bytes, more than ${maxSize.toLocaleString('en')}`;
    findings.push({ code: 'TOO_LARGE', says, refused: true });
  }
  if (size === 0) findings.push({ code: 'EMPTY_FILE', says: 'It is empty', refused: true });
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
  return TYPES.find((type) => type === extension) ?? null;
}

type Kind = 'zip' | 'ole' | 'text';

/** Workbooks show what they are by their first bytes. */
async function kindOf(source: Source): Promise<Kind> {
  for await (const chunk of source.open()) {
    const starts = (magic: readonly number[]) => magic.every((byte, at) => chunk[at] === byte);
    return starts(ZIP) ? 'zip' : starts(OLE) ? 'ole' : 'text';
  }
  return 'text';
}

function mismatch(type: FileType, kind: Kind): string | undefined {
  if (type === 'csv') {
    if (kind === 'zip') return 'It is named .csv and is a workbook (.xlsx) or another zip file';
    return kind === 'ole' ? 'It is named .csv and is a workbook (.xls)' : undefined;
  }
  if (type === 'xlsx') {
    if (kind === 'ole') return 'It is named .xlsx and is an older workbook (.xls), or one with a password';
    return kind === 'text' ? 'It is named .xlsx and is no workbook' : undefined;
  }
  if (kind === 'zip') return 'It is named .xls and is a newer workbook (.xlsx)';
  return kind === 'text' ? 'It is named .xls and is no workbook, but text or a web page' : undefined;
}

function encodingFindings({ name, label, badLine }: Encoding): Finding[] {
  if (label === 'utf-8') return [];
  const says =
    badLine === undefined
      ? `It is ${name}, and not UTF-8`
      : `It is not UTF-8; it looks like ${name.replace(' (a guess)', '')}, so that letters with accents may come out wrong`;
  return [{ code: 'NOT_UTF8', says, ...(badLine === undefined ? {} : { line: badLine }) }];
}
