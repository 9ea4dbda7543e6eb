import { keys, money } from '../../api/columns.ts';
import { timeOf } from '../../api/ledgers.ts';
import { int, nullable, text } from '../../api/records.ts';
import { type Disposal, DisposalTotals, disposalOf } from '../../books/disposals.ts';
import { type Pair, pairKey, pairOf } from '../../books/pair.ts';
import type { Total } from '../../books/total.ts';
import { columnsFlagOf } from '../../cli/common-flags.ts';
import { verb } from '../../cli/define.ts';
import { SERVICE_EXITS } from '../../cli/exits.ts';
import type { Note } from '../../cli/outcome.ts';
import { listOf, made } from '../../cli/output.ts';
import type { JsonRecord } from '../../core/json.ts';
import { isWithin } from '../../core/span.ts';
import { count, plural, showText } from '../../core/text.ts';
import { readOnce, spool } from '../../export/spool.ts';
import type { Columns } from '../../formats/columns.ts';
import { isoText } from '../../formats/moments.ts';
import type { Accounts } from '../accounts.ts';
import { accountsOf, errorOf, sourceFlags, withBookLegs } from '../book-legs.ts';
import { emptyPeriodNotes } from '../leg-range.ts';
import { type GivenPairs, pairChoice, pairFields, pairFlags } from '../pair-choice.ts';
import { periodFlags } from '../period.ts';

const DISPOSAL = made({
  date: nullable(text),
  timestamp: nullable(int),
  acquired: nullable(text),
  ...pairFields,
  type: text,
  ...{
    quantity: nullable(text),
    proceeds: nullable(text),
    costbasis: nullable(text),
    profit: nullable(text),
  },
  baseCurrency: nullable(text),
  label: nullable(text),
  ledgerId: text,
  transactionId: text,
});

export const disposals = verb({
  name: 'disposals',
  summary: 'List disposals with proceeds, cost basis and profit',
  about: `Each line is an outgoing leg or a fee, and has at least one of these values: proceeds, cost basis, profit. All values come unchanged from the service. If an outgoing leg or a fee has none of these values, it is counted, but not listed. Such legs may be transfers. It is also possible that tax processing has not run yet.

The service does not provide acquisition dates, so the column "acquired" is empty. The command does not fill in tax forms.`,
  flags: { ...periodFlags, ...sourceFlags, ...pairFlags, columns: columnsFlagOf(() => DISPOSAL_COLUMNS) },
  examples: [
    { says: 'List the disposals in a year', line: 'cryptodata ledgers disposals --period 2025' },
    {
      says: 'Export the disposals in a fiscal year for a spreadsheet',
      line: 'cryptodata ledgers disposals --period 2025 --fiscal-year-start 04-06 -o csv > disposals.csv',
    },
  ],
  prints: `Records { date, timestamp (ms), acquired, walletId, wallet, assetId, symbol, type, quantity, proceeds, costbasis, profit, baseCurrency, label, ledgerId, transactionId }, sorted by time.
Amounts are decimal strings as served; null is unknown. acquired is always null.
On stderr: the sums for each currency, and the number of outgoing legs and fees that are not listed.`,
  output: [listOf(DISPOSAL)],
  exits: [...SERVICE_EXITS, 12],
  async run(context, { columns, wallet, asset, ...flags }) {
    context.progress().update('Reading legs');
    const accounts = await accountsOf(context, flags);
    return withBookLegs(context, flags, async (legs, about) => {
      const isChosen = await choiceIn(legs, { wallet, asset }, accounts);
      const totals = new DisposalTotals();
      const wallets = new Set<string>();
      let withoutFigures = 0;
      let untimed = 0;
      let inPeriod = 0;
      const found = async function* () {
        for await (const leg of legs) {
          if (!isWithin(timeOf(leg), about.period)) continue;
          inPeriod += 1;
          if (!isChosen(pairOf(leg))) continue;
          const disposal = disposalOf(leg);
          if (disposal === 'no figures') withoutFigures += 1;
          else if (disposal) {
            if (disposal.timestamp === null) untimed += 1;
            totals.add(disposal);
            wallets.add(disposal.walletId);
            yield disposalRecord(disposal, accounts, about.timeZone);
          }
        }
      };
      const rows = await spool(found());
      const empty = await emptyPeriodNotes(about, inPeriod);
      return {
        kind: 'rows',
        rows: readOnce(rows),
        columns: DISPOSAL_COLUMNS,
        chosen: columns,
        none: 'There are no disposals in the period.',
        notes: () => [
          ...empty,
          ...totalNotes(totals),
          ...gapNotes(withoutFigures, untimed),
          ...accounts.notes(wallets),
        ],
        failed: () => errorOf(about),
      };
    });
  },
});

/** With `--wallet` or `--asset`, first reads all legs: names can be resolved only when all wallets and assets are known. */
async function choiceIn(legs: AsyncIterable<JsonRecord>, given: GivenPairs, accounts: Accounts) {
  const pairs = new Map<string, Pair>();
  if (given.wallet || given.asset) for await (const leg of legs) pairs.set(pairKey(leg), pairOf(leg));
  return pairChoice(given, [...pairs.values()], accounts);
}

export function disposalRecord(disposal: Disposal, accounts: Accounts, timeZone: string): JsonRecord {
  const { timestamp, walletId, ...others } = disposal;
  return {
    date: isoText(timestamp, timeZone).slice(0, 10) || null,
    ...{ timestamp, acquired: null, walletId: walletId || null, wallet: accounts.nameOf(walletId) ?? null },
    ...others,
  };
}

function totalNotes(totals: DisposalTotals): Note[] {
  return totals.all().flatMap(({ baseCurrency, disposals, figures }) => {
    const currency = showText(baseCurrency ?? 'an unknown currency');
    const { proceeds, costbasis, profit } = figures;
    const gaps = Object.entries({ proceeds, 'cost basis': costbasis, profit })
      .filter(([, { unknown }]) => unknown > 0)
      .map(([name, { unknown }]) => `${name} ${count(unknown)}`);
    const shown = ({ sum }: Total) => sum?.toFixed() ?? 'unknown';
    const text = `${plural(disposals, 'disposal', 'disposals')} in ${currency}: proceeds ${shown(proceeds)}, cost basis ${shown(costbasis)}, profit ${shown(profit)}.`;
    if (gaps.length === 0) return [{ text }];
    return [
      { text },
      {
        text: `These sums are partial. Number of disposals without a value: ${gaps.join(', ')}.`,
        warning: true,
      },
    ];
  });
}

function gapNotes(withoutFigures: number, untimed: number): Note[] {
  return [
    ...(withoutFigures > 0
      ? [
          {
            text: `${plural(withoutFigures, 'outgoing leg or fee has', 'outgoing legs and fees have')} no cost basis, proceeds or profit, so ${withoutFigures === 1 ? 'it is' : 'they are'} not listed. Such legs may be transfers. It is also possible that tax processing has not run yet.`,
            warning: true,
          },
        ]
      : []),
    ...(untimed > 0
      ? [
          {
            text: `${plural(untimed, 'disposal has', 'disposals have')} no time and may belong to another period.`,
            warning: true,
          },
        ]
      : []),
  ];
}

export const DISPOSAL_COLUMNS: Columns = {
  table: [
    { key: 'date', whole: true },
    { key: 'symbol', header: 'asset' },
    { key: 'quantity', figure: true },
    money('costbasis', { header: 'cost basis', drop: 4 }),
    money('proceeds'),
    money('profit'),
    { key: 'baseCurrency', header: 'currency', drop: 3 },
    { key: 'wallet', derive: ({ wallet, walletId }) => wallet ?? walletId, drop: 1 },
    { key: 'ledgerId', drop: 2 },
  ],
  csv: keys(
    ...['date', 'timestamp', 'acquired', 'walletId', 'wallet', 'assetId', 'symbol', 'type'],
    ...['quantity', 'proceeds', 'costbasis', 'profit'],
    ...['baseCurrency', 'label', 'ledgerId', 'transactionId'],
  ),
};
