import { File } from 'node:buffer';
import { openAsBlob } from 'node:fs';
import { open, stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { type ReadableStream, TransformStream } from 'node:stream/web';
import { integerFlag, sizeFlag } from '../../cli/flags.ts';
import { cannotRead } from '../../cli/json-input.ts';
import type { Progress } from '../../context.ts';
import { systemCode } from '../../core/errors.ts';
import { showText } from '../../core/text.ts';
import type { CsvFinding } from '../../csv/finding.ts';
import { type CsvSource, type FileType, type Inspection, inspect, typeOf } from '../../csv/inspect.ts';

/** The specification does not define these limits, so the user can set them. */
export const limitFlags = {
  maxSize: sizeFlag('--max-size <size>', 'maximum size of a file (the specification sets no limit)'),
  maxFiles: integerFlag('--max-files <n>', 'maximum files per upload (the specification sets no limit)', {
    min: 1,
  }),
};

export interface Limits {
  readonly maxSize: number | undefined;
  readonly maxFiles: number | undefined;
}

export async function inspectAll(
  paths: readonly string[],
  limits: Limits,
  { update }: Pick<Progress, 'update'>,
): Promise<Inspection[]> {
  const inspections: Inspection[] = [];
  for (const [at, path] of paths.entries()) {
    update(showText(`Inspecting ${path}`));
    const inspection = await inspect(await sourceOf(path), limits);
    const extra = limits.maxFiles !== undefined && at >= limits.maxFiles ? [tooMany(limits.maxFiles)] : [];
    inspections.push({ ...inspection, findings: [...inspection.findings, ...extra] });
  }
  return inspections;
}

function tooMany(maxFiles: number): CsvFinding {
  const says = `One upload can contain at most ${maxFiles} files`;
  return { code: 'TOO_MANY_FILES', level: 'error', says, blocks: true };
}

/** Findings that are printed on one line: the same finding in one or several columns. */
type FindingGroup = readonly [first: CsvFinding, ...others: readonly CsvFinding[]];

export function groupFindings(findings: readonly CsvFinding[]): FindingGroup[] {
  const isShared = (one: CsvFinding, other: CsvFinding) =>
    one.column !== undefined && one.code === other.code;
  return findings.flatMap((first, at): FindingGroup[] => {
    if (findings.slice(0, at).some((one) => isShared(first, one))) return [];
    return [[first, ...findings.slice(at + 1).filter((one) => isShared(first, one))]];
  });
}

/** Formats findings as `FILE:LINE: sentence` or `FILE:LINE: LEVEL: sentence`, as compilers do. */
export function findingLines(
  { file, findings }: Pick<Inspection, 'file' | 'findings'>,
  withLevel = false,
): string[] {
  return groupFindings(findings).map(([first, ...others]) => {
    const { line, level, says } = first;
    const place = line === undefined ? file : `${file}:${line}`;
    const names = others.map(({ column }) => JSON.stringify(column)).join(', ');
    const more = names === '' ? '' : `; also in ${others.length === 1 ? 'column' : 'columns'} ${names}`;
    return `${place}: ${withLevel ? `${level}: ` : ''}${says}${more}`;
  });
}

async function sourceOf(path: string): Promise<CsvSource> {
  const about = await stat(path).catch((error) => {
    throw cannotRead(path, error);
  });
  if (about.isDirectory()) throw cannotRead(path, Object.assign(new Error(), { code: 'EISDIR' }));
  if (!about.isFile()) throw cannotRead(path, new Error('it is not a file'));
  return { name: path, size: about.size, open: () => opened(path) };
}

/** A larger chunk would stay in memory until a full garbage collection. */
const CHUNK = 64 * 1024;

/** Reads a file. All chunks share one buffer, so a chunk is valid only until the next chunk is read. */
async function* opened(path: string): AsyncGenerator<Uint8Array> {
  try {
    await using file = await open(path);
    const buffer = Buffer.allocUnsafeSlow(CHUNK);
    for (;;) {
      const { bytesRead } = await file.read(buffer, 0, CHUNK);
      if (bytesRead === 0) return;
      yield buffer.subarray(0, bytesRead);
    }
  } catch (error) {
    throw systemCode(error)?.startsWith('E') ? cannotRead(path, error) : error;
  }
}

const MEDIA_TYPES: Readonly<Record<FileType, string>> = {
  csv: 'text/csv',
  xls: 'application/vnd.ms-excel',
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
};

/** Opens files without loading their content into memory. `sent` is called with the number of bytes sent so far. */
export async function filesToSend(
  paths: readonly string[],
  sent: (bytes: number) => void,
): Promise<readonly File[]> {
  const progress = new Map<string, number>();
  const report = (path: string, bytes: number) => {
    progress.set(path, bytes);
    sent([...progress.values()].reduce((sum, one) => sum + one, 0));
  };
  return Promise.all(
    paths.map(async (path) => {
      const type = typeOf(path);
      const options = type === null ? {} : { type: MEDIA_TYPES[type] };
      return new CountedFile(await openAsBlob(path), path, options, (bytes) => report(path, bytes));
    }),
  );
}

type Content = ConstructorParameters<typeof File>[0][number];

class CountedFile extends File {
  /** For `--curl`. */
  readonly path: string;
  readonly #report: (bytes: number) => void;

  constructor(content: Content, path: string, options: { type?: string }, report: (bytes: number) => void) {
    super([content], basename(path), options);
    this.path = path;
    this.#report = report;
  }

  override stream(): ReadableStream {
    // Count the bytes of each call from 0, because the request may be sent again after a token refresh.
    let bytes = 0;
    const count = new TransformStream<Uint8Array, Uint8Array>({
      transform: (chunk, out) => {
        bytes += chunk.length;
        this.#report(bytes);
        out.enqueue(chunk);
      },
    });
    return super.stream().pipeThrough(count);
  }
}
