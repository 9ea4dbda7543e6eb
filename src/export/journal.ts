import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { type FileHandle, open, readFile, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { systemCode } from '../core/errors.ts';
import { isRecord, parseJson } from '../core/json.ts';
import type { Span } from '../core/span.ts';
import { cannotWrite } from '../core/unwritable.ts';
import type { Frozen } from './freeze.ts';
import { readSegmentIds, type SegmentFile } from './segment.ts';

/** What must be the same for an export to be gone on with. */
export type Identity = Readonly<Record<string, unknown>>;

/** A window whose rows are on the disk. */
export interface Segment extends SegmentFile {
  /** Undefined for all that the user asked for, read as one list. */
  readonly span: Span | undefined;
  readonly rows: number;
  /** The service's total that they were held against; undefined where it gave none. */
  readonly total: number | undefined;
  /** Ids of rows that came with them and lie outside the range of the whole export. */
  readonly beyond: readonly string[];
  /** Those of them that the user asked for: rows that are no part of the export only if they were made meanwhile. */
  readonly strays?: readonly string[] | undefined;
  /** How often the window was read until its rows were proved. */
  readonly reads: number;
  readonly doubt?: string | undefined;
  /** Whether the service contradicts itself again and again, so that reading once more is in vain. */
  readonly contradicted?: boolean | undefined;
  /** Filters that the fields of these rows could not decide. */
  readonly unchecked?: readonly string[] | undefined;
}

export interface Kept {
  readonly identity: Identity;
  readonly frozen: Frozen;
  readonly segments: readonly Segment[];
}

const VERSION = 1;

/** The diary of an unfinished export: a line for its beginning, and one for each window that is on the disk. */
export class Journal {
  readonly #directory: string;
  readonly #file: FileHandle;

  private constructor(directory: string, file: FileHandle) {
    this.#directory = directory;
    this.#file = file;
  }

  /** Begins a new one, with the windows of an earlier one where it goes on with that. */
  static async begin(directory: string, { identity, frozen, segments }: Kept): Promise<Journal> {
    const lines = [{ version: VERSION, identity, frozen }, ...segments];
    try {
      const temporary = join(directory, 'journal.tmp');
      const file = await open(temporary, 'w', 0o600);
      await file.writeFile(lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
      await file.sync();
      await rename(temporary, join(directory, 'journal.jsonl'));
      return new Journal(directory, file);
    } catch (error) {
      throw cannotWrite(directory, error);
    }
  }

  /** Returns when the entry is on the disk. */
  async add(segment: Segment): Promise<void> {
    try {
      await this.#file.appendFile(`${JSON.stringify(segment)}\n`);
      await this.#file.datasync();
    } catch (error) {
      throw cannotWrite(this.#directory, error);
    }
  }

  async close(): Promise<void> {
    await this.#file.close();
  }
}

/**
 * What an unfinished export left, or undefined where there is nothing to go on with. A window whose file is not what
 * the journal says of it is left out, and read again.
 */
export async function readJournal(directory: string): Promise<Kept | undefined> {
  let text: string;
  try {
    text = await readFile(join(directory, 'journal.jsonl'), 'utf8');
  } catch (error) {
    if (systemCode(error) === 'ENOENT' || systemCode(error) === 'ENOTDIR') return undefined;
    throw cannotWrite(directory, error);
  }
  const [head, ...entries] = text.split('\n').flatMap(parseLine);
  if (!head || head['version'] !== VERSION || !isRecord(head['identity']) || !isRecord(head['frozen'])) {
    return undefined;
  }
  const bySpan = new Map<string, Segment>();
  // A window that was read again stands further down.
  for (const segment of entries.flatMap((entry) => readSegment(entry) ?? [])) {
    bySpan.set(JSON.stringify(segment.span ?? null), segment);
  }
  const segments: Segment[] = [];
  for (const segment of bySpan.values()) if (await isWhole(directory, segment)) segments.push(segment);
  const frozen = readFrozen(head['frozen']);
  return frozen && { identity: head['identity'], frozen, segments };
}

function readFrozen({ range, total, at, newest }: Record<string, unknown>): Frozen | undefined {
  if (typeof at !== 'string') return undefined;
  return { range: readSpan(range), total: numberIn(total), at, newest: textsIn(newest) };
}

function readSegment(entry: Record<string, unknown>): Segment | undefined {
  const { span, file, sha256, doubt, beyond, leftOut } = entry;
  const [rows, bytes, reads] = [entry['rows'], entry['bytes'], entry['reads']].map(numberIn);
  if (rows === undefined || bytes === undefined || reads === undefined || !isRecord(leftOut))
    return undefined;
  // Nothing but a file of ours, in our directory.
  if (file !== null && !(typeof file === 'string' && /^\d+\.seg$/.test(file))) return undefined;
  return {
    ...{ rows, bytes, reads, file, span: readSpan(span), total: numberIn(entry['total']) },
    written: numberIn(entry['written']) ?? rows,
    beyond: textsIn(beyond),
    sha256: typeof sha256 === 'string' ? sha256 : null,
    leftOut: Object.fromEntries(Object.entries(leftOut).map(([name, count]) => [name, numberIn(count) ?? 0])),
    doubt: typeof doubt === 'string' ? doubt : undefined,
    unchecked: textsIn(entry['unchecked']),
    strays: textsIn(entry['strays']),
  };
}

function readSpan(value: unknown): Span | undefined {
  if (!isRecord(value)) return undefined;
  const [from, to] = [numberIn(value['from']), numberIn(value['to'])];
  return from === undefined || to === undefined ? undefined : { from, to };
}

function numberIn(value: unknown): number | undefined {
  return typeof value === 'number' ? value : undefined;
}

function textsIn(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];
}

/** A line that was cut when the process died says nothing. */
function parseLine(line: string): Record<string, unknown>[] {
  try {
    const value = parseJson(line);
    return isRecord(value) ? [value] : [];
  } catch {
    return [];
  }
}

async function isWhole(directory: string, { file, rows, sha256, doubt }: Segment): Promise<boolean> {
  if (doubt !== undefined) return false;
  if (file === null) return true;
  try {
    const hash = createHash('sha256');
    await pipeline(createReadStream(join(directory, file)), hash);
    return hash.digest('hex') === sha256 && (await readSegmentIds(join(directory, file))).length === rows;
  } catch {
    return false;
  }
}
