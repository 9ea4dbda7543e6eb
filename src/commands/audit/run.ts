import { arrayOf, bool, int, nullable, text as string, word } from '../../api/records.ts';
import { CHECKS } from '../../books/audit/finding.ts';
import { columnsFlagOf } from '../../cli/common-flags.ts';
import { verb } from '../../cli/define.ts';
import { SERVICE_EXITS } from '../../cli/exits.ts';
import { decimal, list, text, toggle } from '../../cli/flags.ts';
import type { Note, Outcome } from '../../cli/outcome.ts';
import { made, ofSchema, oneOf, part } from '../../cli/output.ts';
import type { Context } from '../../context.ts';
import type { JsonRecord } from '../../core/json.ts';
import { plural, showText } from '../../core/text.ts';
import { accountsOf, errorOf, sourceFlags } from '../book-legs.ts';
import { emptyPeriodNotes } from '../leg-range.ts';
import { pairChoice, pairFlags } from '../pair-choice.ts';
import { periodFlags, SPAN } from '../period.ts';
import { type Audited, withAudit } from './audit.ts';
import { FINDING, FINDING_COLUMNS } from './columns.ts';
import { readIgnored, shownFindings } from './ignored.ts';
import { reportFlags, withReportFile, writeReport } from './report.ts';

const AUDIT = made({
  period: SPAN,
  timeZone: string,
  verified: bool,
  why: nullable(string),
  legs: int,
  checks: arrayOf(
    part({
      check: word(...CHECKS),
      status: word('passed', 'failed', 'not-possible'),
      findings: int,
      why: nullable(string),
    }),
  ),
  findings: arrayOf(ofSchema(FINDING)),
  setAside: arrayOf(ofSchema(FINDING)),
  ignored: arrayOf(ofSchema(FINDING)),
});

/** Flags that affect findings. `audit`, `audit explain` and `ledgers explain` share them to report the same findings. */
export const auditFlags = {
  ...periodFlags,
  ...sourceFlags,
  dust: decimal('--dust <value>', 'set aside findings below this value in the base currency'),
  minTotalGains: decimal(
    '--min-total-gains <value>',
    'minimum total gains of a transaction, for the check high-pnl',
  ),
};

export const run = verb({
  name: 'run',
  summary: 'Check the books and list problems, root causes first',
  about: `Reads every leg up to the end of the period, as an export does. The result states whether the legs were verified. Each finding includes a leg, an amount and the command to run next. A check that could not run is reported as "not-possible" with a reason, never as "passed".

--wallet and --asset select findings; the checks still read all legs. --ignore reads a file of accepted findings; each line contains an id and a reason. Accepted findings that no longer occur are reported. Findings about spam assets and findings below --dust are set aside: they are counted, but listed only with -o json (field "setAside") and --report.

--report writes one printable HTML page, which makes no requests and needs no JavaScript. The report shows whether the data is complete, the findings with their legs, and running balances. It also shows value and profit by month and asset, and the roll-forward.`,
  flags: {
    ...auditFlags,
    ...pairFlags,
    check: list('--check <names>', `only these checks: ${CHECKS.join(', ')}`, CHECKS),
    ignore: text('--ignore <file>', 'file of accepted findings; each line contains an id and a reason'),
    exitCode: toggle('--exit-code', 'exit with 10 if there are findings'),
    columns: columnsFlagOf(() => FINDING_COLUMNS),
    ...reportFlags,
  },
  examples: [
    { says: 'Check a quarter', line: 'cryptodata audit --period 2025-Q3' },
    { says: 'Check an exported file, offline', line: 'cryptodata audit --file ledgers-2025.csv' },
    {
      says: 'Write a report for a client',
      line: 'cryptodata audit --period 2025-Q3 --report audit-2025-Q3.html',
    },
    {
      says: 'Fail a pipeline on new findings',
      line: 'cryptodata audit --period 2025 --ignore accepted.txt --exit-code',
    },
    {
      says: 'List the missing amounts',
      line: 'cryptodata audit --check negative-balance --json | jq -r ".findings[] | [.symbol, .amount] | @tsv"',
    },
  ],
  prints: `One record { period, timeZone, verified, why, legs, checks, findings, setAside, ignored } (json); one finding per line or row (jsonl, csv).
checks: { check, status: passed|failed|not-possible, findings, why }.
findings: { id, check, severity, walletId, wallet, assetId, symbol, ledgerId, transactionId, timestamp (ms), legs, expected, actual, amount, message, causes, next }.
The id of a finding is the same in every run.`,
  output: [oneOf(AUDIT, { line: FINDING })],
  exits: [...SERVICE_EXITS, 10, 12],
  async run(context, { wallet, asset, check, ignore, exitCode, columns, report, overwrite, ...flags }) {
    const ignored = await readIgnored(ignore);
    return withReportFile({ report, overwrite }, context, async (file) => {
      context.progress().update('Reading legs');
      const accounts = await accountsOf(context, flags);
      return withAudit(context, { ...flags, check: check?.map(checkNamed) }, async (audited, books) => {
        const choose = pairChoice({ wallet, asset }, audited.pairs, accounts);
        const chosen = {
          findings: audited.findings.filter(choose),
          setAside: audited.setAside.filter(choose),
        };
        const shown = shownFindings(chosen, ignored, accounts);
        const { open: findings, accepted, setAside, gone } = shown;
        const { about, legs, checks } = audited;
        const unverified = about.unverified();
        const record = {
          period: { from: about.period.from ?? null, to: about.period.to ?? null },
          timeZone: about.timeZone,
          verified: unverified === undefined,
          why: unverified ?? null,
          legs,
        };
        if (file) context.progress().update('Writing the report');
        const reported = { limitedTo: limitsOf({ wallet, asset, check }), accounts, source: flags };
        if (file) await writeReport(file, audited, { shown, ...reported }, books);
        const written = await file?.finish();
        const empty = await emptyPeriodNotes(
          about,
          legs,
          'There are no legs in the period: nothing was checked.',
        );
        const ending = {
          notes: () => [
            ...summaryNotes(audited, findings.length, setAside.length, accepted.length),
            ...empty,
            ...goneNote(check === undefined ? gone : []),
            ...accounts.notes(audited.pairs.map(({ walletId }) => walletId)),
            ...(audited.spamLimit === undefined ? [] : [{ text: audited.spamLimit, warning: true }]),
            ...(written ? [{ text: `Report: ${showText(written.path)}` }] : []),
          ],
          found: () => (exitCode ? findings.length : 0),
          failed: () => errorOf(about),
        };
        return outcomeOf(
          context,
          { ...record, checks, findings, setAside, ignored: accepted },
          columns,
          ending,
        );
      });
    });
  },
});

/** Returns the flags that select findings: `--wallet kraken`. */
function limitsOf(given: Readonly<Record<string, readonly string[] | undefined>>): string[] {
  return Object.entries(given).flatMap(([name, values]) =>
    (values ?? []).map((value) => `--${name} ${value}`),
  );
}

type Result = JsonRecord & { readonly findings: readonly JsonRecord[] };

/** For `-o json` without `--columns`, returns one record. For all other output, returns one row per finding. */
async function outcomeOf(
  context: Context,
  result: Result,
  chosen: readonly string[] | undefined,
  ending: Pick<Extract<Outcome, { kind: 'rows' }>, 'notes' | 'found' | 'failed'>,
): Promise<Outcome> {
  const format = await context.format();
  if (format === 'json' && chosen === undefined) {
    return { kind: 'record', record: result, columns: FINDING_COLUMNS, ...ending };
  }
  const none = 'No findings.';
  return { kind: 'rows', rows: result.findings, columns: FINDING_COLUMNS, chosen, none, ...ending };
}

/** Notes on the checks, shown below the findings. Without notes, an empty list would not show which checks could not run. */
function summaryNotes({ checks, legs }: Audited, open: number, aside: number, accepted: number): Note[] {
  const names = (status: string) =>
    checks.filter((check) => check.status === status).map(({ check }) => check);
  const passed = names('passed');
  const notPossible = checks.filter(({ status }) => status === 'not-possible');
  const limited = checks.filter(({ status, why }) => status === 'failed' && why !== null);
  return [
    { text: `${plural(legs, 'leg', 'legs')} checked: ${plural(open, 'finding', 'findings')}.` },
    ...(aside > 0
      ? [
          {
            text: `${plural(aside, 'finding was', 'findings were')} set aside (spam asset, or below --dust).`,
          },
        ]
      : []),
    ...(accepted > 0
      ? [{ text: `${plural(accepted, 'finding was', 'findings were')} accepted by --ignore.` }]
      : []),
    ...(passed.length > 0 ? [{ text: `Passed: ${passed.join(', ')}.` }] : []),
    ...[...notPossible, ...limited].map(({ check, status, why }) => ({
      text: `${status === 'failed' ? 'Limited' : 'Not possible'}: ${check}. ${why ?? ''}`,
      warning: true,
    })),
  ];
}

function goneNote(gone: readonly string[]): Note[] {
  if (gone.length === 0) return [];
  return [
    {
      text: `Accepted findings that no longer occur: ${gone.map(showText).join(', ')}. Remove them from the --ignore file.`,
      warning: true,
    },
  ];
}

/** Narrows the type. The flag accepts only names of checks, so an error here is a bug. */
function checkNamed(name: string) {
  const check = CHECKS.find((one) => one === name);
  if (check === undefined) throw new TypeError(`${name} is not a check`);
  return check;
}
