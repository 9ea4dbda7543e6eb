import { extname } from 'node:path';
import { checkNamed, checksAbout } from '../../books/audit/checks/index.ts';
import { countIn, sharedLimits } from '../../books/audit/findings.ts';
import type { Leg } from '../../books/leg.ts';
import { reportFigures } from '../../books/report.ts';
import type { Values } from '../../cli/define.ts';
import { ownPathFlag, textFlag, toggle } from '../../cli/flags.ts';
import type { Context } from '../../context.ts';
import { usageError } from '../../core/errors.ts';
import { plural, showText } from '../../core/text.ts';
import { OutputFile } from '../../export/output-file.ts';
import { isoText } from '../../formats/moments.ts';
import type { AccountGaps, ReportData } from '../../formats/report/data.ts';
import { cellText } from '../../formats/text.ts';
import { startNotes } from '../book-legs.ts';
import { kindNotes, ownWallets } from '../disposal-lines.ts';
import { faultNotes } from '../fault-notes.ts';
import { makerOf } from '../maker.ts';
import { ownFile } from '../own-file.ts';
import { type Audited, statementIn } from './audit.ts';
import { mostImportant } from './overview.ts';

export const reportFlags = {
  report: ownPathFlag('--report <file>', 'also write a report as one HTML page'),
  overwrite: toggle('--overwrite', 'replace an existing report'),
};

export const clientFlags = {
  client: {
    ...textFlag(
      '--client <name>',
      'name of the client in the report (default: the setting client_name, else the workspace name)',
    ),
    oneProfile:
      'Set the name of each client in its profile: cryptodata config set client_name NAME -p PROFILE',
  },
  preparedBy: textFlag('--prepared-by <name>', 'name of the firm in the report'),
};

/** Maximum number of charts of running balances in a report. */
const MOST_HISTORIES = 6;

interface ReportValues extends Values<typeof clientFlags> {
  readonly report: string | undefined;
  readonly overwrite: true | undefined;
}

/**
 * Opens the report file before any request is sent. Discards the file if the command fails.
 *
 * @throws usage error if the extension is not `.html` or `.htm`, or if the file exists
 * @throws CryptodataError if the file cannot be written
 */
export async function withReportFile<T>(
  values: ReportValues,
  context: Context,
  use: (file: OutputFile | undefined) => Promise<T>,
): Promise<T> {
  const path = await reportPath(context, values);
  if (path === undefined) return use(undefined);
  const file = await OutputFile.open(path, { signal: context.signal, overwrite: values.overwrite });
  try {
    return await use(file);
  } catch (error) {
    await file.discard();
    throw error;
  }
}

/** Checks whether the report can be written, before any profile is read. */
export async function checkReport(context: Context, values: ReportValues): Promise<void> {
  await withReportFile(values, context, async (file) => file?.discard());
}

/** Returns the path of the report, which depends on the profile. Checks the flags without creating a file. */
async function reportPath(
  context: Context,
  { report, overwrite, client, preparedBy }: ReportValues,
): Promise<string | undefined> {
  if (report === undefined) {
    const flag = overwrite ? '--overwrite' : client ? '--client' : preparedBy && '--prepared-by';
    if (flag) throw usageError(`${flag} has no effect without --report`, 'Add --report FILE.html.');
    return undefined;
  }
  if (!/^\.html?$/i.test(extname(report))) {
    throw usageError(
      `The report is HTML, but ${showText(report)} does not end in .html`,
      'Use a file name that ends in .html. To make a PDF, print the page from a browser.',
      'BAD_REPORT_NAME',
    );
  }
  return ownFile(context, report);
}

export interface ReportScope
  extends Pick<ReportData, 'limitedTo' | 'fiscalYearStart'>,
    Partial<Pick<ReportData, 'files'>> {
  readonly client: string | undefined;
  readonly preparedBy: string | undefined;
  /** The file or the mirror folder that the legs were read from. */
  readonly source: { readonly file?: string | undefined; readonly mirror?: string | undefined };
}

/**
 * Writes the report of an audit. Reads the legs a second time.
 *
 * @param legs every leg up to the end of the period, ordered by time
 */
export async function writeReport(
  context: Context,
  file: OutputFile,
  {
    about,
    accounts,
    checks,
    legs: inPeriod,
    findings,
    accepted,
    setAside,
    spamLimit,
    isChosen,
    pairs,
  }: Audited,
  { source, limitedTo, fiscalYearStart, client, preparedBy, files = [] }: ReportScope,
  legs: AsyncIterable<Leg>,
): Promise<void> {
  const { period, timeZone, origin } = about;
  const { MOST_FINDINGS, reportPage } = await import('../../formats/report/index.ts');
  const figures = await reportFigures(legs, {
    ...{ period, fromStart: about.fromStart, isOwn: ownWallets(pairs, accounts) },
    dateOf: (timestamp) => isoText(timestamp, timeZone),
    findings,
    mostHistories: MOST_HISTORIES,
  });
  const limits = sharedLimits(checks, titleOf);
  const page = reportPage({
    client: client ?? (await clientName(context, origin.workspace, source.file === undefined)),
    ...{ preparedBy, date: isoText(context.now(), timeZone).slice(0, 10) },
    ...{ accepted, setAside, limitedTo, fiscalYearStart, files },
    findings: checks.flatMap(({ check }) =>
      mostImportant(
        findings.filter((finding) => finding.check === check),
        MOST_FINDINGS,
      ),
    ),
    ...{ period, timeZone, unverified: about.unverified(), figures },
    checks: checks.map((result) => ({ ...textsOf(result.check), ...result, why: limits.ownOf(result) })),
    findingsStatement: [
      ...statementIn({ checks, spamLimit }, 'below'),
      ...limits.texts,
      ...faultNotes(about.faults, isChosen).map(({ text }) => text),
    ],
    accountGaps: accountGaps({ findings, checks }),
    sourceLimits: [...kindNotes(about, accounts, figures), ...startNotes(about)].map(({ text }) => text),
    legs: inPeriod,
    ...{ statement: origin.statement, noneMissing: origin.noneMissing },
    origin: [
      ...(source.file === undefined ? [] : [['File', source.file] as const]),
      ...(source.mirror === undefined ? [] : [['Mirror', source.mirror] as const]),
      ['Service', cellText(origin.address)],
      ['Workspace', cellText(origin.workspace) || 'not known'],
    ],
    nameOf: (walletId) => accounts.nameOf(walletId),
  });
  for (const part of page) await file.write(part);
}

/**
 * The setting `client_name`. Without this setting, the name of the workspace that the legs are from, or its id if the name is
 * unknown.
 *
 * @param hasSession false for a file, which needs no login
 */
async function clientName(context: Context, workspace: unknown, hasSession: boolean): Promise<string> {
  const name = (await context.settings()).get('client_name');
  if (name !== undefined) return name;
  const id = cellText(workspace);
  const session = hasSession ? await makerOf(context, { asks: false }) : undefined;
  return (session?.workspaceId === id ? session.workspaceName : null) ?? (id || 'Client without a name');
}

/** Maximum number of accounts to list as incomplete. */
const MOST_INCOMPLETE = 20;

/** Problems with accounts. Transactions of such an account may be missing from the service itself. */
export function accountGaps({ findings, checks }: Pick<Audited, 'findings' | 'checks'>): AccountGaps {
  const names: readonly string[] = checksAbout('accounts');
  const results = checks.filter(({ check }) => names.includes(check));
  const ran = results.filter(({ status }) => status !== 'not-possible');
  const shown = findings.filter(({ check }) => names.includes(check)).slice(0, MOST_INCOMPLETE);
  const more = countIn(results, 'open') - shown.length;
  const unknown = names.filter((name) => !ran.some(({ check }) => check === name));
  return {
    problems: [
      ...shown.map(({ message }) => showText(message)),
      ...(more > 0
        ? [`${plural(more, 'more problem', 'more problems')} with accounts, listed in the findings.`]
        : []),
    ],
    unknown:
      unknown.length > 0
        ? `It is not known whether accounts are incomplete, because these checks did not run: ${unknown.map(titleOf).join(', ')}.`
        : undefined,
    limits: ran.flatMap(({ why }) => why ?? []),
  };
}

/** The title of a check in quotes, for a sentence that clients read. */
function titleOf(name: string): string {
  return `"${checkNamed(name).title}"`;
}

/** The texts of a check for a reader who is not an accountant. */
function textsOf(name: string) {
  const { title, means, fix } = checkNamed(name);
  return { title, means, fix };
}
