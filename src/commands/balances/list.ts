import { keys } from '../../api/columns.ts';
import { int, nullable, text as string } from '../../api/records.ts';
import type { Accounts } from '../../app/accounts.ts';
import { BALANCE, BALANCE_COLUMNS, balanceRecord } from '../../app/balance-lines.ts';
import {
  accountsOf,
  allWallets,
  type BookLegs,
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
import { daysText } from '../../app/period.ts';
import { assetKey } from '../../books/asset.ts';
import { type AssetBalance, type Balance, balancesAfter, balancesByAsset } from '../../books/balances.ts';
import { figureOf } from '../../books/figure.ts';
import { columnsFlagOf } from '../../cli/common-flags.ts';
import { verb } from '../../cli/define.ts';
import { SERVICE_EXITS } from '../../cli/exits.ts';
import { textFlag, toggle } from '../../cli/flags.ts';
import type { Note } from '../../cli/outcome.ts';
import { listOf, made } from '../../cli/output.ts';
import { exact } from '../../core/decimal.ts';
import { usageError } from '../../core/errors.ts';
import { assetNames } from '../../core/look-alikes.ts';
import { FLAG_NAMES } from '../../core/period.ts';
import { count, plural, showText } from '../../core/text.ts';
import { type Bar, type BarGroup, barChart } from '../../formats/chart.ts';
import type { Columns } from '../../formats/columns.ts';
import { isoText } from '../../formats/moments.ts';

const ASSET_BALANCE = {
  assetId: nullable(string),
  symbol: string,
  wallets: int,
  legs: int,
  balance: nullable(string),
  known: nullable(string),
  unknownWallets: nullable(int),
};

export const listBalances = verb({
  name: 'list',
  summary: 'List the balance of each wallet and asset, now or at the end of a day',
  about: `A balance is the service's running balance after the last leg up to --as-of. If this running balance is missing, the balance is unknown, not 0. The field "lastKnown" then contains the last balance that the service returned. The command reads every leg up to --as-of, and shows whether the legs were verified.

--chart draws a separate chart for each asset, with a bar for each wallet. Quantities of different assets cannot be compared.

To list the balances that the service calculates, use "cryptodata holdings balances".`,
  flags: {
    asOf: textFlag('--as-of <time>', 'time of the balances; a day means the end of that day (default: now)'),
    ...sourceFlags,
    ...pairFlags,
    by: byFlag,
    hideZero: toggle('--hide-zero', 'omit balances of 0'),
    columns: columnsFlagOf(() => BALANCE_COLUMNS),
    chart: chartFlag,
  },
  examples: {
    'List the balances at the end of a year': 'cryptodata balances --as-of 2025-12-31',
    'Write the total balance of each asset to a file':
      'cryptodata balances --as-of 2025-12-31 --by asset -o csv > balances.csv',
    'List the balances of an exported file, offline': 'cryptodata balances --file ledgers.csv',
  },
  prints: `Records { walletId, wallet, assetId, symbol, legs, balance, lastLegAt (ms), ledgerId, lastKnown, lastKnownAt (ms) }.
With --by asset: { assetId, symbol, wallets, legs, balance, known, unknownWallets }. "balance" is null if the balance of any wallet is unknown. "known" is the sum of the known balances. A file without legs from before its period may lack wallets, so "balance" and "unknownWallets" are null.
Balances are exact decimal strings. An unknown balance is null.`,
  output: [listOf(made(BALANCE)), listOf(made(ASSET_BALANCE), 'with --by asset')],
  exits: [...SERVICE_EXITS, 12],
  reads: true,
  async run(context, { asOf, file, mirror, by, hideZero, columns, chart, ...names }) {
    const style = chart ? await chartStyleOf(context, { columns }) : undefined;
    if (style && by === 'asset') {
      throw usageError(
        '--chart cannot be combined with --by asset, because quantities of different assets cannot be compared',
        'Omit --by.',
      );
    }
    context.progress().update('Reading legs');
    const accounts = await accountsOf(context, { file, mirror, snapshot: names.snapshot });
    const spanNames = { ...FLAG_NAMES, from: '--as-of', to: '--as-of' };
    const time = { from: undefined, to: asOf, period: undefined, spanNames };
    return withBookLegs(context, { ...time, ...names, file, mirror }, async (legs, about) => {
      const all = await balancesAfter(legs);
      const isChosen = pairChoice(names, all, accounts);
      const chosen = all.filter(isChosen);
      const balances = by === 'asset' ? balancesByAsset(chosen, allWallets(about, names)) : chosen;
      const shown = balances.filter(({ balance }) => !(hideZero && exact(balance)?.isZero()));
      const hidden = balances.length - shown.length;
      const none = hidden > 0 ? 'Every balance is 0.' : 'No balances.';
      const again = await legFlags(context, { file, mirror, to: asOf, ...names });
      const empty = await emptyPeriodNotes(about, all.length, chosen.length, 'up to the requested time');
      const ending = {
        notes: () => [
          ...empty,
          ...balanceNotes(balances, hidden, `cryptodata audit${again}`),
          ...openNotes(chosen, accounts, about),
          ...untimedNotes(
            chosen.reduce((sum, { untimed }) => sum + untimed, 0),
            {},
          ),
          ...futureNote(about, context.now()),
          ...faultNotes(about.faults, isChosen),
          ...startNotes(about),
          ...accounts.notes(
            all.map(({ walletId }) => walletId),
            shown.flatMap((balance) => ('walletId' in balance ? balance.walletId : [])),
          ),
        ],
        summary: () => ({
          time: about.period.to === undefined ? 'now' : daysText(about.period, about.timeZone),
          ...{ balances: balances.length, unknown: unknownIn(balances), negative: negativeIn(balances) },
          verified: about.unverified() === undefined,
        }),
        failed: () => unverifiedErrorOf(about),
      };
      if (style) {
        const groups = walletBars(shown, accounts);
        return chartOutcome(groups.length === 0 ? `${none}\n` : barChart(groups, style), ending);
      }
      return {
        ...ending,
        kind: 'rows',
        rows: shown.map((balance) =>
          'walletId' in balance ? balanceRecord(balance, accounts) : { ...balance },
        ),
        columns: by === 'asset' ? ASSET_COLUMNS : BALANCE_COLUMNS,
        none,
      };
    });
  },
});

/** Returns a group for each asset, with a bar for each wallet. */
function walletBars(balances: Balances, accounts: Accounts): BarGroup[] {
  const nameOf = assetNames(balances);
  const assets = new Map<string, { title: string; bars: Bar[] }>();
  for (const balance of balances) {
    if (!('walletId' in balance)) continue;
    const { walletId } = balance;
    const key = assetKey(balance);
    const asset = assets.get(key) ?? { title: nameOf(balance), bars: [] };
    assets.set(key, asset);
    asset.bars.push({ name: accounts.nameOf(walletId) ?? walletId, value: figureOf(balance.balance) });
  }
  return [...assets.values()];
}

type Balances = readonly (Balance | AssetBalance)[];

function unknownIn(balances: Balances): number {
  return balances.filter(({ balance }) => balance === null).length;
}

function negativeIn(balances: Balances): number {
  return balances.filter(({ balance }) => exact(balance)?.lessThan(0)).length;
}

function balanceNotes(balances: Balances, hidden: number, audit: string): Note[] {
  const unknown = unknownIn(balances);
  const negative = negativeIn(balances);
  return [
    {
      text: `${plural(balances.length, 'balance', 'balances')}${hidden > 0 ? ` (${plural(hidden, 'zero balance', 'zero balances')} hidden)` : ''}.`,
    },
    ...(unknown > 0
      ? [{ text: `${plural(unknown, 'balance is', 'balances are')} unknown.`, warning: true }]
      : []),
    ...(negative > 0
      ? [
          {
            text: `${plural(negative, 'balance is', 'balances are')} negative. Find the causes, also of balances that were negative earlier: ${audit}`,
            warning: true,
          },
        ]
      : []),
  ];
}

/** Maximum number of balances to name in notes. */
const MOST_NAMED = 5;

/** Explains why a balance with running balances from the service is unknown. */
function openNotes(balances: readonly Balance[], accounts: Accounts, { timeZone }: BookLegs): Note[] {
  const nameOf = assetNames(balances);
  const open = balances.filter(({ openLegs }) => openLegs > 0);
  const notes = open.slice(0, MOST_NAMED).map((balance) => {
    const { openLegs, walletId, lastLegAt } = balance;
    const what = showText(`${nameOf(balance)} in ${accounts.nameOf(walletId) ?? walletId}`);
    const at = isoText(lastLegAt, timeZone) || lastLegAt;
    const text = `The order of ${count(openLegs)} legs of ${what} at ${at} is unknown, so the balance is unknown.`;
    return { text, warning: true };
  });
  const more = open.length - notes.length;
  if (more === 0) return notes;
  const text = `${plural(more, 'other balance is', 'other balances are')} unknown for the same reason.`;
  return [...notes, { text, warning: true }];
}

function futureNote({ period }: BookLegs, now: number): Note[] {
  if (period.to === undefined || period.to <= now) return [];
  return [{ text: '--as-of is in the future, so the current balances are shown.', warning: true }];
}

const ASSET_COLUMNS: Columns = {
  table: [
    { key: 'symbol', header: 'asset' },
    { key: 'balance', figure: true },
    { key: 'wallets', figure: true },
    { key: 'unknownWallets', header: 'unknown', figure: true },
    { key: 'legs', figure: true },
  ],
  csv: keys('assetId', 'symbol', 'wallets', 'legs', 'balance', 'known', 'unknownWallets'),
};
