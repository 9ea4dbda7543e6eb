import { access, realpath } from 'node:fs/promises';
import { basename } from 'node:path';
import { CryptodataError, usageError } from '../../base/errors.ts';
import type { JsonRecord } from '../../base/json.ts';
import { showText } from '../../base/text.ts';
import type { Context } from '../../context.ts';
import { SERVICE_EXITS } from '../../exits.ts';
import { type Manifest, manifestOf, readManifest } from '../../export/manifest.ts';
import {
  checkFile,
  formatOfManifest,
  heldAgainst,
  rowsInFile,
  type TotalToday,
  totalToday,
} from '../../export/verify.ts';
import { isoText } from '../../output/moments.ts';
import { openColumns } from '../../output/open.ts';
import type { Note } from '../../output/outcome.ts';
import { verb } from '../define.ts';
import { booksOf, fileFor } from '../exports.ts';
import { toggle } from '../flags.ts';
import { columnsFlag } from '../shared.ts';

export const verify = verb({
  name: 'verify',
  summary: 'Check an export: the file against its manifest, and the books against both, as they are today',
  about: `Reads FILE.manifest.json beside the file and checks that the file has the same bytes (SHA-256) and as many rows as were exported, that the export was verified then, and that the service gives the same total for the frozen range today. Where a period was exported, it also asks whether that has ledgers before the first or after the last of the file; without one, what came later is no part of the export.

Rows of CSV, JSON and JSONL are counted; of XLSX, Parquet and data sets the hash alone says that they are the same. The manifest is no signature: who can change the file can change the manifest too.

A total that is the same does not show that no ledger was changed in place; cryptodata ledgers export again, and compare.`,
  operands: [{ written: '<file>', describe: 'the exported file, or the folder of a data set' }],
  flags: {
    offline: toggle('--offline', 'check the file alone, and ask the service nothing'),
    columns: columnsFlag,
  },
  examples: [
    {
      says: 'Is it what was exported, and do the books still say so?',
      line: 'cryptodata ledgers verify ledgers-2025.csv',
    },
    { says: 'On a machine without the login', line: 'cryptodata ledgers verify ledgers-2025.csv --offline' },
    {
      says: 'In a script',
      line: 'cryptodata ledgers verify ledgers-2025.csv --json | jq -e ".total == .totalToday"',
    },
  ],
  prints: `A record { file, format, hash (same or changed), bytes, rows, rowsExported, verified, exportedAt, total, totalToday, outside }: rows is null where they were not counted, totalToday where the service was not asked; outside counts ledgers of the period before and after the exported ones, and is null where no period was asked for.
On stderr: what each check found.`,
  exits: [...SERVICE_EXITS, 12].sort((a, b) => a - b),
  reads: true,
  async run(context, { offline, columns }, [given = '']) {
    const { profile } = await context.settings();
    const path = await behindLink(
      fileFor(given.replace(/(.)(\.manifest\.json|\/+)$/, '$1'), profile, context.several),
    );
    const manifest = await readManifest(path);
    const held = offline ? undefined : heldAgainst(manifest);
    const askable = held?.total !== undefined;
    if (askable) await samePlace(context, manifest);

    context.progress().update(`Reading ${basename(path)}`);
    const file = await checkFile(path, manifest, context.signal);
    const today = askable ? await ask(context, manifest) : undefined;
    const answer = today && 'total' in today ? today : undefined;

    const problems = [
      ...fileProblem(path, file.differences),
      ...contradictionProblem(heldAgainst(manifest)?.contradiction),
      ...notVerifiedProblem(manifest),
      ...(today instanceof CryptodataError ? [today] : []),
      ...changedProblem(held?.total, answer),
    ];
    const [first, ...others] = problems;
    const notes: Note[] = [
      ...renamedNote(path, manifest),
      ...(file.differences.length === 0 ? [sameNote(path, file)] : []),
      ...(manifest.verified ? [{ text: `The manifest says: ${showText(manifest.statement)}.` }] : []),
      ...(answer && changedProblem(held?.total, answer).length === 0 ? [steadyNote(manifest, answer)] : []),
      ...(today === undefined ? [{ text: unasked(manifest, offline === true) }] : []),
      ...others.map(({ message }) => ({ text: `Also: ${message}`, warning: true })),
    ];
    const record: JsonRecord = {
      ...{ file: path, format: formatOfManifest(manifest) ?? null },
      ...{ hash: file.differences.length === 0 ? 'same' : 'changed', bytes: file.bytes },
      ...{ rows: file.rows ?? null, rowsExported: rowsInFile(manifest), verified: manifest.verified },
      exportedAt: timeOf(manifest),
      ...{ total: heldAgainst(manifest)?.total ?? null, totalToday: answer?.total ?? null },
      outside: answer?.outside ?? null,
    };
    return {
      kind: 'record',
      record,
      columns: openColumns,
      chosen: columns,
      notes: () => notes,
      failed: () => first,
    };
  },
});

/** An export through a link leaves its manifest beside the file that the link leads to. */
async function behindLink(path: string): Promise<string> {
  const beside = await access(manifestOf(path)).then(
    () => true,
    () => false,
  );
  return beside ? path : realpath(path).catch(() => path);
}

/**
 * Another address or workspace has other books: their total says nothing about this file. A profile that was named on
 * purpose may be the same books under another name, as on the machine of a colleague.
 */
async function samePlace(context: Context, { request }: Manifest): Promise<void> {
  const settings = await context.settings();
  const offline = 'Or check the file alone: --offline.';
  const address = settings.require('base_url');
  const told = (value: unknown) => showText(String(value));
  if (request['address'] !== address) {
    throw usageError(
      `The export is of ${told(request['address'])}, and the address in use is ${told(address)}`,
      `Use the profile that it was exported with: -p ${told(request['profile'])}. ${offline}`,
      'ANOTHER_ADDRESS',
    );
  }
  const { workspace } = await booksOf(context);
  const exported = request['workspace'] ?? null;
  if (workspace !== null && exported !== null) {
    if (workspace === exported) return;
    throw usageError(
      `The export is of workspace ${told(exported)}, and the one in use is ${told(workspace)}`,
      `Name the one of the export: --workspace ${told(exported)}. ${offline}`,
      'ANOTHER_WORKSPACE',
    );
  }
  if (request['profile'] === settings.profile) return;
  const text = `The export was made with profile ${told(request['profile'])}, and the one in use is ${told(settings.profile)}`;
  if (settings.profileNamed) {
    context.say(`${text}: a total means something only where both are of one workspace.`);
    return;
  }
  throw usageError(
    text,
    `Name the one to ask with: -p ${told(request['profile'])}, or -p ${told(settings.profile)} where both are of one workspace. ${offline}`,
    'ANOTHER_PROFILE',
  );
}

/** What the file is stands, whether or not the service can be asked. */
async function ask(context: Context, manifest: Manifest): Promise<TotalToday | CryptodataError> {
  context.progress().update('Asking for the total of today');
  try {
    return await totalToday(await context.client(), manifest, context.signal);
  } catch (error) {
    if (!(error instanceof CryptodataError) || context.signal.aborted) throw error;
    return error;
  }
}

function problem(code: string, message: string, hint: string): CryptodataError[] {
  return [new CryptodataError('unverified', code, message, { hint })];
}

function fileProblem(path: string, differences: readonly string[]): CryptodataError[] {
  if (differences.length === 0) return [];
  const shown = differences.slice(0, 5).map((text) => showText(text));
  if (differences.length > 5) shown.push(`and ${count(differences.length - 5)} more`);
  return problem(
    'FILE_CHANGED',
    `${path} is not what was exported: ${shown.join('; ')}`,
    'It, or its manifest, was changed after the export: a spreadsheet that saved it is enough. Take the untouched copy, or export again.',
  );
}

function contradictionProblem(contradiction: string | undefined): CryptodataError[] {
  if (contradiction === undefined) return [];
  return problem(
    'MANIFEST_CONTRADICTS',
    `The manifest contradicts itself: ${contradiction}`,
    'It was changed after the export. Export again: cryptodata ledgers export.',
  );
}

function notVerifiedProblem({ verified, statement, what }: Manifest): CryptodataError[] {
  if (verified) return [];
  return problem(
    'NOT_VERIFIED',
    `The export itself was not verified. Its manifest says: ${showText(statement)}`,
    what === 'ledgers'
      ? 'Export again when no sync is running.'
      : 'The manifest says under "checks" what could be checked.',
  );
}

function changedProblem(total: number | undefined, answer: TotalToday | undefined): CryptodataError[] {
  if (answer === undefined || total === undefined) return [];
  const changes = [
    ...(answer.total === total ? [] : [`of the exported range ${wasAndIs(total, answer.total)}`]),
    ...(!answer.outside
      ? []
      : [`${ledgers(answer.outside)} of the period came before or after the exported ones`]),
  ];
  if (changes.length === 0) return [];
  return problem(
    'LEDGERS_CHANGED',
    `The books have changed since the export: ${changes.join('; ')}`,
    'The file is what was exported then. For the books of today: cryptodata ledgers export, to another file, and compare the two.',
  );
}

function wasAndIs(total: number, today: number | undefined): string {
  if (today === undefined) return 'the service gives no total any more';
  return `the service had ${ledgers(total)}, and has ${count(today)} today`;
}

function sameNote(path: string, { rows, uncounted }: { rows: number | undefined; uncounted?: string }): Note {
  const rest =
    rows === undefined
      ? uncounted
      : `and ${rows === 1 ? '1 row' : `${count(rows)} rows`}, as the manifest says`;
  return { text: `${path} is what was exported: the same bytes (SHA-256), ${rest}.` };
}

function renamedNote(path: string, { file }: Manifest): Note[] {
  if (file === undefined || file.name === basename(path)) return [];
  return [
    {
      text: `It was exported under the name ${showText(file.name)}: ${manifestOf(basename(path))} is of that file.`,
    },
  ];
}

function steadyNote(manifest: Manifest, { total }: TotalToday): Note {
  const { from, to } = Object(manifest['frozenRange']);
  const span = from === undefined ? '' : `, from ${isoText(from, 'UTC')} to ${isoText(to, 'UTC')}`;
  const beside = Number(manifest['neighbours'] ?? 0);
  const told = ledgers((total ?? 0) - beside);
  const more = beside === 0 ? '' : `, and ${count(beside)} within a millisecond of them`;
  return { text: `The service gives the same total today: ${told}${span}${more}.` };
}

function unasked({ what }: Manifest, offline: boolean): string {
  if (offline) return 'The service was not asked (--offline).';
  return what === 'ledgers'
    ? 'The service was not asked: it gave no total at the export.'
    : `The service was not asked: ${showText(what)} have no frozen range that could be asked for again.`;
}

/** When the rows were held against the service, or read. */
function timeOf(manifest: Manifest): unknown {
  return Object(manifest['t1']).at ?? manifest['exportedAt'] ?? null;
}

function ledgers(number: number): string {
  return number === 1 ? '1 ledger' : `${count(number)} ledgers`;
}

function count(number: number): string {
  return number.toLocaleString('en');
}
