import { format as formatPath, parse as parsePath } from 'node:path';
import { usageError } from '../base/errors.ts';
import type { JsonRecord } from '../base/json.ts';
import type { Context } from '../context.ts';
import { EXPORT_FORMATS, type ExportFormat, formatOfFile, type Layout, layOut } from '../export/formats.ts';
import { OutputFile } from '../export/output-file.ts';
import type { OnProgress } from '../export/reading.ts';
import { type Column, jsonShape, NameWatch } from '../output/columns.ts';
import { openColumns } from '../output/open.ts';
import type { Note, Outcome } from '../output/outcome.ts';
import type { Values } from './define.ts';
import { choice, text } from './flags.ts';
import { columnsFlag } from './shared.ts';

/** The flags of every export: where to, and how it is written. */
export const exportFlags = {
  out: text('--out <file>', 'file to write, or - for stdout'),
  format: choice(
    '--format <format>',
    `${EXPORT_FORMATS.join(', ')}; told from the ending of the file where not given`,
    EXPORT_FORMATS,
  ),
  columns: columnsFlag,
  csvGuard: choice('--csv-guard <on|off>', 'guard text cells against formulas and escapes (default on)', [
    'on',
    'off',
  ]),
  csvDialect: choice('--csv-dialect <dialect>', 'plain (default), or excel: byte-order mark and CRLF', [
    'plain',
    'excel',
  ]),
};

/** What can be said of the rows once the last one is read. */
export interface Verdict {
  readonly verified: boolean;
  /** Said on stderr beside the result. */
  readonly notes: readonly Note[];
}

export interface ExportParts {
  readonly rows: AsyncIterable<JsonRecord>;
  readonly columns: Layout['columns'];
  /** Every column that has a name, for `--columns` in JSON. */
  readonly known: readonly Column[];
  /** @param where the file, or what stands in its place: throws where the rows cannot be vouched for at all */
  readonly judge: (where: string) => Verdict;
}

/**
 * Writes rows to a file that is there whole or not at all, or to stdout.
 *
 * @throws usage error where no file was named, and what `judge` throws
 */
export async function writeExport(
  context: Context,
  { out, format, columns, csvGuard, csvDialect }: Values<typeof exportFlags>,
  /** What the rows are: `ledgers`. */
  what: string,
  prepare: () => Promise<ExportParts>,
): Promise<Outcome> {
  if (out === undefined)
    throw usageError(
      'There is no file to write',
      `Name it: --out ${what}.csv, or --out - for stdout.`,
      'NO_OUTPUT',
    );
  if (out === '-' && context.several)
    throw usageError(
      'Several profiles cannot be written to one stdout: nothing would tell their rows apart',
      `Name a file, and each profile gets its own: --out '${what}-{profile}.csv'.`,
      'SEVERAL_TO_STDOUT',
    );
  const place = fileFor(out, (await context.settings()).profile, context.several);
  const parts = await prepare();
  const kept = { count: 0 };
  const view = await context.view();
  const watch = new NameWatch(columns ?? [], parts.known);
  const layout = {
    columns: parts.columns,
    shape: jsonShape(parts.known, columns ?? [], view),
    view,
    guard: csvGuard !== 'off',
    dialect: csvDialect ?? 'plain',
  };
  const textIn = (form: ExportFormat) =>
    layOut(counted(watch.over(parts.rows), kept), { ...layout, format: form });
  if (out === '-') return toStdout(textIn(format ?? (await pipeFormat(context))), parts.judge, watch);

  const file = await OutputFile.open(place, context.signal);
  try {
    const fileFormat = format ?? formatOfFile(out);
    for await (const text of textIn(fileFormat)) await file.write(text);
    const { path, bytes, sha256 } = await file.finish();
    const { verified, notes } = parts.judge(path);
    const record = { file: path, format: fileFormat, rows: kept.count, bytes, sha256, verified };
    return { kind: 'record', record, columns: openColumns, notes: () => [...complaints(watch), ...notes] };
  } catch (error) {
    await file.discard();
    throw error;
  }
}

/** `{profile}` in a file's name stands for the profile; of several profiles each has a file of its own anyway. */
export function fileFor(out: string, profile: string, several: boolean): string {
  const named = out.replaceAll('{profile}', profile);
  if (!several || named !== out) return named;
  const { dir, root, name, ext } = parsePath(out);
  return formatPath({ dir, root, name: `${name}.${profile}`, ext });
}

function complaints(watch: NameWatch): Note[] {
  return watch.complaints().map((text) => ({ text, warning: true }));
}

/** Without --format, stdout gets what -o says; a table is no export. */
async function pipeFormat(context: Context): Promise<ExportFormat> {
  const format = await context.format();
  return format === 'table' ? 'csv' : format;
}

function toStdout(chunks: AsyncIterable<string>, judge: ExportParts['judge'], watch: NameWatch): Outcome {
  let notes: readonly Note[] = [];
  async function* proved(): AsyncGenerator<string> {
    yield* chunks;
    notes = judge('stdout').notes;
  }
  return { kind: 'stream', chunks: proved(), notes: () => [...complaints(watch), ...notes] };
}

async function* counted(
  rows: AsyncIterable<JsonRecord>,
  kept: { count: number },
): AsyncGenerator<JsonRecord> {
  for await (const row of rows) {
    kept.count += 1;
    yield row;
  }
}

/** Rows of total, rows a second, time left. */
export function progressOf(context: Context): OnProgress {
  const started = context.now();
  return ({ rows, firstTotal }) => {
    const seconds = Math.max(0.001, (context.now() - started) / 1000);
    const speed = rows / seconds;
    const left =
      firstTotal === undefined || speed === 0 ? '' : `, ${Math.ceil((firstTotal - rows) / speed)} s left`;
    const of = firstTotal === undefined ? '' : ` of ${firstTotal.toLocaleString('en')}`;
    context
      .progress()
      .update(
        `${rows.toLocaleString('en')}${of} rows, ${Math.round(speed).toLocaleString('en')} a second${left}`,
      );
  };
}
