import { arrayOf, bool, int, nullable, text as string, word } from '../../api/records.ts';
import { ignoreFlag, isShared, readAccepted } from '../../app/audit/accepted.ts';
import { type Audited, statementIn, withAudit } from '../../app/audit/audit.ts';
import { FINDING, FINDING_COLUMNS, namedFinding } from '../../app/audit/columns.ts';
import { auditFlags } from '../../app/audit/flags.ts';
import { overview } from '../../app/audit/overview.ts';
import {
  checkReport,
  clientFlags,
  reportFlags,
  withReportFile,
  writeReport,
} from '../../app/audit/report.ts';
import { type LegSource, unverifiedErrorOf } from '../../app/book-legs.ts';
import { faultNotes } from '../../app/fault-notes.ts';
import { emptyPeriodNotes } from '../../app/leg-range.ts';
import { pairFlags } from '../../app/pair-choice.ts';
import { daysText, fiscalYearIn, SPAN } from '../../app/period.ts';
import { SEVERITIES } from '../../books/audit/check.ts';
import { CHECK_NAMES, type CheckName, checkNamed } from '../../books/audit/checks/index.ts';
import {
  type CheckResult,
  countIn,
  type Finding,
  limitTexts,
  STATUSES,
  statementOf,
} from '../../books/audit/findings.ts';
import { noChosenLegs } from '../../books/scope.ts';
import { columnsFlagOf } from '../../cli/common-flags.ts';
import { verb } from '../../cli/define.ts';
import { SERVICE_EXITS } from '../../cli/exits.ts';
import { listFlag, toggle } from '../../cli/flags.ts';
import { type Ending, type Note, type Outcome, warning } from '../../cli/outcome.ts';
import { made, ofSchema, oneOf, optional, part } from '../../cli/output.ts';
import type { Context } from '../../context.ts';
import { unverifiedError } from '../../core/errors.ts';
import { count, plural, showText } from '../../core/text.ts';
import { openColumns } from '../../formats/open.ts';

const AUDIT = made({
  scope: part({
    period: SPAN,
    timeZone: string,
    ...{ wallets: nullable(arrayOf(string)), assets: nullable(arrayOf(string)) },
    source: string,
    ...{ readFrom: nullable(int), readTo: nullable(int) },
  }),
  verified: bool,
  why: nullable(string),
  legs: int,
  statement: string,
  checks: arrayOf(
    part({
      check: word(...CHECK_NAMES),
      status: word(...STATUSES),
      findings: int,
      counts: part({ open: int, accepted: int, spam: int, dust: int }),
      severity: nullable(word(...SEVERITIES)),
      ...{ wallets: int, assets: int },
      atStake: arrayOf(part({ value: string, baseCurrency: string, oldestPriceAt: optional(int) })),
      why: nullable(string),
    }),
  ),
  findings: arrayOf(ofSchema(FINDING)),
  setAside: arrayOf(ofSchema(FINDING)),
  accepted: arrayOf(ofSchema(FINDING)),
  matched: part({ high: int, medium: int, low: int }),
  faults: arrayOf(part({ fault: string, legs: int, ledgerIds: arrayOf(string) })),
});

/** Tells the user where to find the findings that were set aside. */
const SET_ASIDE = 'in the field "setAside" of the JSON output (-o json)';

export const runAudit = verb({
  name: 'run',
  summary: 'Check the books and list problems, root causes first',
  about: `Reads every leg up to the end of the period, as an export does. The result shows whether the legs were verified. Each finding includes a leg, an amount and the command to run next. A check that could not run is reported as "not-possible", with a reason. A check that could not cover every leg or account is reported as "partial". Neither is ever reported as "passed".

--wallet and --asset select findings; the checks still read all legs. --ignore reads a file of accepted findings; each line contains an id and a reason. Accepted findings that no longer occur are reported. Findings about spam assets and findings below --dust are set aside: they are counted, but listed only with -o json (field "setAside") and --report.

A transfer may leave a wallet before the end of the period and arrive after it, so legs up to 32 hours after the period are read too. If a check in --check cannot run, the command exits with 12.

With several profiles, the command prints the result of each profile, and one summary. --report writes one file per profile: {profile} in the file name is replaced by the name of the profile. If the file name does not contain {profile}, the name is added.

--report writes one printable HTML page for a client, which makes no requests and needs no JavaScript. Its first page shows the most important amounts, problems with accounts, and what to do first. The roll-forward, charts, one table of findings for each check, and an appendix with every digit follow.`,
  flags: {
    ...auditFlags,
    ...pairFlags,
    check: listFlag('--check <names>', `only these checks: ${CHECK_NAMES.join(', ')}`, CHECK_NAMES),
    ignore: ignoreFlag,
    all: toggle('--all', 'list every open finding in the table'),
    exitCode: toggle('--exit-code', 'exit with 10 if there are open findings'),
    columns: columnsFlagOf(() => FINDING_COLUMNS),
    ...reportFlags,
    ...clientFlags,
  },
  examples: {
    'Check a quarter': 'cryptodata audit --period 2025-Q3',
    'Check an exported file, offline': 'cryptodata audit --file ledgers-2025.csv',
    'Write a report for a client': 'cryptodata audit --period 2025-Q3 --report audit-2025-Q3.html',
    'Fail a pipeline on new findings': 'cryptodata audit --period 2025 --ignore accepted.txt --exit-code',
    'List the missing amounts':
      'cryptodata audit --check negative-balance --json | jq -r ".findings[] | [.symbol, .amount] | @tsv"',
  },
  prints: `A table with one line for each check, and the 20 most important open findings (table); one record { scope, verified, why, legs, statement, checks, findings, setAside, accepted, matched, faults } (json); one open finding per line or row (jsonl, csv, and any format with --columns).
checks: { check, status, findings, counts: { open, accepted, spam, dust }, severity, wallets, assets, atStake: { value, baseCurrency, oldestPriceAt }, why }. A check has passed only if it covered everything and found nothing. "findings" counts open findings and those that were set aside. severity, wallets, assets and atStake describe the open findings; atStake sums the known values for each known currency. oldestPriceAt (ms) is present if a price is more than 30 days older than the leg of its finding. For a leg before the period, the age counts up to the start of the period.
status: failed (open findings), not-possible, partial (some legs or accounts could not be checked), set-aside (only findings on spam assets or below --dust), accepted (only accepted findings), passed. In a table, a failed check shows its severity instead: error, warning or info.
findings: { id, check, severity, place: open|accepted|spam|dust, walletId, wallet, assetId, symbol, ledgerId, transactionId, timestamp (ms), legs, expected, actual, amount, value, baseCurrency, pricedAt (ms), message, causes, next }. value is the amount at the price of the leg at pricedAt. pricedAt is null if the value is not from one price. If a finding is about several assets, assetId is null, and the field assets is present: { assetId, symbol }.
faults: { fault, legs, ledgerIds }: the number of legs that have this fault in a field, and the ids of the first of these legs.
The id of a finding is the same in every run.`,
  output: [oneOf(AUDIT, { line: FINDING })],
  exits: [...SERVICE_EXITS, 10, 12],
  reads: true,
  prepare: checkReport,
  async run(
    context,
    { check, ignore, exitCode, columns, report, overwrite, client, preparedBy, all, ...flags },
  ) {
    const accepted = await readAccepted(context, ignore);
    const names = check?.map((name) => checkNamed(name).name);
    return withReportFile({ report, overwrite, client, preparedBy }, context, async (file) => {
      context.progress().update('Reading legs');
      return withAudit(context, { ...flags, check: names, accepted }, async (audited, books) => {
        const { wallet, asset } = flags;
        if (file) {
          context.progress().update('Writing the report');
          const limitedTo = limitsOf({ wallet, asset, check });
          const fiscalYearStart = await fiscalYearIn(context, flags);
          const header = { client, preparedBy, limitedTo, fiscalYearStart, source: flags };
          await writeReport(context, file, audited, header, books);
        }
        const written = await file?.finish();
        const shown = { ...flags, check, names, ignore, exitCode, columns, all, report: written?.path };
        return outcomeOf(context, audited, shown);
      });
    });
  },
});

/** The flags that determine what is shown, and the path of the report. */
interface Shown extends Filters {
  readonly names: readonly string[] | undefined;
  readonly ignore: string | undefined;
  readonly exitCode: boolean | undefined;
  readonly columns: readonly string[] | undefined;
  readonly all: boolean | undefined;
  readonly report: string | undefined;
}

/** Shows the result as a table of the checks, as one record, or as one finding per row. */
async function outcomeOf(context: Context, audited: Audited, shown: Shown): Promise<Outcome> {
  const { about, accounts, legs, checks, matched, isChosen } = audited;
  const { check, columns, all = check !== undefined } = shown;
  const unverified = about.unverified();
  const verified = unverified === undefined;
  const named = (finding: Finding) => namedFinding(finding, accounts);
  const statement = statementIn(audited, SET_ASIDE).join(' ');
  const record = {
    scope: scopeOf(audited, shown),
    ...{ verified, why: unverified ?? null, legs },
    ...{ statement, checks: checks.map(({ limits: _, ...check }) => check) },
    findings: audited.findings.map(named),
    ...{ setAside: audited.setAside.map(named), accepted: audited.accepted.map(named), matched },
    faults: about.faults.counts(isChosen),
  };
  const format = await context.format();
  const isTable = format === 'table' && columns === undefined;
  const ending = await endingOf(context, audited, shown, isTable);
  if (isTable) {
    const parts = overview(checks, audited.findings, { named, all, timeZone: audited.about.timeZone });
    const total = { legs, verified, findings: statement };
    return { kind: 'record', record: total, columns: openColumns, parts, ...ending };
  }
  // A record contains the whole result; a row contains one finding.
  if (format === 'json' && columns === undefined)
    return { kind: 'record', record, columns: FINDING_COLUMNS, ...ending };
  const rows = record.findings;
  return {
    ...{ kind: 'rows', rows, columns: FINDING_COLUMNS, none: 'No open findings.' },
    ...ending,
  };
}

async function endingOf(
  context: Context,
  audited: Audited,
  { check, names, ignore, exitCode, report, ...flags }: Shown,
  isTable: boolean,
): Promise<Ending> {
  const { about, accounts, legs, checks, isChosen } = audited;
  const openFindings = countIn(checks, 'open');
  const notes = [
    ...summaryNotes(audited, statementOf(checks, SET_ASIDE).join(' ')),
    ...(isTable ? [] : checkNotes(checks)),
    ...(flags.wallet || flags.asset ? noChosenNote(legs) : await emptyPeriodNotes(about, legs)),
    ...faultNotes(about.faults, isChosen),
    ...(isShared(context, ignore) ? [] : notFoundNotes(audited, isWhole({ ...flags, check }, about))),
    ...accounts.notes(
      audited.pairs.map(({ walletId }) => walletId),
      audited.pairs.filter(isChosen).map(({ walletId }) => walletId),
    ),
    ...(audited.spamLimit === undefined ? [] : [{ text: audited.spamLimit, warning: true }]),
    ...(report === undefined ? [] : [{ text: `Report: ${showText(report)}` }]),
  ];
  const period = daysText(about.period, about.timeZone);
  const verified = about.unverified() === undefined;
  return {
    notes: () => notes,
    summary: () => ({ period, legs, openFindings, verified }),
    found: () => (exitCode ? openFindings : 0),
    failed: () => unverifiedErrorOf(about) ?? notRun(checks, names),
  };
}

function noChosenNote(legs: number): Note[] {
  return legs > 0 ? [] : [warning(noChosenLegs())];
}

/** Returns the scope of the audit: period, filters, and the source of the legs. */
function scopeOf(
  { about: { period, timeZone, readFrom, readTo } }: Audited,
  { wallet, asset, file, mirror }: Filters,
) {
  return {
    period: { from: period.from ?? null, to: period.to ?? null },
    ...{ timeZone, wallets: wallet ?? null, assets: asset ?? null },
    source: file ?? (typeof mirror === 'object' ? mirror.directory : mirror) ?? 'service',
    ...{ readFrom: readFrom ?? null, readTo: readTo ?? null },
  };
}

/** If the user requested a check by name and this check could not run, the command fails. */
function notRun(checks: readonly CheckResult[], names: readonly string[] | undefined) {
  const failed = checks.find(({ check, status }) => status === 'not-possible' && names?.includes(check));
  if (!failed) return undefined;
  return unverifiedError(
    `The check ${failed.check} could not run: ${failed.why}`,
    undefined,
    'CHECK_NOT_POSSIBLE',
  );
}

/** Returns the flags that select findings: `--wallet kraken`. */
function limitsOf(given: Readonly<Record<string, readonly string[] | undefined>>): string[] {
  return Object.entries(given).flatMap(([name, values]) =>
    (values ?? []).map((value) => `--${name} ${value}`),
  );
}

function summaryNotes({ legs, matched }: Audited, statement: string): Note[] {
  const matches = [
    ...(matched.high > 0 ? [`${count(matched.high)} by the wallet in the leg`] : []),
    ...(matched.medium > 0 ? [`${count(matched.medium)} by quantity`] : []),
    ...(matched.low > 0 ? [`${count(matched.low)} by a guess (listed)`] : []),
  ];
  return [
    { text: `${plural(legs, 'leg', 'legs')} checked. ${statement}` },
    ...(matches.length > 0 ? [{ text: `Transfers matched: ${matches.join(', ')}.` }] : []),
  ];
}

/** Notes on the checks. Without these notes, a list of findings would not show which checks could not run. */
function checkNotes(checks: readonly CheckResult[]): Note[] {
  const passed = checks.filter(({ status }) => status === 'passed').map(({ check }) => check);
  return [
    ...(passed.length > 0 ? [{ text: `Passed: ${passed.join(', ')}.` }] : []),
    ...limitTexts(checks, false).map((text) => ({ text: `Not possible: ${text}`, warning: true })),
    ...limitTexts(checks, true).map((text) => ({ text: `Limited: ${text}`, warning: true })),
  ];
}

interface Filters extends LegSource {
  readonly wallet?: readonly string[] | undefined;
  readonly asset?: readonly string[] | undefined;
  readonly check?: readonly string[] | undefined;
  readonly dust?: string | undefined;
}

/**
 * Whether the audit covered all legs and ran all checks. An accepted finding that is missing from such a complete audit no
 * longer occurs.
 */
function isWhole(flags: Filters, { period, unverified }: Audited['about']): boolean {
  const { wallet, asset, check, dust, file, mirror } = flags;
  const limits = [wallet, asset, check, dust, file, mirror, period.from, period.to];
  return limits.every((limit) => limit === undefined) && unverified() === undefined;
}

/**
 * Lists accepted findings that this audit did not find. If filters, a period or missing data limited a check, its findings may
 * still exist.
 */
function notFoundNotes({ notFound, checks }: Audited, isWhole: boolean): Note[] {
  const isOf = (names: readonly CheckName[]) => (id: string) =>
    names.some((name) => id.startsWith(`${name}-`));
  const isOfPeriod = isOf(CHECK_NAMES.filter((name) => checkNamed(name).isOfPeriod));
  const judged = checks.filter(({ status, why }) => status !== 'not-possible' && why === null);
  const isJudged = isOf(judged.map(({ check }) => check));
  const isGone = (id: string) => isWhole && isJudged(id) && !isOfPeriod(id);
  const others = notFound.filter((id) => !isGone(id) && !isOfPeriod(id));
  const list = (ids: readonly string[]) => ids.map(showText).join(', ');
  const missing = (ids: readonly string[], advice: string): Note[] => {
    if (ids.length === 0) return [];
    const findings = plural(ids.length, 'accepted finding does', 'accepted findings do');
    return [{ text: `${findings} not occur in this audit: ${list(ids)}. ${advice}` }];
  };
  const toFindOut = (ids: readonly string[]) =>
    `To find out whether ${ids.length === 1 ? 'it still occurs' : 'they still occur'}, run the audit without`;
  const gone = notFound.filter(isGone);
  const ofPeriod = notFound.filter(isOfPeriod);
  const text = `Accepted findings that no longer occur: ${list(gone)}. Remove them from the --ignore file.`;
  return [
    ...(gone.length > 0 ? [{ text, warning: true }] : []),
    ...missing(
      others,
      isWhole
        ? `${others.length === 1 ? 'Its check was' : 'Their checks were'} limited, or could not run.`
        : `${toFindOut(others)} filters and without a period.`,
    ),
    ...missing(
      ofPeriod,
      `${toFindOut(ofPeriod)} filters, for the period in which ${ofPeriod.length === 1 ? 'it was' : 'they were'} accepted.`,
    ),
  ];
}
