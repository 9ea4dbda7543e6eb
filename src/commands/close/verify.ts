import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { anything, arrayOf, bool, int, nullable, text, word } from '../../api/records.ts';
import { Accounts } from '../../app/accounts.ts';
import { BALANCE_COLUMNS, balanceRecord } from '../../app/balance-lines.ts';
import { withBookLegs } from '../../app/book-legs.ts';
import { changeColumns } from '../../app/leg-changes.ts';
import { openBooks } from '../../app/mirror-choice.ts';
import { SPAN } from '../../app/period.ts';
import { REMOVED_PRINT, RemovedLegs } from '../../app/removed-legs.ts';
import { lineRecord, ROLLFORWARD_COLUMNS } from '../../app/rollforward-lines.ts';
import { commonGround, exportLive, openFile, openMirrorSide } from '../../app/sides.ts';
import { balancesAfter } from '../../books/balances.ts';
import { rollForward } from '../../books/rollforward.ts';
import { columnsFlagOf } from '../../cli/common-flags.ts';
import { verb } from '../../cli/define.ts';
import { SERVICE_EXITS } from '../../cli/exits.ts';
import { textFlag, toggle } from '../../cli/flags.ts';
import { alsoNotes, type Note, type Outcome, type Rows, warning } from '../../cli/outcome.ts';
import { made, ofSchema, oneOf } from '../../cli/output.ts';
import type { Context } from '../../context.ts';
import { Claim } from '../../core/claim.ts';
import { type CryptodataError, unverifiedError, usageError } from '../../core/errors.ts';
import { makeTemporaryDirectory } from '../../core/file.ts';
import type { JsonRecord } from '../../core/json.ts';
import { plural, showText } from '../../core/text.ts';
import { type ComparedRow, compareRows, fieldValue, startComparison } from '../../export/compare.ts';
import { comparedRows, DamagedFileError, namedBy, readableFile } from '../../export/compared-file.ts';
import { exists, manifestOf } from '../../export/manifest.ts';
import { type Column, type Columns, columnValue, type View, viewOf } from '../../formats/columns.ts';
import { spanText } from '../../formats/moments.ts';
import { openColumns } from '../../formats/open.ts';
import type { OutputFormat } from '../../formats/registry.ts';
import { cellText, unguardCell } from '../../formats/text.ts';
import type { Mirror } from '../../mirror/open.ts';
import { checkSums, type Description, readDescription } from './pack.ts';

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
  prints: `A record { folder, period, timeZone, files, books, verified, compared, changedFiles, legsChanged, totalsChanged, balancesChanged, changes } (json). "files" is "same" or "changed". "books" is "same" or "changed" since the pack was written, and null if this is unknown. "verified" is false if a check failed, and null if only the files were checked. "compared" is "files", "service" or "mirror". "legsChanged", "totalsChanged" (lines of the roll-forward) and "balancesChanged" are null if nothing was compared. Both omit lines of which only the symbol changed.
changes: { what: leg|total|balance, change: added|removed|changed, id, wallet (name), symbol, timestamp (ms), field, from, to }; csv and jsonl contain only the changes. For a total or a balance, "id" is walletId / assetId / symbol. If only one side has a line, "field" is its closing or its balance.
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
    const today =
      offline || !isWhole
        ? undefined
        : await compareToday(context, folder, { description, mirror }).catch(noneIfDamaged);
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

/** Shows the changes as rows, everything as one record, or the record with tables of the changes. */
function outcomeOf(
  format: OutputFormat,
  record: JsonRecord,
  today: Today | undefined,
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
  today: Today | undefined,
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

type Today = Awaited<ReturnType<typeof compareToday>>;

/** Ignores the error of a damaged pack file, because changed files are reported elsewhere. */
function noneIfDamaged(error: unknown): undefined {
  if (!(error instanceof DamagedFileError)) throw error;
}

/** Compares the pack with the service, or with a single snapshot of a mirror. */
async function compareToday(
  context: Context,
  folder: string,
  { description, mirror: given }: { readonly description: Description; readonly mirror: string | undefined },
) {
  const directory = await makeTemporaryDirectory('cryptodata-close-');
  // Use the time zone of the pack, not of this machine.
  const then: Context = { ...context, view: async () => viewOf(description.timeZone) };
  try {
    const old = await openFile(then, join(folder, 'ledgers.csv'));
    const mirror = given === undefined ? undefined : await openBooks(context, given);
    const now = mirror
      ? await openMirrorSide(then, old, mirror, { to: description.period.to })
      : await exportLive(then, old, directory, 'Or check only the files: --offline.');
    const { rowsOf } = commonGround(old, now);
    const comparison = startComparison();
    const legs: JsonRecord[] = [];
    const nameOf = await namesIn(folder);
    const named = new Map<string, JsonRecord>();
    const onDifference = (before?: ComparedRow, after?: ComparedRow) => {
      const row = after ?? before;
      const [walletId, symbol] = ['walletId', 'asset.symbol'].map((name) => row && fieldValue(row, name));
      const raw = row && fieldValue(row, 'assetRaw.symbol');
      if (row) named.set(row.key, { wallet: nameOf(walletId), symbol: symbol || raw || null });
    };
    const removed = new RemovedLegs(mirror ? undefined : then);
    const changes = compareRows(rowsOf(old), rowsOf(now), comparison, { onDifference });
    for await (const change of removed.over(changes))
      legs.push({ what: 'leg', ...NAMELESS, ...named.get(change.id), ...change });
    context.progress().update('Comparing the totals');
    // The comparison of the legs has already printed the notes on the period and the mirror.
    const silent: Context = { ...then, note: () => {}, noteLater: () => {} };
    const { totals, balances, unverified } = await compareTotals(silent, folder, nameOf, {
      description,
      mirror,
    });
    const doubt = legs.length + totals.length + balances.length > 0 ? now.doubt : undefined;
    return {
      ...{ legs, totals, balances, compared: comparison.before, isInDoubt: doubt !== undefined, removed },
      unverified: now.unverified ?? unverified ?? doubt,
    };
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

/** The files of a pack that are compared with the books. */
const COMPARED = ['ledgers.csv', manifestOf('ledgers.csv'), 'rollforward.csv', 'balances.csv'];

const NAMELESS = { wallet: null, symbol: null };

/** Maps a wallet id to the wallet's name in the pack. If the pack contains no name, returns the id. */
type NameOf = (walletId: unknown) => string | null;

async function namesIn(folder: string): Promise<NameOf> {
  const names = new Map<string, string>();
  for await (const { fields } of comparedRows(
    readableFile(join(folder, 'rollforward.csv'), 'csv'),
    TOTAL_KEYS,
  )) {
    const name = fields.get('wallet');
    if (typeof name === 'string' && name !== '')
      names.set(cellText(fields.get('walletId')), unguardCell(name));
  }
  return (walletId) => names.get(cellText(walletId)) ?? (cellText(walletId) || null);
}

const TOTAL_KEYS = ['walletId', 'assetId', 'symbol'];
const BETWEEN_KEYS = ' / ';

/** Causes before consequences. */
function changesOf({ legs, totals, balances }: Today): readonly JsonRecord[] {
  return [...legs, ...totals, ...balances];
}

/** Compares the roll-forward and the balances of the pack with those of the books today. */
async function compareTotals(
  context: Context,
  folder: string,
  nameOf: NameOf,
  { description, mirror }: { readonly description: Description; readonly mirror: Mirror | undefined },
) {
  const { period, timeZone } = description;
  const accounts = Accounts.none;
  const time = { from: iso(period.from), to: iso(period.to), period: undefined };
  return withBookLegs(context, { ...time, mirror }, async (legs, about) => {
    /** @param amount the field to show of a line that only one side has */
    const changed = async (
      what: string,
      amount: string,
      name: string,
      { csv }: Columns,
      lines: readonly JsonRecord[],
    ) => {
      const filed = filedLines(comparedRows(readableFile(join(folder, name), 'csv'), TOTAL_KEYS));
      const found: JsonRecord[] = [];
      const named = (id: string) => {
        const [walletId = '', , ...symbol] = id.split(BETWEEN_KEYS);
        return { wallet: nameOf(walletId), symbol: symbol.join(BETWEEN_KEYS) || null };
      };
      const now = rowsOfLines(lines, csv, viewOf(timeZone));
      const amounts = new Map<string, unknown>();
      const onDifference = (before?: ComparedRow, after?: ComparedRow) => {
        const row = after ?? before;
        if (row) amounts.set(row.name ?? row.key, row.fields.get(amount));
      };
      for await (const change of compareRows(filed, now, startComparison(), { onDifference })) {
        const line = { what, ...named(change.id), ...change };
        const side = change.change === 'added' ? 'to' : 'from';
        found.push(change.field === null ? { ...line, field: amount, [side]: amounts.get(change.id) } : line);
      }
      return found;
    };
    const lines = (await rollForward(legs, period)).lines().map((line) => lineRecord(line, accounts));
    const totals = await changed('total', 'closing', 'rollforward.csv', ROLLFORWARD_COLUMNS, lines);
    const last = (await balancesAfter(legs)).map((balance) => balanceRecord(balance, accounts));
    const balances = await changed('balance', 'balance', 'balances.csv', BALANCE_COLUMNS, last);
    return { totals, balances, unverified: about.unverified() };
  });
}

const iso = (time: number) => new Date(time).toISOString();

async function* rowsOfLines(
  lines: readonly JsonRecord[],
  columns: readonly Column[],
  view: View,
): AsyncGenerator<ComparedRow> {
  for (const line of lines) {
    yield totalOf(
      columns.map((column) => [column.key, cellText(columnValue(line, column, view)) || null] as const),
    );
  }
}

async function* filedLines(rows: AsyncIterable<ComparedRow>): AsyncGenerator<ComparedRow> {
  for await (const { fields } of rows) {
    yield totalOf(
      [...fields].map(([name, cell]) => [name, typeof cell === 'string' ? unguardCell(cell) : cell] as const),
    );
  }
}

/** Omits the wallet name, so that a renamed wallet is not reported as a changed total. */
function totalOf(cells: readonly (readonly [string, unknown])[]): ComparedRow {
  const fields = new Map(cells.filter(([name]) => name !== 'wallet'));
  return { ...namedBy(TOTAL_KEYS, (name) => fields.get(name)), fields };
}

/** Whether a change of a line is more than another symbol of the same asset. */
function isFigure({ field }: JsonRecord): boolean {
  return field !== 'symbol';
}

function idsOf(changes: readonly JsonRecord[]): number {
  return new Set(changes.map(({ id }) => id)).size;
}

/** Whether the files that are compared with the books are unchanged. A changed file shows nothing about the books. */
function isAsFiled(changedFiles: readonly string[]): boolean {
  return !changedFiles.some((text) => COMPARED.some((file) => text.startsWith(`${file} `)));
}

/** Whether the books have changed since the pack was written; null if this is unknown. */
function booksOf(today: Today | undefined, changedFiles: readonly string[]): 'same' | 'changed' | null {
  if (!today || today.isInDoubt || !isAsFiled(changedFiles)) return null;
  if (changesOf(today).length > 0) return 'changed';
  return today.unverified === undefined ? 'same' : null;
}

function problemsOf(
  folder: string,
  { verified, why }: Description,
  changedFiles: readonly string[],
  today: Today | undefined,
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
