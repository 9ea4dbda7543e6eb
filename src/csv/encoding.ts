import { isAscii, isUtf8 } from 'node:buffer';
import { count } from '../core/text.ts';
import { candidatesFor } from './candidates.ts';
import { Decoder } from './decoder.ts';
import { type CsvFinding, quotedText } from './finding.ts';

/** The encoding of a text file. */
export interface Encoding {
  /** Name of the encoding in messages; `unknown` if several encodings are possible. */
  readonly name: string;
  /** The encoding to pass to `Decoder`. If several encodings are possible, the most plausible one. */
  readonly label: string;
  readonly findings: readonly CsvFinding[];
}

const UTF8: Encoding = { name: 'UTF-8', label: 'utf-8', findings: [] };

function utf16(name: string, label: string): Encoding {
  return {
    name,
    label,
    findings: [{ code: 'NOT_UTF8', level: 'warning', says: `The encoding is ${name}, not UTF-8` }],
  };
}

const BOMS: readonly (readonly [readonly number[], Encoding])[] = [
  [[0xef, 0xbb, 0xbf], { name: 'UTF-8 with a byte-order mark', label: 'utf-8', findings: [] }],
  [[0xff, 0xfe], utf16('UTF-16LE', 'utf-16le')],
  [[0xfe, 0xff], utf16('UTF-16BE', 'utf-16be')],
];

/** Detects the encoding. Invalid UTF-8 can occur anywhere, so the whole file is read. */
export async function encodingOf(bytes: AsyncIterable<Uint8Array>): Promise<Encoding> {
  let marked: Encoding | undefined;
  /** The line that the next chunk continues, its number, and whether the text above it has characters outside ASCII. */
  let start: Uint8Array = new Uint8Array();
  let line = 1;
  let isWide = false;
  let isFirst = true;
  for await (const chunk of withHead(bytes)) {
    if (isFirst) {
      marked = BOMS.find(([bom]) => bom.every((byte, at) => chunk[at] === byte))?.[1] ?? withoutMark(chunk);
      if (marked && marked.label !== 'utf-8') return marked;
      isFirst = false;
    }
    const joined = start.length === 0 ? chunk : Buffer.concat([start, chunk]);
    const end = endOfLines(joined);
    const lines = joined.subarray(0, end);
    if (!isUtf8(lines)) return unknown(joined, line, isWide);
    line += breaksIn(lines);
    isWide ||= !isAscii(lines);
    start = Uint8Array.from(joined.subarray(end));
  }
  return isUtf8(start) ? (marked ?? UTF8) : unknown(start, line, isWide);
}

/** Number of bytes from which UTF-16 without a byte-order mark is recognised. */
const HEAD = 4096;

/** Joins chunks at the start of the file, so that the first chunk has enough bytes. */
async function* withHead(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let head: Uint8Array | undefined = new Uint8Array();
  for await (const chunk of bytes) {
    if (head === undefined) {
      yield chunk;
      continue;
    }
    head = Buffer.concat([head, chunk]);
    if (head.length < HEAD) continue;
    yield head;
    head = undefined;
  }
  if (head !== undefined) yield head;
}

const [LF, CR] = [10, 13];
/** Maximum length of a line in bytes. A longer line is checked in parts, so that memory does not grow with the line. */
const LONGEST_LINE = 1_000_000;

/**
 * The position after the last complete line. In a line that is too long, a position between two characters near the end of the
 * bytes.
 */
function endOfLines(bytes: Uint8Array): number {
  const last = Math.max(bytes.lastIndexOf(LF), bytes.lastIndexOf(CR)) + 1;
  if (bytes.length - last <= LONGEST_LINE) return last;
  let end = bytes.length - 1;
  while (end > last && ((bytes[end] ?? 0) & 0xc0) === 0x80) end -= 1;
  return end;
}

/**
 * Recognises UTF-16 without a byte-order mark: in UTF-16, each separator and each digit contains a zero byte, but text in UTF-8
 * contains none.
 */
function withoutMark(chunk: Uint8Array): Encoding | undefined {
  const head = chunk.subarray(0, HEAD);
  if (!head.includes(0)) return undefined;
  const asciiAt = (offset: number) => {
    let found = 0;
    for (let at = 0; at + 1 < head.length; at += 2) {
      const code = head[at + offset] ?? 0;
      const isText = code === 9 || code === LF || code === CR || (code >= 32 && code < 127);
      if (isText && head[at + 1 - offset] === 0) found += 1;
    }
    return found;
  };
  const [little, big] = [asciiAt(0), asciiAt(1)];
  if (Math.max(little, big) * 16 < head.length) return undefined;
  return little >= big
    ? utf16('UTF-16LE without a byte-order mark', 'utf-16le')
    : utf16('UTF-16BE without a byte-order mark', 'utf-16be');
}

/**
 * @param bytes the rest of the file from the beginning of a line; one of its lines is not UTF-8
 * @param line number of the first line of `bytes` @param isWide whether the text before `bytes` has characters outside ASCII
 */
function unknown(bytes: Uint8Array, line: number, isWide: boolean): Encoding {
  const { start, end, lines } = invalidLine(bytes);
  const invalid = bytes.subarray(start, end);
  const badLine = line + lines;
  if (isWide || !isAscii(bytes.subarray(0, start))) {
    const above = count(badLine - 1);
    const says = `Line ${count(badLine)} is not UTF-8, but the text above it (to line ${above}) is`;
    return {
      name: 'mixed',
      label: 'utf-8',
      findings: [{ code: 'MIXED_ENCODING', level: 'error', says, line: badLine }],
    };
  }
  const candidates = candidatesFor(invalid);
  const readings = candidates
    .map(({ name, reading }) => `${quotedText(reading.trim())} in ${name}`)
    .join(', ');
  const says = `The encoding is unknown: it is not UTF-8; ${readings === '' ? 'no common encoding fits' : `line ${count(badLine)} reads ${readings}`}`;
  const level = candidates.length === 0 ? 'error' : 'warning';
  const label = candidates[0]?.label ?? 'windows-1252';
  return { name: 'unknown', label, findings: [{ code: 'UNKNOWN_ENCODING', level, says, line: badLine }] };
}

/** Finds the first line that is not UTF-8. */
function invalidLine(bytes: Uint8Array): { start: number; end: number; lines: number } {
  let start = 0;
  for (let lines = 0; ; lines++) {
    const end = endOfLine(bytes, start);
    if (end >= bytes.length || !isUtf8(bytes.subarray(start, end))) return { start, end, lines };
    start = end + (bytes[end] === CR && bytes[end + 1] === LF ? 2 : 1);
  }
}

function endOfLine(bytes: Uint8Array, start: number): number {
  let at = start;
  while (at < bytes.length && bytes[at] !== LF && bytes[at] !== CR) at += 1;
  return at;
}

function breaksIn(bytes: Uint8Array): number {
  let found = 0;
  for (let at = bytes.indexOf(LF); at >= 0; at = bytes.indexOf(LF, at + 1)) found += 1;
  if (!bytes.includes(CR)) return found;
  for (let at = bytes.indexOf(CR); at >= 0; at = bytes.indexOf(CR, at + 1))
    if (bytes[at + 1] !== LF) found += 1;
  return found;
}

/** Decodes a file. The byte-order mark is removed, and invalid bytes are replaced. */
export async function* decoded(bytes: AsyncIterable<Uint8Array>, label: string): AsyncGenerator<string> {
  const decoder = new Decoder(label);
  for await (const chunk of bytes) {
    const text = decoder.decode(chunk, true);
    if (text !== '') yield text;
  }
  const rest = decoder.decode();
  if (rest !== '') yield rest;
}
