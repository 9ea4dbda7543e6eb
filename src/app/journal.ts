import { timeOf } from '../api/ledgers.ts';
import { MARGIN } from '../books/audit/margin.ts';
import type { JournalOptions } from '../books/journal/journal.ts';
import { ROLL_UPS, type RollUpBy } from '../books/journal/roll-up.ts';
import { choiceFlag, flagName, textFlag, toggle } from '../cli/flags.ts';
import { readInputFile, whyUnreadable } from '../cli/input-file.ts';
import { type Note, warning } from '../cli/outcome.ts';
import type { Context } from '../context.ts';
import { unverifiedError, usageError } from '../core/errors.ts';
import { isRecord, type JsonRecord } from '../core/json.ts';
import { isWithin, type OpenSpan } from '../core/span.ts';
import { plural, showText } from '../core/text.ts';
import type { JournalOf } from '../formats/format.ts';
import { isoText } from '../formats/moments.ts';
import { EXPORT_FORMATS, type ExportFormat, exportedFormat } from '../formats/registry.ts';
import type { LedgerSelection } from '../read/ledger-source.ts';
import { Accounts } from './accounts.ts';
import { journalFacts, journalNotes } from './journal-notes.ts';

export const journalFlags = {
  accounts: textFlag('--accounts <file>', 'file with account names for journals (see docs/journals.md)'),
  rollUp: choiceFlag(
    '--roll-up <period>',
    'write one journal entry per day or month, with the sums by account',
    ROLL_UPS,
  ),
  opening: toggle(
    '--opening',
    'start the journal with the quantities at the start of the period (hledger, ledger, beancount)',
  ),
};

export const JOURNAL_FORMATS = EXPORT_FORMATS.filter((name) => exportedFormat(name).file.journal);

export const JOURNALS_HELP = `These formats are double-entry journals: ${JOURNAL_FORMATS.join(', ')}. Quantities and values are posted separately, and every digit is kept. If the service assigns an account code to a leg, the journal uses this code. Other accounts have default names, or the names in --accounts FILE. Legs with the same transaction id are one transaction, with one entry for each day. Transfers between own wallets go through a transfer account. Legs that cannot be posted completely go to a suspense account, and the reasons are printed. With --opening, the command also reads all earlier legs. The first entry then posts the opening balances, so that the balances in the journal equal the balances in the books. Closing balances differ where the books do not add up; these differences are listed. Unknown opening balances are listed, and are not treated as 0.
The formats xero, quickbooks and sage write a folder of CSV files. Amounts are rounded to the minor unit of the currency, and the differences are posted to a rounding account. suspense.csv lists the incomplete legs. For xero and sage, --accounts must set a code for each account.
xero: Xero manual journals (Narration, Date, Description, AccountCode, TaxRate, Amount), at most 300 lines per file.
quickbooks: QuickBooks Online journal entries (JournalNo, JournalDate, AccountName, Debits, Credits, Description).
sage: Sage 50 UK audit trail (Type JD or JC, Nominal A/C Ref, Date, Reference, Details, Net Amount, Tax Code, Tax Amount).
These layouts follow public documentation and have not been tested with the real importers. See docs/journals.md for details.`;

export interface ChosenJournal extends JournalOf {
  /** The settings that the manifest records, so that the same journal can be written again. */
  readonly form: JournalForm;
  /** The wallets of the legs in the journal. */
  readonly walletIds: ReadonlySet<string>;
  /**
   * Number of legs in the journal that refer to a wallet other than their own, without evidence that the user owns this wallet.
   */
  toOthers(): number;
  /** Notes to print after the journal is written. */
  notes(): Note[];
}

/** Where the legs, the accounts and the opening balances of a journal come from. */
interface JournalSource {
  /** The selection of an export from the service. */
  readonly selection?: LedgerSelection;
  readonly readAccounts?: () => Promise<Accounts>;
  /** Reads the balances at the start of the period. */
  readonly readOpening?: (() => Promise<Opening>) | undefined;
}

type Opening = NonNullable<JournalOptions['opening']>;

interface JournalForm {
  /** Text of the `--accounts` file; null without `--accounts`. */
  readonly accounts: string | null;
  readonly rollUp: RollUpBy | null;
  /** Wallet names by id. */
  readonly wallets: Readonly<Record<string, string>>;
  /** Undefined without `--opening`. */
  readonly opening?: Opening | undefined;
}

/** Flags of an export, including flags that cannot be used with a journal. */
interface JournalValues {
  readonly accounts: string | undefined;
  readonly rollUp: RollUpBy | undefined;
  readonly opening: true | undefined;
  readonly [flag: string]: unknown;
}

const CONTRADICTING = [
  'columns',
  'sumBy',
  'partitionBy',
  'csvDialect',
  'separator',
  'decimalComma',
  'parquetDecimals',
  'parquetNumbers',
];

/**
 * Checks the flags of a journal before the first request.
 *
 * @throws usage error `NOT_FOR_JOURNALS` or `NOT_A_JOURNAL` if a flag cannot be used with the format
 */
export function checkJournalFlags(format: ExportFormat, flags: JournalValues): void {
  const { journal } = exportedFormat(format).file;
  if (journal === undefined) {
    const given = (['accounts', 'rollUp', 'opening'] as const)
      .filter((name) => flags[name] !== undefined)
      .map(flagName);
    if (given.length === 0) return;
    throw usageError(
      `${given.join(' and ')} can only be used with a journal, but the format is ${format}`,
      `Use --format ${JOURNAL_FORMATS.join('|')}.`,
      'NOT_A_JOURNAL',
    );
  }
  if (flags.opening && journal.imports !== undefined) {
    throw usageError(
      `--opening cannot be used with --format ${format}, because its files have values, but no quantities`,
      'The service provides no values for balances. Enter the opening values by hand, or use hledger, ledger or beancount.',
      'NOT_FOR_JOURNALS',
    );
  }
  const unfit = journal.imports === undefined ? [...CONTRADICTING, 'csvGuard'] : CONTRADICTING;
  const given = unfit.filter((name) => flags[name] !== undefined).map(flagName);
  if (given.length === 0) return;
  throw usageError(
    `${given.join(' and ')} cannot be used with --format ${format}`,
    'The layout of a journal is fixed. Remove the flag, or use another --format.',
    'NOT_FOR_JOURNALS',
  );
}

/**
 * Rejects filters that would omit legs of a transaction. If a leg were missing, a trade would look like income or an expense.
 *
 * @throws usage error `PARTIAL_JOURNAL`
 */
export function checkWholeTransactions({ filters, tool }: LedgerSelection): void {
  const { extra = {}, transactionIds: _, ...named } = filters;
  const given = [
    ...Object.entries(named).flatMap(([name, value]) => (value === undefined ? [] : flagName(name))),
    ...Object.keys(extra).map((name) => `-q ${name}`),
    ...(tool?.walletIds ? ['--wallet'] : []),
    ...(tool?.assets ? ['--asset'] : []),
  ];
  if (given.length === 0) return;
  throw usageError(
    `A journal needs all legs of a transaction, but ${given.join(', ')} would omit some legs`,
    'Select by period or --transaction-ids, and filter in the accounting program.',
    'PARTIAL_JOURNAL',
  );
}

/**
 * Prepares the journal of an export. Returns undefined if the format is not a journal.
 *
 * @throws usage error if the `--accounts` file is invalid or cannot be read
 */
export async function journalOf(
  context: Context,
  format: ExportFormat,
  {
    accounts: file,
    rollUp,
    selection,
    readAccounts = () => Accounts.read(context),
    readOpening,
  }: Pick<JournalValues, 'accounts' | 'rollUp'> & JournalSource,
): Promise<ChosenJournal | undefined> {
  if (exportedFormat(format).file.journal === undefined) return undefined;
  // Report an invalid template before the first request.
  const template = await checkedTemplate(format, file);
  const accounts = await readAccounts();
  const opening = await readOpening?.();
  const wallets = Object.fromEntries(
    accounts.all.map(({ walletId }) => [walletId, accounts.nameOf(walletId) ?? walletId]),
  );
  const { timeZone } = await context.view();
  const form = { accounts: template, rollUp: rollUp ?? null, wallets, ...(opening ? { opening } : {}) };
  const journal = await begin(format, form, timeZone, file);
  const around = selection && (() => readAround(context, selection));
  const notes = () => [
    ...journal.notes(),
    ...toOthersNote(accounts, journal.toOthers()),
    ...accounts.notes(journal.walletIds),
  ];
  return { ...journal, around, notes };
}

function toOthersNote({ whyUnknown }: Accounts, toOthers: number): Note[] {
  if (toOthers === 0 || whyUnknown === undefined) return [];
  const legs = plural(toOthers, 'leg refers to a wallet', 'legs refer to wallets');
  const text = `Transfers to own wallets may be posted as income or expenses: ${legs} without legs in the journal, and ${whyUnknown}.`;
  return [warning(text)];
}

/**
 * Returns the text of the `--accounts` file; null without a file.
 *
 * @throws usage error if the file is invalid or cannot be read
 */
export async function checkedTemplate(
  format: ExportFormat,
  file: string | undefined,
): Promise<string | null> {
  const accounts = file === undefined ? null : await readTemplate(file);
  await begin(format, { accounts, rollUp: null, wallets: {} }, 'UTC', file);
  return accounts;
}

/**
 * Reads the opening balances of a period from the service.
 *
 * @throws usage error `NO_PERIOD_START`; CryptodataError of kind `unverified` if legs may be missing
 */
export async function servedOpening(context: Context, { filters, span }: LedgerSelection): Promise<Opening> {
  const { from: at } = span;
  if (at === undefined || filters['transactionIds'] !== undefined) {
    throw usageError(
      '--opening needs all legs of a period with a start',
      'Add --period 2025-Q3, or --from. Omit --transaction-ids.',
      'NO_PERIOD_START',
    );
  }
  context.progress().update('Reading the legs before the period');
  const [{ openingBalances }, { withServedLegs }] = await Promise.all([
    import('../books/journal/opening.ts'),
    import('./served-legs.ts'),
  ]);
  return withServedLegs(context, span.to, async (legs, { claim }) => {
    const balances = await openingBalances(legs, span);
    if (claim.verified) return { at, balances };
    throw unverifiedError(
      `The opening balances are not verified: ${claim.why}`,
      'Run the command again later.',
    );
  });
}

/** Recreates a journal from the settings in a manifest, so that the same journal can be written again. */
export async function journalAgain(
  context: Context,
  format: ExportFormat,
  { form, selection }: { readonly form: JsonRecord; readonly selection: LedgerSelection },
): Promise<{ readonly journal?: JournalOf }> {
  const { journal: given, timeZone } = form;
  if (exportedFormat(format).file.journal === undefined || !isRecord(given)) return {};
  const { accounts, rollUp, wallets, opening } = given;
  const names = Object.entries(isRecord(wallets) ? wallets : {}).map(([id, name]) => [id, String(name)]);
  const journal = await begin(
    format,
    {
      accounts: typeof accounts === 'string' ? accounts : null,
      rollUp: ROLL_UPS.find((by) => by === rollUp) ?? null,
      wallets: Object.fromEntries(names),
      // Use the opening balances from the manifest: they are the balances at the time of the export.
      ...(isRecord(opening) ? { opening: opening as unknown as Opening } : {}),
    },
    typeof timeZone === 'string' ? timeZone : 'UTC',
  );
  return { journal: { ...journal, around: () => readAround(context, selection) } };
}

/** Yields the legs outside the period that are at most 16 hours before its start or after its end. */
export async function* legsAround(
  legs: AsyncIterable<JsonRecord>,
  period: OpenSpan,
): AsyncGenerator<JsonRecord> {
  const { from = Number.NEGATIVE_INFINITY, to = Number.POSITIVE_INFINITY } = period;
  for await (const leg of legs) {
    const time = timeOf(leg);
    if (time === undefined || isWithin(time, period)) continue;
    if (isWithin(time, { from: from - MARGIN, to: to + MARGIN })) yield leg;
  }
}

/** Reads the legs around the period from the service. These legs are not verified, and are not part of the journal. */
async function* readAround(context: Context, { filters, span }: LedgerSelection): AsyncGenerator<JsonRecord> {
  const { from, to } = span;
  const edges = [
    ...(from === undefined ? [] : [{ startTime: from - MARGIN, endTime: from }]),
    ...(to === undefined ? [] : [{ startTime: to, endTime: to + MARGIN }]),
  ];
  const { ledgers } = await context.client();
  for (const edge of edges) {
    const query = { ...filters, ...edge, sortBy: 'timestamp', sortOrder: 'asc' } as const;
    yield* legsAround(recordsOf(ledgers.list(query).asServed()), span);
  }
}

async function* recordsOf(rows: AsyncIterable<unknown>): AsyncGenerator<JsonRecord> {
  for await (const row of rows) if (isRecord(row)) yield row;
}

async function readTemplate(file: string): Promise<string> {
  try {
    return (await readInputFile(file)).toString();
  } catch (error) {
    const text = `Cannot read --accounts ${showText(file)}: ${whyUnreadable(error)}`;
    throw usageError(text, 'Check the path.', 'CANNOT_READ');
  }
}

/** Loads the journal code on demand, because every ledgers command loads this file. */
async function begin(
  format: ExportFormat,
  form: JournalForm,
  timeZone: string,
  file = 'the template',
): Promise<ChosenJournal> {
  const [{ Chart, checkCodes, checkRoots, NO_TEMPLATE, parseTemplate }, { Journal }] = await Promise.all([
    import('../books/journal/chart.ts'),
    import('../books/journal/journal.ts'),
  ]);
  const layout = exportedFormat(format).file.journal ?? {};
  const { roots, code, imports, longestCode } = layout;
  const template = form.accounts === null ? NO_TEMPLATE : parseTemplate(form.accounts, showText(file));
  if (roots) checkRoots(template, roots, showText(file));
  if (imports !== undefined && code !== undefined && longestCode !== undefined)
    checkCodes(template, code, { imports, longestCode });
  const wallets = new Map(Object.entries(form.wallets));
  const walletIds = new Set<string>();
  const chart = () => new Chart(template, code === undefined ? {} : { code });
  let used = chart();
  const create = () => {
    used = chart();
    return new Journal({
      chart: used,
      walletName: (id) => {
        walletIds.add(id);
        return wallets.get(id) ?? id;
      },
      dayOf: (time) => isoText(time, timeZone).replace(/T.*$/, ''),
      rollUp: form.rollUp ?? undefined,
      wallets: wallets.keys(),
      opening: form.opening,
      valuesOnly: imports !== undefined,
    });
  };
  let journal = create();
  return {
    form,
    walletIds,
    tax: template.tax,
    begin() {
      journal = create();
      return journal;
    },
    facts: () => journalFacts(journal, used),
    toOthers: () => journal.summary.toOthers,
    notes: () => journalNotes(journal, used, layout),
  };
}
