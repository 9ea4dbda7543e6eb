import { keys } from '../../api/columns.ts';
import type { Audited } from '../../app/audit/audit.ts';
import { FINDING_COLUMNS, namedFinding } from '../../app/audit/columns.ts';
import { BALANCE_COLUMNS, balanceRecord } from '../../app/balance-lines.ts';
import { DISPOSAL_COLUMNS, disposalRecord, ownWallets } from '../../app/disposal-lines.ts';
import { lineRecord, ROLLFORWARD_COLUMNS } from '../../app/rollforward-lines.ts';
import { type Finding, PLACES } from '../../books/audit/findings.ts';
import { balancesAfter } from '../../books/balances.ts';
import { disposalOf, isProcessed } from '../../books/disposals.ts';
import type { Leg } from '../../books/leg.ts';
import { rollForward } from '../../books/rollforward.ts';
import { render } from '../../cli/render.ts';
import type { Context } from '../../context.ts';
import type { JsonRecord } from '../../core/json.ts';
import { isInPeriod, type Span } from '../../core/span.ts';
import { type Columns, viewOf } from '../../formats/columns.ts';
import type { Pack } from './pack.ts';

export interface AuditedLegs {
  readonly audited: Audited;
  readonly legs: AsyncIterable<Leg>;
}

/** Adds all CSV files except ledgers.csv. Each file contains the CSV output of the corresponding command. */
export async function addTables(
  context: Context,
  pack: Pack,
  { audited, legs, period }: AuditedLegs & { readonly period: Span },
): Promise<void> {
  const { accounts, findings, accepted, setAside } = audited;
  const { timeZone } = audited.about;
  const named = (found: readonly Finding[]) => found.map((finding) => namedFinding(finding, accounts));
  const add = (
    name: string,
    what: string,
    rows: AsyncIterable<JsonRecord> | Iterable<JsonRecord>,
    columns: Columns,
  ) =>
    pack.add(name, what, async (file) => {
      for await (const chunk of csvOf(context, timeZone, rows, columns)) await file.write(chunk);
    });
  await add(
    'findings.csv',
    'open audit findings, causes before consequences',
    named(findings),
    FINDING_COLUMNS,
  );
  await add(
    'checks.csv',
    `the status of each check (failed: findings are open), with the number of findings in each place (${PLACES.join(', ')})`,
    audited.checks,
    CHECK_COLUMNS,
  );
  if (setAside.length > 0) {
    const columns = { ...FINDING_COLUMNS, csv: [{ key: 'place' }, ...FINDING_COLUMNS.csv] };
    const what = 'findings on spam assets, and findings below the limit of --dust';
    await add('set-aside.csv', what, named(setAside), columns);
  }
  if (accepted.length > 0) {
    const columns = { ...FINDING_COLUMNS, csv: [{ key: 'reason' }, ...FINDING_COLUMNS.csv] };
    await add('accepted.csv', 'accepted findings, each with its reason', named(accepted), columns);
  }
  const lines = (await rollForward(legs, period)).lines();
  await add(
    'rollforward.csv',
    'opening + in − out − fees = closing, for each wallet and asset',
    lines.map((line) => lineRecord(line, accounts)),
    ROLLFORWARD_COLUMNS,
  );
  await add(
    'balances.csv',
    'the balance of each wallet and asset at the end of the period',
    (await balancesAfter(legs)).map((balance) => balanceRecord(balance, accounts)),
    BALANCE_COLUMNS,
  );
  const isOwn = ownWallets(lines, accounts);
  const disposals = async function* () {
    for await (const leg of legs) {
      const disposal = isInPeriod(leg.time, period) ? disposalOf(leg, isOwn) : undefined;
      if (disposal && isProcessed(leg)) yield disposalRecord(disposal, accounts, timeZone);
    }
  };
  await add(
    'disposals.csv',
    'each disposal with proceeds, cost basis and profit; the column "kind" marks fiat and transfers',
    disposals(),
    DISPOSAL_COLUMNS,
  );
}

function csvOf(
  { style, say }: Context,
  timeZone: string,
  rows: AsyncIterable<JsonRecord> | Iterable<JsonRecord>,
  columns: Columns,
): AsyncIterable<string | Uint8Array> {
  const options = { format: 'csv', view: viewOf(timeZone), style, say } as const;
  return render({ kind: 'rows', rows, columns, none: '' }, options);
}

const CHECK_COLUMNS: Columns = {
  table: [],
  csv: [
    ...keys('check', 'status', 'findings'),
    ...PLACES.map((key) => ({ key, derive: ({ counts }: JsonRecord) => Object(counts)[key] ?? null })),
    { key: 'why' },
  ],
};
