import type { Accounts } from '../../app/accounts.ts';
import {
  accountsOf,
  allWallets,
  sourceFlags,
  startNotes,
  unverifiedErrorOf,
  withBookLegs,
} from '../../app/book-legs.ts';
import { chartFlag, chartOutcome, chartStyleOf } from '../../app/chart.ts';
import { faultNotes } from '../../app/fault-notes.ts';
import { legFlags } from '../../app/leg-flags.ts';
import { emptyPeriodNotes, untimedNotes } from '../../app/leg-range.ts';
import { byFlag, pairChoice, pairFlags } from '../../app/pair-choice.ts';
import { daysText, periodFlags } from '../../app/period.ts';
import { LINE, lineRecord, partialNotes, ROLLFORWARD_COLUMNS } from '../../app/rollforward-lines.ts';
import { assetKey } from '../../books/asset.ts';
import { type RollForwardLine, rollForward } from '../../books/rollforward.ts';
import { columnsFlagOf } from '../../cli/common-flags.ts';
import { verb } from '../../cli/define.ts';
import { SERVICE_EXITS } from '../../cli/exits.ts';
import { toggle } from '../../cli/flags.ts';
import { type Note, warning } from '../../cli/outcome.ts';
import { listOf } from '../../cli/output.ts';
import { assetNames } from '../../core/look-alikes.ts';
import { count, plural, showText, someOf } from '../../core/text.ts';
import type { Column, Columns } from '../../formats/columns.ts';
import { rollForwardChart } from './rollforward-chart.ts';

export const rollforward = verb({
  name: 'rollforward',
  summary: 'Roll balances forward: opening + in − out − fees = closing',
  about:
    'Each line shows one wallet and asset. Value, cost basis, proceeds and profit are sums of the values that the service provides for each leg, whatever its type. A balance that the service does not provide is unknown, never 0. A line that does not add up shows the difference. With --by asset, a line adds up only if each of its wallets does.\n\n--chart draws each balance over the period. With --by asset, the chart adds up the wallets of each asset. The chart marks each part of the period in which the balance falls below zero. The chart also marks each part that ends with an unknown balance.',
  flags: {
    ...periodFlags,
    ...sourceFlags,
    ...pairFlags,
    by: byFlag,
    exitCode: toggle('--exit-code', 'exit with 10 if a line does not add up'),
    columns: columnsFlagOf(() => ROLLFORWARD_COLUMNS),
    chart: chartFlag,
  },
  examples: {
    'Roll forward the balances of a quarter': 'cryptodata ledgers rollforward --period 2025-Q3',
    'Draw the balance of an asset over time':
      'cryptodata ledgers rollforward --period 2025 --asset BTC --chart',
    'Export one line per asset for a spreadsheet':
      'cryptodata ledgers rollforward --period 2025 --by asset -o csv > rollforward.csv',
  },
  prints: `Records { walletId, wallet, assetId, symbol, legs, opening, in, out, fees, closing, difference, tiesOut, baseCurrency, value, costbasis, proceeds, profit, valueUnknown, costbasisUnknown, proceedsUnknown, profitUnknown, byCurrency }.
If a line has values in several currencies, its sums are null. byCurrency then contains { baseCurrency, value, valueUnknown, … } for each currency, and is null for other lines.
valueUnknown and the other *Unknown fields count the legs without that value. Quantities are exact decimal strings. null is unknown.`,
  output: [listOf(LINE)],
  exits: [...SERVICE_EXITS, 10, 12],
  reads: true,
  async run(context, { by, exitCode, columns, chart, wallet, asset, ...flags }) {
    const style = chart ? await chartStyleOf(context, { columns }) : undefined;
    context.progress().update('Reading legs');
    const accounts = await accountsOf(context, flags);
    return withBookLegs(context, { ...flags, wallet, asset }, async (legs, about) => {
      const books = await rollForward(legs, about.period);
      const all = books.lines();
      const isChosen = pairChoice({ wallet, asset }, all, accounts);
      const hasAll = allWallets(about, { wallet });
      const shown = by === 'asset' ? books.linesByAsset(isChosen, hasAll) : books.lines(isChosen);
      const inPeriod = legsIn(all);
      const again = await legFlags(context, { ...flags, wallet, asset });
      const nameOf = lineNames(shown, accounts);
      const empty = await emptyPeriodNotes(about, inPeriod, legsIn(shown));
      const wrong = shown.filter(({ tiesOut }) => tiesOut === false);
      const unknown = shown.filter(({ tiesOut }) => tiesOut === null);
      const ending = {
        notes: () => [
          ...empty,
          ...tieNotes(shown, { wrong, unknown: unknown.length }, nameOf, `cryptodata audit${again}`),
          ...untimedNotes(books.untimed(isChosen), about.period),
          ...faultNotes(about.faults, isChosen),
          ...currencyNotes(shown, nameOf),
          ...partialNotes(shown),
          ...startNotes(about),
          ...accounts.notes(walletsOf(all), by === 'asset' ? [] : walletsOf(all.filter(isChosen))),
        ],
        summary: () => ({
          period: daysText(about.period, about.timeZone),
          ...{
            legs: legsIn(shown),
            lines: shown.length,
            doNotAddUp: wrong.length,
            cannotBeChecked: unknown.length,
            verified: about.unverified() === undefined,
          },
        }),
        found: () => (exitCode ? wrong.length : 0),
        failed: () => unverifiedErrorOf(about),
      };
      if (style) {
        const pairs = books.lines(isChosen);
        const drawn = shown.map((line) => {
          if (by !== 'asset') return { line, pairs: [line], hasAll: true };
          const own = pairs.filter((pair) => assetKey(pair) === assetKey(line));
          return { line, pairs: own, hasAll: hasAll(own.length) };
        });
        return chartOutcome(await rollForwardChart(drawn, legs, { about, nameOf, style }), ending);
      }
      return {
        ...ending,
        kind: 'rows',
        rows: shown.map((line) => lineRecord(line, accounts)),
        columns: by === 'asset' ? withoutWallet(ROLLFORWARD_COLUMNS) : ROLLFORWARD_COLUMNS,
        none: '',
      };
    });
  },
});

function walletsOf(lines: readonly RollForwardLine[]): string[] {
  return lines.map(({ walletId }) => walletId);
}

/** The number of legs in the period. */
function legsIn(lines: readonly RollForwardLine[]): number {
  return lines.reduce((sum, { legs }) => sum + legs, 0);
}

type NameOf = (line: RollForwardLine) => string;

/** Returns a function that names a line by asset and wallet. */
function lineNames(lines: readonly RollForwardLine[], accounts: Accounts): NameOf {
  const assetOf = assetNames(lines);
  return (line) => {
    const { walletId } = line;
    const wallet = walletId === '' ? '' : ` in ${accounts.nameOf(walletId) ?? walletId}`;
    return showText(`${assetOf(line)}${wallet}`);
  };
}

function currencyNotes(lines: readonly RollForwardLine[], nameOf: NameOf): Note[] {
  const mixed = lines.filter(({ byCurrency }) => byCurrency.length > 0);
  if (mixed.length === 0) return [];
  const names = mixed.map((line) => {
    const currencies = line.byCurrency.map(({ baseCurrency }) => baseCurrency);
    return `${nameOf(line)} (${showText(currencies.join(' and '))})`;
  });
  const text = `Values in several currencies are not added up: ${someOf(names)}. The sums of each currency are in the field byCurrency of -o json and -o csv.`;
  return [warning(text)];
}

/** @param of the lines that do not add up (`wrong`), and the number of lines that cannot be checked (`unknown`) */
function tieNotes(
  lines: readonly RollForwardLine[],
  { wrong, unknown }: { readonly wrong: readonly RollForwardLine[]; readonly unknown: number },
  nameOf: NameOf,
  audit: string,
): Note[] {
  if (lines.length === 0) return [];
  const right = lines.length - wrong.length - unknown;
  const text = `${count(right)} of ${plural(lines.length, 'line adds', 'lines add')} up.`;
  return [
    { text },
    ...(wrong.length > 0
      ? [
          warning(
            `${plural(wrong.length, 'line does', 'lines do')} not add up: ${someOf(wrong.map(nameOf))}. Find out why: ${audit}`,
          ),
        ]
      : []),
    ...(unknown > 0
      ? [
          warning(
            `${plural(unknown, 'line', 'lines')} cannot be checked, because a balance or a quantity is unknown.`,
          ),
        ]
      : []),
  ];
}

function withoutWallet({ table, csv }: Columns): Columns {
  const isOther = ({ key }: Column) => key !== 'wallet' && key !== 'walletId';
  return { table: table.filter(isOther), csv: csv.filter(isOther) };
}
