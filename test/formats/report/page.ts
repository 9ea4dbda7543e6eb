import { checkNamed } from '../../../src/books/audit/checks/index.ts';
import { statementOf } from '../../../src/books/audit/findings.ts';
import { auditLegs } from '../../../src/books/audit/index.ts';
import { reportFigures } from '../../../src/books/report.ts';
import { Scope } from '../../../src/books/scope.ts';
import type { JsonRecord } from '../../../src/core/json.ts';
import { isoText } from '../../../src/formats/moments.ts';
import { type ReportData, reportPage } from '../../../src/formats/report/index.ts';

/** Collects the report data for these legs, as `audit --report` does. */
export async function reportOf(
  legs: readonly JsonRecord[],
  more: Partial<ReportData> = {},
): Promise<ReportData> {
  const { period = {}, timeZone = 'UTC' } = more;
  const audited = await auditLegs(legs, { scope: new Scope({ period, now: Date.UTC(2026, 0, 1) }) });
  const figures = await reportFigures(legs, {
    period,
    dateOf: (timestamp) => isoText(timestamp, timeZone),
    findings: audited.findings,
    fromStart: true,
    isOwn: () => true,
    mostHistories: 6,
  });
  return {
    ...{ client: 'Studio Ada', preparedBy: undefined, date: '2026-01-02', files: [] },
    ...{
      period,
      fiscalYearStart: undefined,
      timeZone,
      unverified: undefined,
      statement: 'verified against totals',
      figures,
    },
    ...{ origin: [['Service', 'https://example.test']], limitedTo: [], accepted: [] },
    ...{ legs: audited.legs, findings: audited.findings, setAside: [] },
    checks: audited.checks.map((result) => ({ ...checkNamed(result.check), ...result })),
    findingsStatement: statementOf(audited.checks, 'below'),
    ...{ accountGaps: { problems: [], unknown: undefined, limits: [] }, sourceLimits: [] },
    noneMissing: 'None is missing.',
    nameOf: () => undefined,
    ...more,
  };
}

/** The page without the column headings, which each cell repeats for narrow screens. */
export function pageOf(data: ReportData): string {
  return [...reportPage(data)].join('').replace(/ data-label="[^"]*"/g, '');
}

const DAY = 86_400_000;
const START = Date.UTC(2025, 0, 1);

/** An incoming leg of 1 BTC with all fields, `at` days after 1 January 2025. `more` overrides fields. */
export function legOf(at: number, more: JsonRecord = {}): JsonRecord {
  return {
    ...{ id: `led_${at}`, transactionId: `txn_${at}`, timestamp: START + at * DAY, walletId: 'wal_1' },
    ...{ assetId: 'ast_1', asset: { symbol: 'BTC' }, type: 'incoming', quantity: '1', baseCurrency: 'USD' },
    ...{ beforeBalance: '0', afterBalance: '1', price: { price: 2, baseCurrency: 'USD' }, value: 2 },
    ...{ costbasis: '1', proceeds: '2', profit: '1', label: 'Purchase' },
    ...more,
  };
}
