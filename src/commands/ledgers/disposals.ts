import { accountsOf, sourceFlags, unverifiedErrorOf, withBookLegs } from '../../app/book-legs.ts';
import {
  DISPOSAL,
  DISPOSAL_COLUMNS,
  disposalRecord,
  kindNotes,
  ownWallets,
} from '../../app/disposal-lines.ts';
import { faultNotes } from '../../app/fault-notes.ts';
import { legFlags } from '../../app/leg-flags.ts';
import { emptyPeriodNotes, untimedNotes } from '../../app/leg-range.ts';
import { pairChoice, pairFlags } from '../../app/pair-choice.ts';
import { daysText, periodFlags } from '../../app/period.ts';
import type { Amount } from '../../books/amount.ts';
import { type Pair, PairMap } from '../../books/asset.ts';
import { unmatchedTransfer } from '../../books/audit/checks/unmatched-transfer.ts';
import { Coverage } from '../../books/coverage.ts';
import {
  DISPOSAL_KINDS,
  type Disposal,
  DisposalTotals,
  disposalOf,
  isProcessed,
  Profits,
  reconciled,
} from '../../books/disposals.ts';
import type { Leg } from '../../books/leg.ts';
import { columnsFlagOf } from '../../cli/common-flags.ts';
import { verb } from '../../cli/define.ts';
import { SERVICE_EXITS } from '../../cli/exits.ts';
import { listFlag, toggle } from '../../cli/flags.ts';
import { type Note, warning } from '../../cli/outcome.ts';
import { listOf } from '../../cli/output.ts';
import { ZERO } from '../../core/decimal.ts';
import type { JsonRecord } from '../../core/json.ts';
import { isInPeriod, isUnlimited, type OpenSpan } from '../../core/span.ts';
import { count, plural, showText } from '../../core/text.ts';
import { readOnce, spoolRows } from '../../export/spool.ts';
import { isoText } from '../../formats/moments.ts';

export const disposals = verb({
  name: 'disposals',
  summary: 'List disposals with proceeds, cost basis and profit',
  about: `Each line is a leg that is not incoming, and has at least one of these values: proceeds, cost basis, profit. All values come unchanged from the service. "kind" is the kind of the leg:
  disposal: an outgoing leg or a fee
  fiat: an outgoing leg or a fee in fiat money, such as euros
  transfer: an outgoing leg to another of your wallets
  unknown: a leg that is neither incoming nor outgoing nor a fee
All kinds are listed, but only disposals are added up. "mismatch" is true if the profit differs from the proceeds minus the cost basis. A leg without proceeds, cost basis and profit is counted, but listed only with --unprocessed.

The service does not provide acquisition dates, so the column "acquired" is empty. The command does not fill in tax forms.`,
  flags: {
    ...periodFlags,
    ...sourceFlags,
    ...pairFlags,
    include: listFlag(
      '--include <kinds>',
      `only these kinds: ${DISPOSAL_KINDS.join(', ')} (default: all)`,
      DISPOSAL_KINDS,
    ),
    unprocessed: toggle('--unprocessed', 'list only the legs without proceeds, cost basis and profit'),
    columns: columnsFlagOf(() => DISPOSAL_COLUMNS),
  },
  examples: {
    'List the disposals in a year': 'cryptodata ledgers disposals --period 2025',
    'Export the disposals in a fiscal year for a spreadsheet':
      'cryptodata ledgers disposals --period 2025 --fiscal-year-start 04-06 -o csv > disposals.csv',
    'List only disposals, without transfers and fiat':
      'cryptodata ledgers disposals --period 2025 --include disposal',
    'List the disposals that have neither a cost basis nor proceeds nor a profit':
      'cryptodata ledgers disposals --period 2025 --include disposal --unprocessed',
  },
  prints: `Records { date, timestamp (ms), acquired, walletId, wallet, assetId, symbol, type, kind, quantity, proceeds, costbasis, profit, mismatch, baseCurrency, label, ledgerId, transactionId }, sorted by time.
kind: disposal|fiat|transfer|unknown. Amounts are decimal strings as served; null is unknown. mismatch is true if profit differs from proceeds minus costbasis, and null if this is unknown. acquired is always null.
On stderr: the sums of the disposals for each currency, how they differ from the profit of all legs, the number of lines of other kinds, and the number of legs of each kind that are not listed.`,
  output: [listOf(DISPOSAL)],
  exits: [...SERVICE_EXITS, 12],
  reads: true,
  async run(context, { wallet, asset, include, unprocessed, ...flags }) {
    context.progress().update('Reading legs');
    const accounts = await accountsOf(context, flags);
    return withBookLegs(context, { ...flags, wallet, asset }, async (legs, about) => {
      // The names of wallets and the list of own wallets are complete only after all legs were read.
      const pairs = await pairsIn(legs);
      const isChosen = pairChoice({ wallet, asset }, pairs, accounts);
      const isOwn = ownWallets(pairs, accounts);
      const counts = new Counts(isOwn, unprocessed === true);
      const rows = await spoolRows(
        disposalsIn(legs, { isChosen, isOwn, include, period: about.period }, counts, (disposal) =>
          disposalRecord(disposal, accounts, about.timeZone),
        ),
      );
      const empty = await emptyPeriodNotes(about, counts.legs, counts.chosen);
      const again = await legFlags(context, { ...flags, wallet, asset });
      return {
        kind: 'rows',
        rows: readOnce(rows),
        columns: DISPOSAL_COLUMNS,
        none:
          counts.chosen === 0
            ? ''
            : `There are no ${include ? 'lines of these kinds' : 'disposals'} ${unprocessed ? 'without a cost basis, proceeds and a profit' : 'with a cost basis, proceeds or a profit'} in the period.`,
        notes: () => [
          ...empty,
          ...(unprocessed ? unprocessedNotes(counts) : sumNotes(counts, about.timeZone)),
          ...kindNotes(about, accounts, counts.profits),
          ...(unprocessed ? [] : nextNotes(counts, again, include)),
          ...(isUnlimited(about.period) ? [] : untimedNotes(counts.untimed, about.period)),
          ...faultNotes(about.faults, isChosen),
          ...accounts.notes(
            pairs.map(({ walletId }) => walletId),
            counts.wallets,
          ),
        ],
        summary: () => ({
          period: daysText(about.period, about.timeZone),
          ...{ legs: counts.chosen, disposals: counts.processed.get('disposal') ?? 0 },
          withoutFigures: counts.unprocessed.get('disposal') ?? 0,
          verified: about.unverified() === undefined,
        }),
        failed: () => unverifiedErrorOf(about),
      };
    });
  },
});

/** Maximum number of ids in a note. */
const MOST_IDS = 3;

class Counts {
  readonly totals = new DisposalTotals();
  readonly profits: Profits;
  readonly processed = new Map<Kind, number>();
  /** Number of legs of each kind without cost basis, proceeds and profit. */
  readonly unprocessed = new Map<Kind, number>();
  /** Ids of the first disposals without these values; empty if such disposals are listed. */
  readonly firstIds: string[] = [];
  readonly figures = new Coverage();
  readonly wallets = new Set<string>();
  /** Number of legs in the period. */
  legs = 0;
  /** Number of these legs that belong to the selected wallets and assets. */
  chosen = 0;
  untimed = 0;
  mismatches = 0;

  readonly #listsUnprocessed: boolean;

  constructor(isOwn: (walletId: string) => boolean, listsUnprocessed: boolean) {
    this.profits = new Profits(isOwn);
    this.#listsUnprocessed = listsUnprocessed;
  }

  /** Returns whether the disposal is listed. */
  add(disposal: Disposal, leg: Leg): boolean {
    const { kind, mismatch } = disposal;
    const hasFigures = isProcessed(leg);
    if (kind === 'disposal') this.figures.add(hasFigures ? ZERO : null, leg.time);
    const counted = hasFigures ? this.processed : this.unprocessed;
    counted.set(kind, (counted.get(kind) ?? 0) + 1);
    if (hasFigures && kind === 'disposal') this.totals.add(leg);
    if (hasFigures && mismatch) this.mismatches += 1;
    const isListed = hasFigures !== this.#listsUnprocessed;
    if (isListed) this.wallets.add(leg.walletId);
    else if (!hasFigures && kind === 'disposal' && leg.id !== '' && this.firstIds.length < MOST_IDS)
      this.firstIds.push(leg.id);
    return isListed;
  }
}

interface Wanted {
  readonly isChosen: (pair: Pair) => boolean;
  readonly isOwn: (walletId: string) => boolean;
  readonly include: readonly string[] | undefined;
  readonly period: OpenSpan;
}

async function* disposalsIn(
  legs: AsyncIterable<Leg>,
  { isChosen, isOwn, include, period }: Wanted,
  counts: Counts,
  recordOf: (disposal: Disposal) => JsonRecord,
): AsyncGenerator<JsonRecord> {
  for await (const leg of legs) {
    if (leg.time === undefined && isChosen(leg)) counts.untimed += 1;
    if (!isInPeriod(leg.time, period)) continue;
    counts.legs += 1;
    if (!isChosen(leg)) continue;
    counts.chosen += 1;
    counts.profits.add(leg);
    const disposal = disposalOf(leg, isOwn);
    if (!disposal || (include && !include.includes(disposal.kind))) continue;
    if (counts.add(disposal, leg)) yield recordOf(disposal);
  }
}

async function pairsIn(legs: AsyncIterable<Leg>): Promise<readonly Pair[]> {
  const keys = new PairMap((key) => key);
  const pairs = new Map<string, Pair>();
  for await (const leg of legs) {
    const key = keys.of(leg);
    if (!pairs.has(key)) pairs.set(key, leg.pair);
  }
  return [...pairs.values()];
}

function totalNotes(totals: DisposalTotals): Note[] {
  return totals.all().flatMap(({ baseCurrency, disposals, figures, costless, uncategorised }) => {
    const currency = showText(baseCurrency ?? 'an unknown currency');
    const { proceeds, costbasis, profit } = figures;
    const gaps = Object.entries({ proceeds, 'cost basis': costbasis, profit })
      .filter(([, { unknown }]) => unknown > 0)
      .map(([name, { unknown }]) => `${name} ${count(unknown)}`);
    const shown = ({ part }: Amount) => part?.toFixed() ?? 'unknown';
    const text = `${plural(disposals, 'disposal', 'disposals')} in ${currency}: proceeds ${shown(proceeds)}, cost basis ${shown(costbasis)}, profit ${shown(profit)}.`;
    const of = ({ legs, profit }: typeof costless) =>
      `${plural(legs, 'disposal', 'disposals')} (profit ${shown(profit)} ${currency})`;
    const texts = [
      ...(gaps.length > 0
        ? [`These sums are partial. Number of disposals without a value: ${gaps.join(', ')}.`]
        : []),
      ...(costless.legs > 0
        ? [
            `The sums include ${of(costless)} with a cost basis of 0. Check that these assets really cost nothing.`,
          ]
        : []),
      ...(uncategorised.legs > 0
        ? [
            `The sums include ${of(uncategorised)} without a label, or labelled as a deposit, withdrawal or transfer. They may be transfers to an own wallet.`,
          ]
        : []),
    ];
    return [{ text }, ...texts.map((one) => warning(one))];
  });
}

/** Reconciles the profit of the disposals with the profit that the service reports for all legs, if the two differ. */
function profitNotes(profits: Profits): Note[] {
  return profits.all().flatMap((own) => {
    const { parts, all } = reconciled(own) ?? {};
    if (!parts || !all) return [];
    const shown = ({ part, unknown }: Amount) => {
      const sum = part?.toFixed() ?? 'unknown';
      return unknown > 0 ? `${sum} (${plural(unknown, 'leg', 'legs')} without a profit)` : sum;
    };
    const listed = parts.map(({ kind, profit }) => `${PROFIT_NAMES[kind]} ${shown(profit)}`);
    const currency = showText(own.baseCurrency ?? 'an unknown currency');
    const text = `The service reports a profit of ${shown(all)} in ${currency} for all legs: ${listed.join(', ')}.`;
    return [{ text }];
  });
}

const PROFIT_NAMES = {
  ...{ disposal: 'disposals', fiat: 'fiat', transfer: 'transfers' },
  ...{ unknown: 'legs of unknown kind', incoming: 'incoming legs' },
};

type Kind = (typeof DISPOSAL_KINDS)[number];

const KIND_NAMES: Readonly<Record<Kind, readonly [string, string]>> = {
  disposal: ['disposal', 'disposals'],
  fiat: ['fiat line', 'fiat lines'],
  transfer: ['transfer', 'transfers'],
  unknown: ['line of unknown kind', 'lines of unknown kind'],
};

function countsOf(lines: ReadonlyMap<Kind, number>, kinds: readonly Kind[]): string[] {
  return kinds.flatMap((kind) => {
    const number = lines.get(kind) ?? 0;
    return number === 0 ? [] : plural(number, ...KIND_NAMES[kind]);
  });
}

function otherNotes(listed: ReadonlyMap<Kind, number>): Note[] {
  const kinds = countsOf(listed, ['fiat', 'transfer', 'unknown']);
  return kinds.length > 0 ? [{ text: `Not in the sums: ${kinds.join(', ')}.` }] : [];
}

/** Returns notes on the sums, and on the legs that the sums do not contain. */
function sumNotes(counts: Counts, timeZone: string): Note[] {
  return [
    ...totalNotes(counts.totals),
    ...profitNotes(counts.profits),
    ...otherNotes(counts.processed),
    ...gapNotes(counts, timeZone),
  ];
}

function unprocessedNotes({ unprocessed }: Counts): Note[] {
  const kinds = countsOf(unprocessed, DISPOSAL_KINDS);
  if (kinds.length === 0) return [];
  return [{ text: `The cost basis, the proceeds and the profit are unknown: ${kinds.join(', ')}.` }];
}

function gapNotes({ unprocessed, figures, mismatches, firstIds }: Counts, timeZone: string): Note[] {
  const texts: string[] = [];
  const kinds = countsOf(unprocessed, DISPOSAL_KINDS);
  const gap = figures.gap((time) => isoText(time, timeZone), KIND_NAMES.disposal);
  if (kinds.length > 0) {
    const more = (unprocessed.get('disposal') ?? 0) > firstIds.length ? ', …' : '';
    const ids = firstIds.length === 0 ? '' : ` (${firstIds.map(showText).join(', ')}${more})`;
    const [first = '', ...others] = kinds;
    const named = [unprocessed.has('disposal') ? first + ids : first, ...others];
    texts.push(`Not listed, because cost basis, proceeds and profit are unknown: ${named.join(', ')}.`);
  }
  if (gap !== undefined) {
    texts.push(
      `These values are ${gap}. Disposals without these values may be transfers, or tax processing may not have run yet.`,
    );
  }
  if (mismatches > 0) {
    texts.push(
      `In ${plural(mismatches, 'line', 'lines')}, the profit differs from the proceeds minus the cost basis. See the column "mismatch".`,
    );
  }
  return texts.map((text) => warning(text));
}

/**
 * @param again the flags with which a command reads the same legs
 * @param include the kinds of disposals that are counted; undefined for all kinds
 */
function nextNotes({ unprocessed, totals }: Counts, again: string, include?: readonly string[]): Note[] {
  const kinds = include ? ` --include ${include.join(',')}` : '';
  const mayTransfer = totals.all().some(({ uncategorised }) => uncategorised.legs > 0);
  return [
    ...(unprocessed.size > 0
      ? [`To list the legs without these values: cryptodata ledgers disposals --unprocessed${kinds}${again}`]
      : []),
    ...(mayTransfer
      ? [`To list transfers with only one side: cryptodata audit --check ${unmatchedTransfer.name}${again}`]
      : []),
  ].map((text) => ({ text, isCommand: true }));
}
