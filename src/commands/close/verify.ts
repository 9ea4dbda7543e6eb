import { join } from 'node:path';
import { anything, arrayOf, bool, int, nullable, text, word } from '../../api/records.ts';
import { changeColumns } from '../../app/leg-changes.ts';
import { SPAN } from '../../app/period.ts';
import { REMOVED_PRINT } from '../../app/removed-legs.ts';
import { columnsFlagOf } from '../../cli/common-flags.ts';
import { verb } from '../../cli/define.ts';
import { SERVICE_EXITS } from '../../cli/exits.ts';
import { textFlag, toggle } from '../../cli/flags.ts';
import { alsoNotes, type Note, type Outcome, type Rows, warning } from '../../cli/outcome.ts';
import { made, ofSchema, oneOf } from '../../cli/output.ts';
import { Claim } from '../../core/claim.ts';
import { type CryptodataError, unverifiedError, usageError } from '../../core/errors.ts';
import { type JsonRecord, stringifyJson } from '../../core/json.ts';
import { plural, showText } from '../../core/text.ts';
import { DamagedFileError } from '../../export/compared-file.ts';
import { exists, manifestOf } from '../../export/manifest.ts';
import { type Column, type Columns, viewOf } from '../../formats/columns.ts';
import { spanText } from '../../formats/moments.ts';
import { openColumns } from '../../formats/open.ts';
import type { OutputFormat } from '../../formats/registry.ts';
import { type Changes, changesOf, compareWithPack } from './changes.ts';
import { checkSums, type Description, LEGS_FILE, readDescription } from './pack.ts';

const CHANGE = made({
  what: word('leg', 'total', 'balance'),
  change: text,
  id: text,
  ...{ wallet: nullable(text), symbol: nullable(text) },
  timestamp: nullable(anything),
  field: nullable(text),
  from: anything,
  to: anything,
});
const CHECKED = made({
  folder: text,
  period: SPAN,
  timeZone: text,
  files: word('same', 'changed'),
  books: nullable(word('same', 'changed')),
  verified: nullable(bool),
  compared: word('files', 'service', 'mirror'),
  changedFiles: arrayOf(text),
  legsChanged: nullable(int),
  totalsChanged: nullable(int),
  balancesChanged: nullable(int),
  changes: arrayOf(ofSchema(CHANGE)),
});

export const verifyPack = verb({
  name: 'verify',
  summary: 'Check a filing pack, and list later changes to legs and balances',
  about:
    'Checks the hash of each file against SHA256SUMS and close.json. Then the command reads the legs from the service again, and compares the legs with the pack. It lists all added, removed and changed legs, and all changed lines of the roll-forward and of the balances. The pack contains no legs before the period. A change of such a leg is found only if it changes a line of the roll-forward or of the balances. If the files or the legs have changed, the command exits with 12.\n\nWith --mirror, the command compares the pack with a mirror instead of the service. The result then shows the state at the last update of the mirror.',
  operands: [
    {
      written: '<folder>',
      describe: 'folder that "cryptodata close" has written',
      oneProfile: 'A filing pack belongs to one profile. Choose one profile: -p NAME.',
    },
  ],
  flags: {
    offline: toggle('--offline', 'check only the files, and send no request'),
    mirror: textFlag('--mirror <folder>', 'compare with this mirror instead of the service'),
    columns: columnsFlagOf(() => CHANGE_COLUMNS),
  },
  examples: {
    'Check a filed quarter': 'cryptodata close verify 2025-Q3',
    'Check the files without a login': 'cryptodata close verify 2025-Q3 --offline',
    'Save the changes for a spreadsheet': 'cryptodata close verify 2025-Q3 -o csv > changes.csv',
  },
  prints: `A record { folder, period, timeZone, files, books, verified, compared, changedFiles, legsChanged, totalsChanged, balancesChanged, changes } (json). "files" is "same" or "changed". "books" is "same" or "changed" since the pack was written, and null if this is unknown. "verified" is false if a check failed, and null if only the files were checked. "compared" is "files", "service" or "mirror". "legsChanged", "totalsChanged" (lines of the roll-forward) and "balancesChanged" are null if nothing was compared. The last two omit lines of which only the symbol changed.
changes: { what: leg|total|balance, change: added|removed|changed, id, wallet (name), symbol, timestamp (ms), field, from, to }. csv and jsonl contain only the changes. For a total or a balance, "id" is walletId / assetId / symbol. If only one side has a line, "field" is its closing or its balance.
${REMOVED_PRINT}`,
  output: [oneOf(CHECKED, { line: CHANGE })],
  exits: [...SERVICE_EXITS, 12],
  async run(context, { offline, mirror }, [folder = '']) {
    if (offline && mirror !== undefined) {
      throw usageError('--offline and --mirror cannot be used together', 'Omit one of them.');
    }
    const description = await readDescription(folder);
    const { period, timeZone } = description;
    context.progress().update('Checking the files');
    const changedFiles = await checkSums(folder, description);
    const isWhole = (await Promise.all(COMPARED.map((name) => exists(join(folder, name))))).every(Boolean);
    let today: Changes | undefined;
    try {
      if (!offline && isWhole) today = await compareWithPack(context, folder, { description, mirror });
    } catch (error) {
      if (!(error instanceof DamagedFileError)) throw error;
      // The hashes of the pack may have been changed together with the file.
      if (changedFiles.length === 0) changedFiles.push(error.message);
    }
    const problems = problemsOf(folder, description, changedFiles, today);
    const [first, ...others] = problems;
    const other = mirror === undefined ? 'service' : 'mirror';
    const record = {
      ...{ folder, period, timeZone },
      files: changedFiles.length === 0 ? 'same' : 'changed',
      books: booksOf(today, changedFiles),
      verified: first ? false : today ? true : null,
      ...{ compared: today ? other : 'files', changedFiles },
      legsChanged: today ? idsOf(today.legs) : null,
      totalsChanged: today ? idsOf(today.totals.filter(isFigure)) : null,
      balancesChanged: today ? idsOf(today.balances.filter(isFigure)) : null,
    };
    const facts = { isOffline: offline === true, isSame: changedFiles.length === 0, other } as const;
    const notes = [...notesOf(description, today, facts), ...alsoNotes(others)];
    const ending = { notes: () => notes, failed: () => first };
    return outcomeOf(await context.format(), record, today, ending);
  },
});

/** Returns rows with the changes (csv, jsonl), one record (json), or a record and tables of the changes. */
function outcomeOf(
  format: OutputFormat,
  record: JsonRecord,
  today: Changes | undefined,
  ending: Pick<Rows, 'notes' | 'failed'>,
): Outcome {
  const changes = today ? changesOf(today) : [];
  if (format === 'csv' || format === 'jsonl') {
    return { kind: 'rows', rows: changes, columns: CHANGE_COLUMNS, none: '', ...ending };
  }
  if (format === 'json') {
    return { kind: 'record', record: { ...record, changes }, columns: openColumns, ...ending };
  }
  const { period: _, changedFiles: __, ...shown } = record;
  const view = viewOf(String(record['timeZone']));
  const parts = [
    { title: 'Legs that changed', rows: today?.legs ?? [], columns: LEGS, view },
    {
      title: 'Totals and balances that changed',
      rows: [...(today?.totals ?? []), ...(today?.balances ?? [])],
      columns: TOTALS,
      view,
    },
  ].filter(({ rows }) => rows.length > 0);
  return { kind: 'record', record: shown, columns: openColumns, parts, ...ending };
}

function notesOf(
  { period, timeZone, mirror, statement }: Description,
  today: Changes | undefined,
  { isOffline, isSame, other }: { isOffline: boolean; isSame: boolean; other: 'service' | 'mirror' },
): Note[] {
  const notes: Note[] = [{ text: `Period: ${spanText(period, timeZone)}` }];
  if (mirror !== undefined)
    notes.push({ text: `The pack was written from a mirror. ${showText(String(statement))}.` });
  if (isSame) notes.push({ text: Claim.verified({ by: 'files' }).text() });
  if (isOffline) return [...notes, { text: 'The service was not contacted (--offline).' }];
  if (!today) {
    const text = `The pack was not compared with the ${other}, because a file of the pack is missing or was changed.`;
    return [...notes, warning(text)];
  }
  const { unverified, removed, compared: legs } = today;
  if (changesOf(today).length > 0 || unverified !== undefined) return [...notes, ...removed.notes()];
  return [...notes, { text: Claim.verified({ by: 'pack', legs, other, unverified }).text() }];
}

/** The files of a pack that are compared with the books. */
const COMPARED = [LEGS_FILE, manifestOf(LEGS_FILE), 'rollforward.csv', 'balances.csv'];

/** Whether a change of a line is more than another symbol of the same asset. */
function isFigure({ field }: JsonRecord): boolean {
  return field !== 'symbol';
}

/** The number of changed legs or lines. Lines with the same text as id may have different wallets or symbols. */
function idsOf(changes: readonly JsonRecord[]): number {
  return new Set(changes.map(({ id, wallet, symbol }) => stringifyJson([id, wallet, symbol]))).size;
}

/** Whether the files that are compared with the books are unchanged. A changed file shows nothing about the books. */
function isAsFiled(changedFiles: readonly string[]): boolean {
  return !changedFiles.some((text) => COMPARED.some((file) => text.startsWith(`${file} `)));
}

/** Whether the books have changed since the pack was written; null if this is unknown. */
function booksOf(today: Changes | undefined, changedFiles: readonly string[]): 'same' | 'changed' | null {
  if (!today || today.isInDoubt || !isAsFiled(changedFiles)) return null;
  if (changesOf(today).length > 0) return 'changed';
  return today.unverified === undefined ? 'same' : null;
}

function problemsOf(
  folder: string,
  { verified, why }: Description,
  changedFiles: readonly string[],
  today: Changes | undefined,
): CryptodataError[] {
  const name = showText(folder);
  const problems: CryptodataError[] = [];
  if (changedFiles.length > 0) {
    problems.push(
      unverifiedError(
        `The files of ${name} have changed since the pack was written: ${changedFiles.join('; ')}`,
        'Use the original copy of the folder.',
        'FILES_CHANGED',
      ),
    );
  }
  if (!verified) {
    problems.push(
      unverifiedError(
        `The filing pack was not verified when it was written: ${why}`,
        'Write the pack again.',
      ),
    );
  }
  if (today && !today.isInDoubt && changesOf(today).length > 0) {
    const legs = plural(idsOf(today.legs), 'leg', 'legs');
    const totals = plural(
      idsOf(today.totals.filter(isFigure)),
      'line of the roll-forward',
      'lines of the roll-forward',
    );
    const balances = plural(idsOf(today.balances.filter(isFigure)), 'balance', 'balances');
    const renamed = new Set(
      [...today.totals, ...today.balances].flatMap((change) => (isFigure(change) ? [] : change['id'])),
    );
    const names =
      renamed.size === 0
        ? ''
        : `. In ${plural(renamed.size, 'wallet and asset', 'wallets and assets')}, the symbol changed`;
    const isFiled = isAsFiled(changedFiles);
    const what = isFiled
      ? 'The books have changed since the pack was written'
      : 'The changed files differ from the books';
    problems.push(
      unverifiedError(
        `${what}: ${legs}, ${totals} and ${balances}${names}`,
        isFiled
          ? 'The output lists the changes. A change of a leg before the period is found only if it changes a line of the balances or of the roll-forward.'
          : 'The output lists each difference.',
        'LEDGERS_CHANGED',
      ),
    );
  }
  if (today?.unverified !== undefined) {
    problems.push(
      unverifiedError(
        `The comparison is not verified: ${today.unverified}`,
        'Run the command again when no sync is running. With --mirror, update the mirror first.',
      ),
    );
  }
  return problems;
}

const NAMES: readonly Column[] = [{ key: 'wallet' }, { key: 'symbol', header: 'asset' }];
const FIELDS = changeColumns('filed', 'now');
const LEGS: Columns = { table: [...NAMES, ...FIELDS.table], csv: [] };
/** A total has no time. If the table is too wide, omit the id before the names of the wallet and the asset. */
const TOTALS: Columns = {
  table: [
    { key: 'what' },
    ...NAMES,
    ...FIELDS.table.filter(({ key, moment }) => key !== 'id' && !moment),
    { key: 'id', drop: 1 },
  ],
  csv: [],
};
const CHANGE_COLUMNS: Columns = {
  table: [{ key: 'what' }, ...LEGS.table],
  csv: [{ key: 'what' }, ...FIELDS.csv, { key: 'wallet' }, { key: 'symbol' }],
};
