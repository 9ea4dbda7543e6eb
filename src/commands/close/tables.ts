import { keys } from '../../api/columns.ts';
import { balancesAfter } from '../../books/balances.ts';
import { disposalOf, hasFigures } from '../../books/disposals.ts';
import { Leg } from '../../books/leg.ts';
import { rollForward } from '../../books/rollforward.ts';
import { render } from '../../cli/render.ts';
import type { Context } from '../../context.ts';
import type { JsonRecord } from '../../core/json.ts';
import { isWithin, type Span } from '../../core/span.ts';
import { type Columns, viewOf } from '../../formats/columns.ts';
import type { Accounts } from '../accounts.ts';
import type { Audited } from '../audit/audit.ts';
import { FINDING_COLUMNS } from '../audit/columns.ts';
import type { ShownFindings } from '../audit/ignored.ts';
import { BALANCE_COLUMNS, balanceRecord } from '../balances/list.ts';
import { DISPOSAL_COLUMNS, disposalRecord, ownWallets } from '../ledgers/disposals.ts';
import { lineRecord, ROLLFORWARD_COLUMNS } from '../ledgers/rollforward.ts';
import type { Pack } from './pack.ts';

export interface Books {
  readonly audited: Audited;
  readonly shown: ShownFindings;
  readonly accounts: Accounts;
  readonly legs: AsyncIterable<JsonRecord>;
}

/** Adds all CSV files except ledgers.csv. Each file contains the CSV output of the corresponding command. */
export async function addTables(
  context: Context,
  pack: Pack,
  { audited, shown, accounts, legs, period }: Books & { readonly period: Span },
): Promise<void> {
  const { timeZone } = audited.about;
  const add = (
    name: string,
    what: string,
    rows: AsyncIterable<JsonRecord> | Iterable<JsonRecord>,
    columns: Columns,
  ) =>
    pack.add(name, what, async (file) => {
      for await (const chunk of csvOf(context, timeZone, rows, columns)) await file.write(chunk);
    });
  await add('findings.csv', 'audit findings, causes before consequences', shown.open, FINDING_COLUMNS);
  await add(
    'checks.csv',
    'the status of each check: passed, failed or not possible',
    audited.checks,
    CHECK_COLUMNS,
  );
  if (shown.accepted.length > 0) {
    const columns = { ...FINDING_COLUMNS, csv: [{ key: 'reason' }, ...FINDING_COLUMNS.csv] };
    await add('accepted.csv', 'accepted findings, each with its reason', shown.accepted, columns);
  }
  const lines = await rollForward(legs, period);
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
    for await (const record of legs) {
      const leg = new Leg(record);
      const disposal = isWithin(leg.time, period) ? disposalOf(leg, isOwn) : undefined;
      if (disposal && hasFigures(disposal)) yield disposalRecord(disposal, accounts, timeZone);
    }
  };
  await add(
    'disposals.csv',
    'each disposal with proceeds, cost basis and profit; the column kind marks money and transfers',
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
  csv: keys('check', 'status', 'findings', 'why'),
};
