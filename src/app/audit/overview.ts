import { SEVERITIES, type Severity } from '../../books/audit/check.ts';
import { checkNamed } from '../../books/audit/checks/index.ts';
import { type CheckResult, countIn, type Finding, sharedLimits } from '../../books/audit/findings.ts';
import { minorUnits } from '../../books/journal/minor-units.ts';
import type { Part } from '../../cli/outcome.ts';
import { exact } from '../../core/decimal.ts';
import type { JsonRecord } from '../../core/json.ts';
import { count, plural } from '../../core/text.ts';
import type { Columns } from '../../formats/columns.ts';
import { isoText } from '../../formats/moments.ts';
import { roundFigure } from '../../formats/round-figure.ts';
import { renderTable } from '../../formats/table.ts';
import { FINDING_COLUMNS } from './columns.ts';

/** Number of findings in a table, unless the user asks for more. */
const MOST_SHOWN = 20;

/** Returns the tables of an audit: one line for each check, then the most important findings. */
export function overview(
  results: readonly CheckResult[],
  findings: readonly Finding[],
  {
    named,
    all,
    timeZone,
  }: { readonly named: (finding: Finding) => JsonRecord; readonly all: boolean; readonly timeZone: string },
): Part[] {
  const shown = mostImportant(findings, all ? findings.length : MOST_SHOWN);
  // A check limits its list of findings, but counts all findings.
  const open = countIn(results, 'open');
  const isWhole = shown.length === open;
  const part = all ? count(shown.length) : `The ${count(shown.length)} most important`;
  const shared = sharedLimits(results);
  const listed = `${part} of ${plural(open, 'open finding', 'open findings')}`;
  return [
    {
      title: 'Checks',
      rows: results.map((result) => checkLine(result, shared.ownOf(result), timeZone)),
      columns: CHECK_COLUMNS,
      ...(shared.texts.length > 0 ? { below: shared.texts.join(' ') } : {}),
    },
    ...(findings.length === 0
      ? []
      : [
          {
            title: isWhole ? 'Open findings' : listed,
            rows: shown.map(named),
            columns: FINDING_COLUMNS,
            ...(shown.length === findings.length
              ? {}
              : { below: 'To see the others, use --all, --check NAME or -o csv.' }),
          },
        ]),
  ];
}

/**
 * Returns the most important findings: errors before warnings, and findings of one severity in the given order. Takes one
 * finding of each check in turn, so that a check with many findings does not hide the others. Within a check, takes the
 * findings with the largest known values.
 */
export function mostImportant(findings: readonly Finding[], most: number): Finding[] {
  const places = new Map<string, number>();
  const turns = new Map<Finding, number>();
  for (const finding of [...findings].sort(byValue(findings))) {
    const group = `${finding.check} ${finding.severity}`;
    const turn = places.get(group) ?? 0;
    places.set(group, turn + 1);
    turns.set(finding, turn);
  }
  const rank = ({ severity }: Finding) => SEVERITIES.indexOf(severity);
  const turn = (finding: Finding) => turns.get(finding) ?? 0;
  const chosen = new Set(
    [...findings].sort((left, right) => rank(left) - rank(right) || turn(left) - turn(right)).slice(0, most),
  );
  return findings.filter((finding) => chosen.has(finding)).sort((left, right) => rank(left) - rank(right));
}

/**
 * Compares findings by value. If the findings have several currencies, all findings compare as equal, so a sort keeps their
 * order.
 */
function byValue(findings: readonly Finding[]): (left: Finding, right: Finding) => number {
  const values = new Map(findings.map((finding) => [finding, exact(finding.value)]));
  const currencies = new Set(
    findings.flatMap(({ value, baseCurrency }) => (value === null ? [] : [baseCurrency])),
  );
  if (currencies.size > 1) return () => 0;
  return (left, right) => {
    const [one, other] = [values.get(left) ?? null, values.get(right) ?? null];
    if (one === null || other === null) return Number(one === null) - Number(other === null);
    return other.comparedTo(one);
  };
}

function checkLine(
  { check, status, counts, severity, wallets, assets, atStake }: CheckResult,
  limit: string | null,
  timeZone: string,
): JsonRecord {
  const concerned = [
    ...(wallets > 0 ? [plural(wallets, 'account', 'accounts')] : []),
    ...(assets > 0 ? [plural(assets, 'asset', 'assets')] : []),
  ];
  const advice = [...(counts.open > 0 ? [checkNamed(check).fix] : []), ...(limit === null ? [] : [limit])];
  return {
    ...{ state: stateOf(status, severity), check, findings: counts.open > 0 ? counts.open : null },
    concerned: concerned.join(', ') || null,
    atStake: stakesText(atStake, timeZone),
    advice: advice.join(' ') || null,
  };
}

/** Characters per line of README.txt. */
const WIDTH = 100;

/** The lines of {@link overview} for all checks, for a text file. Omits the reasons why something could not be checked. */
export function checksText(results: readonly CheckResult[], timeZone: string): string {
  const style = { terminal: false, colour: false, width: WIDTH };
  return renderTable(
    results.map((result) => checkLine(result, null, timeZone)),
    CHECK_COLUMNS.table,
    { view: { timeZone }, style },
  ).text;
}

/** The severity of a check that has open findings. For any other check, its status. */
function stateOf(status: CheckResult['status'], severity: Severity | null): string {
  return severity ?? status;
}

type Stake = CheckResult['atStake'][number];

export function stakeText({ value, baseCurrency }: Pick<Stake, 'value' | 'baseCurrency'>): string {
  return `${roundFigure(value, minorUnits(baseCurrency))} ${baseCurrency}`;
}

function stakesText(stakes: readonly Stake[], timeZone: string): string | null {
  const texts = stakes.map(({ oldestPriceAt, ...stake }) => {
    const price = oldestPriceAt === undefined ? '' : ` (oldest price: ${dayText(oldestPriceAt, timeZone)})`;
    return stakeText(stake) + price;
  });
  return texts.join(', ') || null;
}

function dayText(time: number, timeZone: string): string {
  return isoText(time, timeZone).slice(0, 10);
}

const CHECK_COLUMNS: Columns = {
  table: [
    { key: 'state', header: 'status', state: true, whole: true },
    { key: 'check', whole: true },
    { key: 'findings', figure: true },
    { key: 'concerned', header: 'concerns', drop: 1 },
    { key: 'atStake', header: 'at stake', whole: true },
    { key: 'advice', header: 'what to do', sentence: true },
  ],
  csv: [],
};
