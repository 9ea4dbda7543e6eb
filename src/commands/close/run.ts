import { keys } from '../../api/columns.ts';
import { arrayOf, bool, int, nullable, text as string } from '../../api/records.ts';
import { type Accepted, ignoreFlag, isShared, readAccepted } from '../../app/audit/accepted.ts';
import { type Audited, statementIn, withAudit } from '../../app/audit/audit.ts';
import { clientFlags, writeReport } from '../../app/audit/report.ts';
import { sourceFlags } from '../../app/book-legs.ts';
import { sheetNotes } from '../../app/exports.ts';
import { faultNotes } from '../../app/fault-notes.ts';
import { checkedTemplate, JOURNAL_FORMATS, journalFlags, journalOf } from '../../app/journal.ts';
import { legFlags } from '../../app/leg-flags.ts';
import { emptyPeriodNotes } from '../../app/leg-range.ts';
import { ownFile } from '../../app/own-file.ts';
import { daysText, fiscalYearIn, periodFlags, SPAN, spanIn } from '../../app/period.ts';
import { copyOfAll, requestOfAll } from '../../app/request-of-all.ts';
import { countIn } from '../../books/audit/findings.ts';
import { openingBalances } from '../../books/journal/opening.ts';
import { overwriteFlag } from '../../cli/common-flags.ts';
import { type Values, verb } from '../../cli/define.ts';
import { SERVICE_EXITS } from '../../cli/exits.ts';
import { choiceFlag, dustFlag, ownPathFlag } from '../../cli/flags.ts';
import { type Note, warning } from '../../cli/outcome.ts';
import { made, oneOf, part } from '../../cli/output.ts';
import type { Context } from '../../context.ts';
import { unverifiedError, usageError } from '../../core/errors.ts';
import type { Span } from '../../core/span.ts';
import { plural, shellWord, showText } from '../../core/text.ts';
import { exportToFile } from '../../export/ledger-export.ts';
import { manifestOf } from '../../export/manifest.ts';
import type { Columns } from '../../formats/columns.ts';
import { spanText } from '../../formats/moments.ts';
import { openColumns } from '../../formats/open.ts';
import { addDescription } from './description.ts';
import {
  addJournal,
  addWorkbook,
  isPlainText,
  PLAIN_TEXT,
  type PlainText,
  WORKBOOK,
} from './ledger-files.ts';
import { limitsOf, openForPack, type PackMirror, shownTime } from './mirror.ts';
import { checkPackFolder, LEGS_FILE, Pack, SUMS } from './pack.ts';
import { addTables } from './tables.ts';

const CLOSED = made({
  folder: string,
  period: SPAN,
  timeZone: string,
  legs: int,
  findings: int,
  findingsStatement: string,
  verified: bool,
  why: nullable(string),
  files: arrayOf(part({ name: string, what: string, bytes: int, sha256: string })),
});

const flags = {
  ...periodFlags,
  mirror: sourceFlags.mirror,
  out: ownPathFlag('--out <folder>', 'folder to write; it must not exist'),
  overwrite: { ...overwriteFlag, describe: 'replace an existing filing pack' },
  dust: dustFlag,
  ignore: ignoreFlag,
  journal: {
    ...choiceFlag(
      '--journal <format>',
      'journal format: hledger (default), ledger or beancount',
      JOURNAL_FORMATS,
    ),
    // Help and completions show only the formats of a pack. For any other format, the error contains the command that writes
    // it.
    choices: PLAIN_TEXT,
  },
  accounts: journalFlags.accounts,
  opening: journalFlags.opening,
  ...clientFlags,
};

export const runClose = verb({
  name: 'run',
  summary: 'Write the filing pack for a period: ledgers, audit, balances, disposals, journal, report',
  about: `Writes the records of a period to one folder: ledgers (CSV and XLSX), audit findings, roll-forward, balances at the end of the period, disposals, a journal, a report (HTML), and the hash of each file. README.txt describes each file in plain words.

First, the command exports the ledgers of the period and verifies that no leg is missing. Then it reads all legs up to the end of the period. Both reads must return the same legs for the period. The folder appears only when it is complete. If the pack is not verified, README.txt contains the reason, and the command exits with 12.

With several profiles, the command writes one folder for each client, in the time zone and fiscal year of its profile, and prints one summary. If --out does not contain {profile}, the name of the profile is added to the name of the folder.

With --mirror, the command reads a mirror and sends no request. README.txt and the manifest of the ledgers then show when the mirror was last updated, when the number of legs was last verified, and when all fields were last read. A mirror of another workspace is refused. A mirror that was last updated before the end of the period is also refused. The pack is unverified if the mirror is unverified, or if time windows up to the end of the period are marked for re-reading.`,
  flags,
  examples: {
    'Close a quarter': 'cryptodata close --period 2025-Q3 --tz Europe/Berlin --out 2025-Q3',
    'Close a fiscal year, with accepted findings':
      'cryptodata close --period 2025 --fiscal-year-start 04-06 --ignore accepted.txt --out FY2025',
    'Close a quarter from a mirror, offline':
      'cryptodata close --period 2025-Q3 --mirror books --out 2025-Q3',
    'Close a quarter for several clients':
      "cryptodata close -p acme,birch --period 2025-Q3 --out '{profile}/2025-Q3'",
    'List all changes since the pack was written': 'cryptodata close verify 2025-Q3',
  },
  prints:
    'A record { folder, period, timeZone, legs, findings, findingsStatement, verified, why, files }.\nfindings counts open findings. findingsStatement also counts accepted findings and findings that were set aside.\nfiles: { name, what, bytes, sha256 }.',
  output: [oneOf(CLOSED)],
  exits: [...SERVICE_EXITS, 12],
  reads: true,
  async prepare(context, { out, overwrite, ...given }) {
    await plainTextIn(context, given);
    await checkPackFolder(await folderFor(context, out), overwrite);
  },
  async run(context, given) {
    const { overwrite, ignore, mirror: folder } = given;
    const journal = await plainTextIn(context, given);
    const out = await folderFor(context, given.out);
    const fiscalYearStart = await fiscalYearIn(context, given);
    const period = await closedPeriod(context, given);
    const accepted = await readAccepted(context, ignore);
    const mirror = folder === undefined ? undefined : await openForPack(context, folder, period);
    const { path, result } = await Pack.write(out, { overwrite, signal: context.signal }, (pack) =>
      fill(context, pack, { ...given, fiscalYearStart, journal, mirror, span: period, accepted }),
    );
    const { unverified, legs, findings, findingsStatement, files, notes } = result;
    const { timeZone } = await context.view();
    const verified = unverified === undefined;
    const isTable = (await context.format()) === 'table';
    const verify = `cryptodata close verify ${shellWord(out)}${await legFlags(context, { mirror: folder })}`;
    return {
      kind: 'record',
      record: isTable
        ? { folder: path, period: spanText(period, timeZone), legs, findings: findingsStatement, verified }
        : {
            ...{ folder: path, period, timeZone, legs, findings, findingsStatement },
            ...{ verified, why: unverified ?? null, files },
          },
      columns: openColumns,
      parts: context.several
        ? []
        : [{ title: 'Files', rows: [...files, HASHES].map((file) => ({ ...file })), columns: FILE_COLUMNS }],
      summary: () => ({
        ...{ folder: out, period: daysText(period, timeZone), legs, openFindings: findings, verified },
      }),
      notes: () => [...notes, { text: `To check the pack later: ${verify}`, isCommand: true }],
      failed: () =>
        unverified === undefined
          ? undefined
          : unverifiedError(
              `The filing pack is not verified: ${unverified}`,
              mirror === undefined
                ? 'Wait until no sync is running, then write the pack again with --overwrite.'
                : `Update the mirror: ${mirror.mirror.update}. Then write the pack again with --overwrite.`,
            ),
    };
  },
});

/**
 * Returns the format of the journal.
 *
 * @throws usage error `NOT_FOR_PACKS` for an importer format, because its output is a folder
 */
async function plainTextIn(
  context: Context,
  { journal = 'hledger', accounts, ...time }: Omit<Values<typeof flags>, 'out' | 'overwrite'>,
): Promise<PlainText> {
  if (isPlainText(journal)) return journal;
  const chosen = accounts === undefined ? '' : ` --accounts ${shellWord(accounts)}`;
  const { period, from, to, fiscalYearStart } = time;
  const span = await legFlags(context, { period, from, to, fiscalYearStart });
  throw usageError(
    `A filing pack cannot contain a journal for ${journal}. The formats are ${PLAIN_TEXT.join(', ')}`,
    `Write the files for the importer separately: cryptodata ledgers export --format ${journal}${chosen}${span} --out ${journal}`,
    'NOT_FOR_PACKS',
  );
}

/** @throws usage error `NO_OUTPUT` without `--out` */
async function folderFor(context: Context, out: string | undefined): Promise<string> {
  if (out !== undefined) return ownFile(context, out);
  throw usageError('--out is missing', 'Choose a folder: --out 2025-Q3.', 'NO_OUTPUT');
}

/** @throws usage error `NO_PERIOD` if the period has no start or no end */
async function closedPeriod(context: Context, given: Values<typeof flags>): Promise<Span> {
  const { from, to } = await spanIn(context, given);
  if (from !== undefined && to !== undefined) return { from, to };
  throw usageError(
    'The period needs a start and an end',
    'Add --period 2025-Q3, or --from and --to.',
    'NO_PERIOD',
  );
}

type Options = Omit<Values<typeof flags>, 'mirror' | 'journal'> & {
  readonly journal: PlainText;
  readonly mirror: PackMirror | undefined;
  readonly span: Span;
  readonly accepted: Accepted;
};

async function fill(
  context: Context,
  pack: Pack,
  { span: period, accepted, mirror: given, ...flags }: Options,
) {
  const format = flags.journal;
  const mirror = given?.mirror;
  await checkedTemplate(format, flags.accounts);
  context.progress().update('Reading the ledgers of the period');
  const request = given
    ? await copyOfAll(context, 'csv', period, given)
    : await requestOfAll(context, 'csv', period);
  const exported = await exportToFile(request, pack.path(LEGS_FILE), 'temporary');
  context.progress().update('Reading all legs up to the end of the period');
  return withAudit(context, { ...flags, mirror, accepted }, async (found, legs, around) => {
    const { about, accounts } = found;
    context.progress().update('Writing the filing pack');
    await pack.addWritten(LEGS_FILE, 'every leg of the period');
    await pack.addWritten(manifestOf(LEGS_FILE), `a record of how ${LEGS_FILE} was read and verified`);
    const workbook = await addWorkbook(pack, { request, exported, legs, period });
    const unverified = workbook.unverified ?? about.unverified();
    const audited = { ...found, about: { ...about, unverified: () => unverified } };
    await addTables(context, pack, { audited, legs, period });
    const open = countIn(audited.checks, 'open');
    const statement = [
      ...statementIn(audited, 'in set-aside.csv'),
      ...faultNotes(about.faults).map(({ text }) => text),
    ].join(' ');
    const journal = await journalOf(context, format, {
      ...{ accounts: flags.accounts, rollUp: undefined, readAccounts: async () => accounts },
      readOpening: flags.opening
        ? async () => ({ at: period.from, balances: await openingBalances(legs, period) })
        : undefined,
    });
    if (journal)
      await addJournal(pack, { request, exported, legs: around, period, unverified }, journal, format);
    await pack.add('report.html', 'the readable report; open it in a browser', (file) =>
      writeReport(
        context,
        file,
        audited,
        { ...flags, limitedTo: [], source: { mirror: mirror?.directory }, files: pack.files },
        legs,
      ),
    );
    const { fiscalYearStart } = flags;
    await addDescription(context, pack, {
      ...{ audited, request, exported, mirror: given, period, fiscalYearStart, unverified, open, statement },
    });
    const notFound = isShared(context, flags.ignore) ? [] : audited.notFound;
    const limits = given ? limitsOf(given, shownTime(about.timeZone)) : [];
    return {
      ...{ unverified, legs: audited.legs, findings: open, findingsStatement: statement, files: pack.files },
      notes: [
        ...notesOf({ ...audited, notFound }, statement, context.now(), period),
        ...(await emptyPeriodNotes(about, audited.legs)),
        ...sheetNotes(workbook.sheets, WORKBOOK),
        ...(journal?.notes() ?? accounts.notes(found.pairs.map(({ walletId }) => walletId))),
        ...limits.map((text) => ({ text: showText(text) })),
      ],
    };
  });
}

function notesOf(
  { legs, findings, notFound }: Audited,
  statement: string,
  now: number,
  period: Span,
): readonly Note[] {
  const names = notFound.map(showText).join(', ');
  return [
    { text: `${plural(legs, 'leg', 'legs')} in the period. ${statement}` },
    ...(findings.length > 0
      ? [warning('The audit reported findings. See findings.csv and report.html.')]
      : []),
    ...(names === '' ? [] : [{ text: `Accepted findings that do not occur in the period: ${names}.` }]),
    ...(period.to > now ? [warning('The period has not ended, so more legs may be added.')] : []),
  ];
}

/** The file with the hashes. This file is not in the list of files, because it contains the hash of this list too. */
const HASHES = { name: SUMS, what: 'hashes of all files' };

const FILE_COLUMNS: Columns = {
  table: [{ key: 'name' }, { key: 'what' }, { key: 'bytes', figure: true }],
  csv: keys('name', 'what', 'bytes', 'sha256'),
};
