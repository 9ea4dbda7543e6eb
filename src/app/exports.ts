import { columnsFlag, overwriteFlag } from '../cli/common-flags.ts';
import type { Flag, Values } from '../cli/define.ts';
import { choiceFlag, ownPathFlag, toggle } from '../cli/flags.ts';
import { type End, type Note, type Outcome, warning } from '../cli/outcome.ts';
import type { Context } from '../context.ts';
import { usageError } from '../core/errors.ts';
import { count, plural } from '../core/text.ts';
import { AccountNames } from '../export/account-names.ts';
import { checkTarget, type TargetOptions } from '../export/target.ts';
import type { ColumnCheck } from '../formats/column-check.ts';
import { openColumns } from '../formats/open.ts';
import type { ByteSink } from '../formats/record-file.ts';
import {
  EXPORT_FORMATS,
  type ExportFormat,
  exportedFormat,
  formatFor,
  isExported,
} from '../formats/registry.ts';
import { SEPARATORS, type Separator } from '../formats/separators.ts';
import { sheetsText } from '../formats/sheets.ts';
import { ownFile } from './own-file.ts';

const SEPARATOR_NAMES = new Map<string, Separator>([
  ['comma', ','],
  ['semicolon', ';'],
  ['tab', '\t'],
  ['bar', '|'],
]);

const separatorFlag: Flag<Separator | undefined> = {
  written: '--separator <separator>',
  describe: 'CSV separator, as a name or a character: comma (default), semicolon, tab or bar',
  suggests: () => [...SEPARATOR_NAMES.keys()],
  parse: (given) => {
    const separator = SEPARATOR_NAMES.get(given) ?? SEPARATORS.find((one) => one === given);
    if (separator !== undefined) return separator;
    throw usageError(
      'The value must be "comma", "semicolon", "tab" or "bar"',
      "Or pass the character itself: --separator ';'",
    );
  },
};

export const exportFlags = {
  out: ownPathFlag('--out <file>', 'output file, or - for stdout'),
  overwrite: overwriteFlag,
  format: choiceFlag(
    '--format <format>',
    `${EXPORT_FORMATS.join(', ')}; default: by the file extension`,
    EXPORT_FORMATS,
  ),
  columns: columnsFlag,
  csvGuard: choiceFlag(
    '--csv-guard <on|off>',
    'escape formulas and control characters in the text cells of CSV and XLSX files: on (default) or off',
    ['on', 'off'],
  ),
  csvDialect: choiceFlag(
    '--csv-dialect <dialect>',
    'CSV dialect: plain (default), or excel (adds a byte-order mark and CRLF line endings)',
    ['plain', 'excel'],
  ),
  separator: separatorFlag,
  decimalComma: toggle(
    '--decimal-comma',
    'use a decimal comma in CSV (1,5), but not inside cells that contain JSON; the default separator is then a semicolon',
  ),
  parquetDecimals: choiceFlag(
    '--parquet-decimals <kind>',
    'Parquet type of decimals: decimal (default; DECIMAL(38,18), fails if a value does not fit) or string',
    ['decimal', 'string'],
  ),
  parquetNumbers: choiceFlag(
    '--parquet-numbers <kind>',
    'Parquet type of the columns value and price: string (default; keeps every digit) or double (fails if a value does not fit)',
    ['string', 'double'],
  ),
};

export type ExportFlags = Values<typeof exportFlags>;

/** A record that describes a written file. For an export, `--columns` chooses the columns of the file, not of this record. */
export const ABOUT_FILE = { kind: 'record', columns: openColumns, chosen: undefined } as const;

export interface ExportPlace {
  /** Undefined for stdout. */
  readonly path: string | undefined;
  /** The path with symbolic links resolved. */
  readonly target: string | undefined;
  /** Whether the target is a device or a named pipe. */
  readonly special: boolean;
  readonly format: ExportFormat;
}

/**
 * @param what plural noun for the rows, such as `ledgers`
 * @throws usage error if `--out` was not given, the format is unknown, or the file already exists
 */
export async function placeOf(
  context: Context,
  { out, format, overwrite, partitionBy }: Pick<ExportFlags, 'out' | 'format'> & TargetOptions,
  what: string,
): Promise<ExportPlace> {
  if (out === undefined) {
    throw usageError(
      'No output file was given',
      `Choose a file: --out ${what}.csv, or --out - for stdout.`,
      'NO_OUTPUT',
    );
  }
  if (out === '-') {
    if (context.several) {
      throw usageError(
        'Cannot export several profiles to stdout',
        `Write one file per profile: --out '${what}-{profile}.csv'.`,
        'SEVERAL_TO_STDOUT',
      );
    }
    const piped = format ?? (await pipeFormat(context));
    if (exportedFormat(piped).file.openFolder) {
      throw usageError(
        `Cannot write --format ${piped} to stdout: this format writes a folder of files`,
        `Choose a folder: --out ${what}-${piped}.`,
        'NO_FOLDER',
      );
    }
    return { path: undefined, target: undefined, special: false, format: piped };
  }
  const path = await ownFile(context, out);
  const chosen = formatFor(path, format);
  const { journal, openFolder } = exportedFormat(chosen).file;
  if (journal && what !== 'ledgers') {
    throw usageError(
      `Cannot write ${what} as a journal (${chosen})`,
      'Only ledgers can be exported as a journal: cryptodata ledgers export.',
      'NOT_A_JOURNAL',
    );
  }
  const { target, special } = await checkTarget(path, {
    partitionBy,
    folder: openFolder !== undefined,
    overwrite,
  });
  return { path, target, special, format: chosen };
}

/** The default format of an export to stdout: the format given with `-o`, or CSV if no file can have that format. */
async function pipeFormat(context: Context): Promise<ExportFormat> {
  const format = await context.format();
  return isExported(format) ? format : 'csv';
}

/** The names of accounts, as the service reports them when the export starts. */
export async function servedNames(context: Context): Promise<AccountNames> {
  const client = await context.client();
  return AccountNames.from(() => client.integrations.list({}, { signal: context.signal }).asServed());
}

/**
 * Describes the source of an export, for the manifest. `workspace` is the workspace of the API key or the token; it is null if
 * the token contains no workspace. `profile` is null for credentials from the environment.
 */
export async function booksOf(context: Context) {
  const host = await context.auth();
  const { settings, env } = host;
  const { requireCredentials } = await import('../auth/credentials.ts');
  requireCredentials(host);
  const address = settings.require('base_url');
  const ambient = env['CRYPTODATA_ACCESS_TOKEN'] || env['CRYPTODATA_API_KEY'];
  const { openSession } = await import('../auth/session.ts');
  const workspace = settings.get('workspace') ?? (await openSession(host).info())?.workspaceId ?? null;
  return { address, profile: ambient ? null : settings.profile, workspace };
}

/** Returns a note if the rows of a workbook are in several sheets. See {@link sheetsText}. */
export function sheetNotes(sheets: readonly string[] = [], file?: string): Note[] {
  return sheets.length > 1 ? [{ text: sheetsText(sheets, file) }] : [];
}

/** Streams the bytes from `write` to stdout. The notes that `write` returns are printed at the end. */
export function toStdout(write: (sink: ByteSink) => Promise<readonly Note[]>): Outcome {
  async function* chunks(): AsyncGenerator<Uint8Array, End> {
    let notes: readonly Note[] = [];
    yield* writtenChunks(async (sink) => {
      notes = await write(sink);
    });
    return { notes };
  }
  return { kind: 'stream', chunks: chunks() };
}

export function complaints(check: ColumnCheck): Note[] {
  return check.complaints().map((text) => warning(text));
}

export interface Progressed {
  readonly rows: number;
  readonly total: number | undefined;
  readonly windows?: number;
  readonly windowsRead?: number;
  readonly retries?: number;
}

/**
 * Updates the progress line at most ten times a second. The line shows rows, rows per second, windows, retries and remaining
 * time.
 */
export function progressOf(context: Context): (progress: Progressed) => void {
  const started = context.now();
  let told = Number.NEGATIVE_INFINITY;
  let first: number | undefined;
  return ({ rows, total, windows = 1, windowsRead = 0, retries = 0 }) => {
    const now = context.now();
    if (now - told < 100) return;
    told = now;
    // A resumed export starts with rows from an earlier run. Only the rows of this run count for the speed.
    first ??= rows;
    const speed = (rows - first) / Math.max(0.001, (now - started) / 1000);
    const parts = [
      `${count(rows)}${total === undefined ? '' : ` of ${count(total)}`} rows`,
      `${count(Math.round(speed))} a second`,
      ...(windows > 1 ? [`${windowsRead} of ${windows} windows`] : []),
      ...(retries > 0 ? [plural(retries, 'retry', 'retries')] : []),
      ...(total === undefined || speed === 0 ? [] : [timeLeft((total - rows) / speed)]),
    ];
    context.progress().update(parts.join(', '));
  };
}

function timeLeft(seconds: number): string {
  const whole = Math.max(0, Math.ceil(seconds));
  return whole < 120 ? `${whole} s left` : `${Math.ceil(whole / 60)} min left`;
}

/** Yields the bytes that `write` writes. The writer waits until the caller has read the previous bytes. */
async function* writtenChunks(write: (sink: ByteSink) => Promise<void>): AsyncGenerator<Uint8Array> {
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
  const writer = writable.getWriter();
  // Copy the bytes, because `write` may reuse its buffer before the caller has read the bytes.
  const written = write({ write: (bytes) => writer.write(Buffer.from(bytes)) }).then(
    () => writer.close(),
    async (error) => {
      await writer.abort(error).catch(() => undefined);
      throw error;
    },
  );
  written.catch(() => undefined); // reported below
  try {
    for await (const chunk of readable) yield chunk;
  } finally {
    // The write also ends when the caller stops early, because the next write then fails.
    await written;
  }
}
