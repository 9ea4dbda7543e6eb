import { keys } from '../../api/columns.ts';
import { timeOf } from '../../api/ledgers.ts';
import type { Finding } from '../../books/audit/finding.ts';
import { balancesAfter } from '../../books/balances.ts';
import { disposalOf } from '../../books/disposals.ts';
import { rollForward } from '../../books/rollforward.ts';
import { render } from '../../cli/render.ts';
import type { Context } from '../../context.ts';
import type { JsonRecord } from '../../core/json.ts';
import { isWithin, type Span } from '../../core/span.ts';
import { type Columns, viewOf } from '../../formats/columns.ts';
import type { Accounts } from '../accounts.ts';
import type { Audited } from '../audit/audit.ts';
import { FINDING_COLUMNS } from '../audit/columns.ts';
import type { split } from '../audit/ignored.ts';
import { BALANCE_COLUMNS, balanceRecord } from '../balances/list.ts';
import { DISPOSAL_COLUMNS, disposalRecord } from '../ledgers/disposals.ts';
import { lineRecord, ROLLFORWARD_COLUMNS } from '../ledgers/rollforward.ts';
import type { Pack } from './pack.ts';

/** Open and accepted findings, and accepted ids that no longer occur. */
export type Parts = ReturnType<typeof split>;

/** What the tables and the report of a filing pack are made from. */
export interface Books {
  readonly audited: Audited;
  readonly parts: Parts;
  readonly accounts: Accounts;
  readonly legs: AsyncIterable<JsonRecord>;
}

/** Adds every CSV but the ledgers: each has the rows and columns that the command of its name prints. */
export async function addTables(
  context: Context,
  pack: Pack,
  { audited, parts, accounts, legs, period }: Books & { readonly period: Span },
): Promise<void> {
  const { timeZone } = audited.about;
  const add = (
    name: string,
    what: string,
    rows: AsyncIterable<JsonRecord> | Iterable<JsonRecord>,
    columns: Columns,
  ) => pack.add(name, what, csvOf(context, timeZone, rows, columns));
  const named = namedBy(accounts);
  await add('findings.csv', 'what the audit found, causes first', parts.open.map(named), FINDING_COLUMNS);
  await add('checks.csv', 'each check: passed, failed or not possible', audited.checks, CHECK_COLUMNS);
  if (parts.ignored.length > 0) {
    const rows = parts.ignored.map((finding) => ({ ...named(finding), reason: finding.reason }));
    const columns = { ...FINDING_COLUMNS, csv: [{ key: 'reason' }, ...FINDING_COLUMNS.csv] };
    await add('accepted.csv', 'findings that were accepted, with the reason', rows, columns);
  }
  await add(
    'rollforward.csv',
    'opening + in − out − fees = closing, for each wallet and asset',
    (await rollForward(legs, period)).map((line) => lineRecord(line, accounts)),
    ROLLFORWARD_COLUMNS,
  );
  await add(
    'balances.csv',
    'the balance of each wallet and asset at the end of the period',
    (await balancesAfter(legs)).map((balance) => balanceRecord(balance, accounts)),
    BALANCE_COLUMNS,
  );
  const disposals = async function* () {
    for await (const leg of legs) {
      const disposal = isWithin(timeOf(leg), period) ? disposalOf(leg) : undefined;
      if (disposal && disposal !== 'no figures') yield disposalRecord(disposal, accounts, timeZone);
    }
  };
  await add(
    'disposals.csv',
    'each disposal with proceeds, cost basis and profit',
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

export function namedBy(
  accounts: Accounts,
): (finding: Finding) => Finding & { readonly wallet: string | null } {
  return (finding) => ({ ...finding, wallet: accounts.nameOf(finding.walletId) ?? null });
}

const CHECK_COLUMNS: Columns = {
  table: [],
  csv: keys('check', 'status', 'findings', 'why'),
};
