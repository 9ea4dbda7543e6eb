import { basename } from 'node:path';
import { anything, arrayOf, bool, int, nullable, text, word } from '../../api/records.ts';
import { compareToday, countMissing, viewOfExport } from '../../app/compare-today.ts';
import { CHANGE } from '../../app/leg-changes.ts';
import { uncheckedNote } from '../../app/list-end.ts';
import { REMOVED_PRINT } from '../../app/removed-legs.ts';
import { checkSameBooks } from '../../app/same-books.ts';
import { columnsFlag } from '../../cli/common-flags.ts';
import { verb } from '../../cli/define.ts';
import { SERVICE_EXITS } from '../../cli/exits.ts';
import { toggle } from '../../cli/flags.ts';
import { alsoNotes, type Note } from '../../cli/outcome.ts';
import { made, ofSchema, oneOf } from '../../cli/output.ts';
import { fileFor } from '../../cli/own-path.ts';
import type { Context } from '../../context.ts';
import { Claim } from '../../core/claim.ts';
import { CryptodataError, gravestFirst, unverifiedError, usageError } from '../../core/errors.ts';
import type { JsonRecord } from '../../core/json.ts';
import { count, plural, showText } from '../../core/text.ts';
import { checkFile, fileChanged } from '../../export/file-check.ts';
import {
  describedPath,
  formatOfManifest,
  type Manifest,
  manifestOf,
  readManifest,
  rowsInFile,
} from '../../export/manifest.ts';
import { compareWithToday, type TotalToday, totalToday } from '../../export/verify.ts';
import { spanText } from '../../formats/moments.ts';
import { openColumns } from '../../formats/open.ts';
import { contentNotes, contentProblems, deepOutcome } from './compare-report.ts';

const FACTS = {
  file: text,
  format: nullable(text),
  hash: word('same', 'changed'),
  bytes: int,
  rows: nullable(int),
  rowsExported: int,
  verified: nullable(bool),
  verifiedAtExport: bool,
  compared: word('file', 'number of legs', 'contents'),
  exportedAt: nullable(text),
  total: nullable(int),
  totalToday: nullable(int),
  besideRange: int,
  outside: nullable(anything),
};
const VERIFIED = made(FACTS);
const DEEP = made({
  ...FACTS,
  legsToday: nullable(int),
  added: nullable(int),
  removed: nullable(int),
  changed: nullable(int),
  fieldsChanged: nullable(int),
  duplicates: nullable(int),
  changes: arrayOf(ofSchema(CHANGE)),
});

export const verifyExport = verb({
  name: 'verify',
  summary: 'Check an export against its manifest and the service',
  about: `Checks that the hash (SHA-256) and the number of rows match FILE.manifest.json, and that the export was verified. The command also checks that the service still has the same number of legs in the exported range, and that the file (CSV, JSON or JSONL) contains the legs that were created last. The range is the period of the export. If the period had no end, or was not over, the range ends with the last exported leg. Legs that were added to such a period later are counted separately.

The same number of legs does not mean the same legs. With --deep, the command reads the range again, and compares its legs with the file. Legs are matched by id. The result lists added legs, removed legs, and the old and the new value of each changed field. Fields without a column in the file are not compared. CSV, JSON and JSONL are compared field by field. XLSX, Parquet, journals and data sets are compared byte by byte. If the bytes differ, the command exits with 12 and reports that the contents were not compared.

The manifest is not a signature: anyone who can change the file can change the manifest too.`,
  operands: [{ written: '<file>', describe: 'the exported file, or the folder of a data set' }],
  flags: {
    offline: toggle('--offline', 'check only the file, without the service'),
    deep: toggle('--deep', 'read the range again and compare the contents of every leg'),
    columns: columnsFlag,
  },
  examples: {
    'Check a file against its manifest and the service': 'cryptodata ledgers verify ledgers-2025.csv',
    'List every changed leg and field': 'cryptodata ledgers verify ledgers-2025.csv --deep',
    'Check without a login': 'cryptodata ledgers verify ledgers-2025.csv --offline',
    'Use the check in a script': 'cryptodata ledgers verify ledgers-2025.csv --deep --json | jq -e .verified',
  },
  prints: `A record { file, format, hash (same or changed), bytes, rows, rowsExported, verified, verifiedAtExport, compared, exportedAt, total, totalToday, besideRange, outside }. verified is false if a check failed, and null if only the file was checked. compared is "file", "number of legs" or "contents". rows is null if the rows were not counted. totalToday is null if no total was requested. besideRange is the number of legs within a millisecond of the exported range: the totals count them, but the file does not contain them. outside is the number of legs that were added to the period after the exported range. Without a period, outside is null.
With --deep also { legsToday, added, removed, changed, fieldsChanged, duplicates, changes: [{ change, id, timestamp, field, from, to }] }. csv and jsonl print only the changes. ${REMOVED_PRINT}
On stderr: the result of each check.`,
  output: [oneOf(VERIFIED), oneOf(DEEP, { line: CHANGE, when: 'with --deep' })],
  exits: [...SERVICE_EXITS, 12],
  reads: true,
  async run(context, { offline = false, deep = false }, [given = '']) {
    if (offline && deep) {
      throw usageError('--offline and --deep cannot be used together', 'Omit one of them.');
    }
    const { profile } = await context.settings();
    const path = await describedPath(
      fileFor(given.replace(/(.)(\.manifest\.json|\/+)$/, '$1'), profile, context.several),
    );
    const found = await verifyFile(context, path, { offline, deep });
    const [first, ...others] = problemsOf(found);
    const notes = [...notesOf(found), ...alsoNotes(others)];
    const record = recordOf(found, first !== undefined);
    const ending = { notes: () => notes, failed: () => first };
    const { compared } = found;
    if (!compared) return { kind: 'record', record, columns: openColumns, ...ending };
    return deepOutcome(context, record, compared, ending);
  },
});

type Found = Awaited<ReturnType<typeof verifyFile>>;

/** Checks the file against its manifest, and against the service if the manifest and the flags allow this. */
async function verifyFile(
  context: Context,
  path: string,
  { offline, deep }: { readonly offline: boolean; readonly deep: boolean },
) {
  const manifest = await readManifest(path);
  const held = offline ? undefined : compareWithToday(manifest);
  const askable = held?.total !== undefined;
  const isDeep = deep && manifest.what === 'ledgers';
  if (askable || isDeep) await checkSameBooks(context, manifest, 'Or check only the file: --offline.');

  context.progress().update(`Reading ${basename(path)}`);
  const file = await checkFile(path, manifest, context.signal);
  const failures: CryptodataError[] = [];
  const today = askable ? await asked(context, failures, () => ask(context, manifest)) : undefined;
  const isAnswered = isDeep && failures.length === 0;
  const compared = isAnswered
    ? await asked(context, failures, () => compareToday(context, path, manifest, file))
    : undefined;
  // One added and one removed leg leave the total unchanged. Therefore, search the file for the newest legs of the service.
  const isSearched = today?.total === held?.total && file.differences.length === 0 && !compared;
  const added = today && isSearched ? await countMissing(path, manifest, today.newest) : 0;
  const changed = changedProblem(held?.total, today, added);
  // The reason why a requested comparison of the contents was not made.
  const notDeep = deep && !isDeep ? `exports of ${manifest.what} have no fixed time range` : undefined;
  return { path, manifest, offline, notDeep, file, today, compared, failures, changed };
}

function problemsOf(found: Found): readonly CryptodataError[] {
  const { path, manifest, notDeep, file, compared, failures, changed } = found;
  const { verified, statement, what } = manifest;
  const isChanged = file.differences.length > 0;
  const contradiction = compareWithToday(manifest)?.contradiction;
  return gravestFirst([
    isChanged ? fileChanged(path, file.differences) : undefined,
    contradiction === undefined
      ? undefined
      : unverifiedError(
          `The manifest contradicts itself: ${contradiction}`,
          'The manifest was changed after the export. Export again: cryptodata ledgers export.',
          'MANIFEST_CONTRADICTS',
        ),
    verified
      ? undefined
      : unverifiedError(
          `The export was not verified. The manifest says: ${showText(statement)}`,
          what === 'ledgers' ? 'Export again when no sync is running.' : 'See "checks" in the manifest.',
          'NOT_VERIFIED',
        ),
    ...failures,
    notDeep === undefined
      ? undefined
      : unverifiedError(
          `Contents were not compared: ${notDeep}`,
          'To run only the other checks, omit --deep.',
          'NOT_COMPARED',
        ),
    ...(compared ? contentProblems(compared, isChanged) : []),
    changed,
  ]);
}

function notesOf({ path, manifest, offline, file, today, compared, failures, changed }: Found): Note[] {
  const { rows, uncounted, differences } = file;
  const isAsked = today !== undefined || compared !== undefined || failures.length > 0;
  return [
    ...renamedNote(path, manifest),
    ...(differences.length === 0
      ? [{ text: Claim.verified({ by: 'bytes', file: path, rows, uncounted }).text() }]
      : []),
    ...(manifest.verified ? [{ text: `The manifest says: ${showText(manifest.statement)}.` }] : []),
    ...uncheckedFilters(manifest),
    // If the contents were compared, a note on the number of legs is superfluous.
    ...(today && !compared && !changed ? [steadyNote(manifest, today)] : []),
    ...(isAsked ? [] : [{ text: unasked(manifest, offline) }]),
    ...(compared ? contentNotes(compared) : []),
  ];
}

function recordOf({ path, manifest, file, today, compared }: Found, failed: boolean): JsonRecord {
  const isDeep = compared !== undefined && compared.notCompared === undefined;
  const isCompared = isDeep || today !== undefined;
  return {
    ...{ file: path, format: formatOfManifest(manifest) ?? null },
    ...{ hash: file.differences.length === 0 ? 'same' : 'changed', bytes: file.bytes },
    ...{ rows: file.rows ?? null, rowsExported: rowsInFile(manifest) },
    ...{ verified: failed ? false : isCompared ? true : null, verifiedAtExport: manifest.verified },
    compared: isDeep ? 'contents' : isCompared ? 'number of legs' : 'file',
    exportedAt: timeOf(manifest),
    ...{ total: compareWithToday(manifest)?.total ?? null, totalToday: today?.total ?? null },
    ...{ besideRange: manifest.neighbours ?? 0, outside: today?.outside ?? null },
  };
}

function ask(context: Context, manifest: Manifest): Promise<TotalToday> {
  context.progress().update('Requesting the current total');
  return context.client().then((client) => totalToday(client, manifest, context.signal));
}

/** Adds an error from the service to `failures` instead of throwing it, so that the file checks are still reported. */
async function asked<Result>(
  context: Context,
  failures: CryptodataError[],
  question: () => Promise<Result>,
): Promise<Result | undefined> {
  try {
    return await question();
  } catch (error) {
    if (!(error instanceof CryptodataError) || context.signal.aborted) throw error;
    failures.push(error);
    return undefined;
  }
}

function changedProblem(
  total: number | undefined,
  answer: TotalToday | undefined,
  added: number,
): CryptodataError | undefined {
  if (answer === undefined || total === undefined) return undefined;
  const changes = [
    ...(answer.total === total ? [] : [wasAndIs(total, answer.total)]),
    ...(added === 0
      ? []
      : [`at least ${legs(added)} of the exported range ${added === 1 ? 'is' : 'are'} not in the file`]),
    ...(!answer.outside ? [] : [`the period now has ${legs(answer.outside)} outside the exported range`]),
  ];
  if (changes.length === 0) return undefined;
  return unverifiedError(
    `The books have changed since the export: ${changes.join('; ')}`,
    'To list the changed legs, use --deep. For current data, export to another file.',
    'LEDGERS_CHANGED',
  );
}

function wasAndIs(total: number, today: number | undefined): string {
  if (today === undefined) return 'the service no longer returns a total for the exported range';
  return `the exported range had ${legs(total)}, and has ${count(today)} today`;
}

function renamedNote(path: string, { file }: Manifest): Note[] {
  if (file === undefined || file.name === basename(path)) return [];
  return [
    {
      text: `${manifestOf(basename(path))} describes a file with another name: ${showText(file.name)}.`,
    },
  ];
}

function steadyNote(manifest: Manifest, { total }: TotalToday): Note {
  const { from, to } = Object(manifest['frozenRange']);
  const span = typeof from === 'number' ? { from, to } : { to };
  const range = to === undefined ? '' : `, ${spanText(span, viewOfExport(manifest).timeZone)}`;
  const beside = manifest.neighbours ?? 0;
  return { text: Claim.verified({ by: 'number', legs: (total ?? 0) - beside, beside, range }).text() };
}

function uncheckedFilters({ filtersNotChecked: names }: Manifest): Note[] {
  return uncheckedNote(Array.isArray(names) ? names.filter((name) => typeof name === 'string') : []);
}

function unasked({ what, mirror }: Manifest, offline: boolean): string {
  if (offline) return 'The service was not contacted (--offline).';
  if (mirror !== undefined) {
    return 'The total was not compared: the legs are from a mirror, and a mirror records no total for a period. To compare the legs, use --deep.';
  }
  return what === 'ledgers'
    ? 'The total was not compared: the service returned no total during the export.'
    : `The total was not compared: exports of ${showText(what)} have no fixed time range.`;
}

/**
 * Returns the first of these times that the manifest contains: the check against the service (`t1`), the read of the mirror,
 * the export.
 */
function timeOf(manifest: Manifest): unknown {
  const times = [Object(manifest['t1']).at, Object(manifest['mirror']).readAt, manifest['exportedAt']];
  return times.find((time) => typeof time === 'string') ?? null;
}

function legs(number: number): string {
  return plural(number, 'leg', 'legs');
}
