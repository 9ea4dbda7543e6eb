import { type FileHandle, open, readFile, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { isMissing } from '../core/errors.ts';
import { hashOfFile } from '../core/file.ts';
import { isRecord, jsonText, tryJson } from '../core/json.ts';
import type { Span } from '../core/span.ts';
import { cannotWrite } from '../core/unwritable.ts';
import { type NamesRead, namesRecord, readNames } from './account-names.ts';
import type { Frozen } from './plan.ts';
import { readSegmentIds, type SegmentFile } from './segment.ts';

/**
 * The settings that identify an export, such as the workspace, the filters and the form of the file. An unfinished export can
 * be resumed only with the same settings.
 */
export type Identity = Readonly<Record<string, unknown>>;

export interface Segment extends SegmentFile {
  /** Undefined if the selection is not split by time. */
  readonly span: Span | undefined;
  readonly rows: number;
  /** The service's total for the window; undefined if the service reports no total. */
  readonly total: number | undefined;
  /** Ids of returned rows that lie outside the range of the whole export. */
  readonly beyond: readonly string[];
  /**
   * The ids in `beyond` whose rows lie inside the requested period. If one of these rows existed when the export started, the
   * range of the export is wrong.
   */
  readonly strays?: readonly string[] | undefined;
  /** Number of times that the window was read. */
  readonly reads: number;
  readonly doubt?: string | undefined;
  /** True if the service contradicted itself repeatedly, so that reading the window again is useless. */
  readonly contradicted?: boolean | undefined;
  /** Filters of the request that could not be checked for at least one of the rows read so far. */
  readonly unchecked?: readonly string[] | undefined;
  /** Reads the ids of the rows. Set only if an earlier run stored the rows elsewhere, so that the segment has no file. */
  readonly ids?: (() => Promise<readonly string[]>) | undefined;
  /** True if an earlier run read this window, the total has not changed since, and the service reports no additional rows. */
  readonly unchanged?: boolean | undefined;
}

export interface LoggedExport {
  readonly identity: Identity;
  readonly frozen: Frozen;
  readonly segments: readonly Segment[];
  /** The names of accounts in the rows of the segments; undefined if the rows have none. */
  readonly names?: NamesRead | undefined;
}

/**
 * The version of the format. An export whose resume log has another version cannot be resumed, because its range has another
 * meaning, or its default columns differ.
 */
const VERSION = 4;

/** The resume log of an unfinished export, with a header line and one line for each window on disk. */
export class ResumeLog {
  readonly #directory: string;
  readonly #file: FileHandle;

  private constructor(directory: string, file: FileHandle) {
    this.#directory = directory;
    this.#file = file;
  }

  /** Starts a new resume log. If an export is resumed, the new resume log begins with the windows that were already read. */
  static async begin(
    directory: string,
    { identity, frozen, segments, names }: LoggedExport,
  ): Promise<ResumeLog> {
    const accountNames = names && namesRecord(names);
    const lines = [{ version: VERSION, identity, frozen, accountNames }, ...segments];
    try {
      const temporary = join(directory, 'resume-log.tmp');
      const file = await open(temporary, 'w', 0o600);
      await file.writeFile(lines.map((line) => `${jsonText(line)}\n`).join(''));
      await file.sync();
      await rename(temporary, join(directory, 'resume-log.jsonl'));
      return new ResumeLog(directory, file);
    } catch (error) {
      throw cannotWrite(directory, error);
    }
  }

  /** Resolves when the entry is on disk. */
  async add(segment: Segment): Promise<void> {
    try {
      await this.#file.appendFile(`${jsonText(segment)}\n`);
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
 * Returns the state of an unfinished export, or undefined if there is no export to resume. Omits each window whose file does
 * not match the resume log, so that the export reads this window again.
 */
export async function readResumeLog(directory: string): Promise<LoggedExport | undefined> {
  let text: string;
  try {
    text = await readFile(join(directory, 'resume-log.jsonl'), 'utf8');
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw cannotWrite(directory, error);
  }
  const [head, ...entries] = text.split('\n').flatMap(parseLine);
  if (!head || head['version'] !== VERSION || !isRecord(head['identity']) || !isRecord(head['frozen'])) {
    return undefined;
  }
  const bySpan = new Map<string, Segment>();
  // The last entry for a window replaces earlier entries.
  for (const segment of entries.flatMap((entry) => readSegment(entry) ?? [])) {
    bySpan.set(JSON.stringify(segment.span ?? null), segment);
  }
  const segments: Segment[] = [];
  for (const segment of bySpan.values()) if (await isWhole(directory, segment)) segments.push(segment);
  const frozen = readFrozen(head['frozen']);
  const names = readNames(head['accountNames']);
  return frozen && { identity: head['identity'], frozen, segments, names };
}

function readFrozen({ range, filled, total, at, newest }: Record<string, unknown>): Frozen | undefined {
  if (typeof at !== 'string') return undefined;
  return {
    ...{ range: readSpan(range), filled: readSpan(filled), total: numberIn(total) },
    ...{ at, newest: textsIn(newest) },
  };
}

function readSegment(entry: Record<string, unknown>): Segment | undefined {
  const { span, file, sha256, doubt, beyond, leftOut } = entry;
  const [rows, bytes, reads] = [entry['rows'], entry['bytes'], entry['reads']].map(numberIn);
  if (rows === undefined || bytes === undefined || reads === undefined || !isRecord(leftOut))
    return undefined;
  // Accept only segment files in this directory.
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
  // JSON has no infinity. The start of a span is null if the span is open.
  const from = value['from'] === null ? Number.NEGATIVE_INFINITY : numberIn(value['from']);
  const to = numberIn(value['to']);
  return from === undefined || to === undefined ? undefined : { from, to };
}

function numberIn(value: unknown): number | undefined {
  return typeof value === 'number' ? value : undefined;
}

function textsIn(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];
}

/** Ignores a line that is incomplete because the process was killed. */
function parseLine(line: string): Record<string, unknown>[] {
  const value = tryJson(line);
  return isRecord(value) ? [value] : [];
}

async function isWhole(directory: string, { file, rows, sha256, doubt }: Segment): Promise<boolean> {
  if (doubt !== undefined) return false;
  if (file === null) return true;
  try {
    const path = join(directory, file);
    return (await hashOfFile(path)) === sha256 && (await readSegmentIds(path)).length === rows;
  } catch {
    return false;
  }
}
