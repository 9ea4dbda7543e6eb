import type { Chart, NoEffect } from '../books/journal/chart.ts';
import type { Journal } from '../books/journal/journal.ts';
import type { JournalSums } from '../books/journal/summary.ts';
import { type Note, warning } from '../cli/outcome.ts';
import type { JsonRecord } from '../core/json.ts';
import { toldApart } from '../core/look-alikes.ts';
import { count, plural, showText, someOf } from '../core/text.ts';
import type { JournalFormat } from '../formats/format.ts';
import { faultNotes } from './fault-notes.ts';

/** Returns the manifest fields that describe a journal. */
export function journalFacts({ summary }: Journal, chart: Chart): JsonRecord {
  const { legs, entries, lines, reasons, openTransactions, firstOpen, roundings, below, notes } = summary;
  const without = (effect: NoEffect) => chart.without(effect, summary.names);
  return {
    ...{ legs, entries, lines },
    ...(summary.openings === 0
      ? {}
      : {
          opening: {
            ...{ balances: summary.openings, unknown: summary.unknownOpenings },
            ...{ differing: summary.differing, uncompared: summary.uncompared },
          },
        }),
    incomplete: {
      legs: summary.problemLegs,
      inSuspense: summary.legsIn('suspense'),
      notPosted: summary.legsIn('none'),
      reasons,
    },
    suspense: summary.held('suspense'),
    trades: summary.held('trade'),
    profits: summary.profits,
    transfers: { holds: summary.held('transfer'), legs: summary.transfers, net: summary.netTransfers },
    clearing: { holds: summary.held('clearing'), transactions: openTransactions, first: firstOpen },
    ...{
      faults: summary.faults.counts(),
      rounding: roundings,
      belowMinorUnit: below,
      ...{ unusedAccounts: without('unmatched'), replacedAccounts: without('replaced') },
      ...{ ignoredAccounts: without('ignored'), bypassedAccounts: without('bypassed') },
      unmappedCodes: summary.unmappedCodes,
      notes,
    },
  };
}

function listed(texts: readonly string[], all = texts.length): string {
  return someOf(texts.map(showText), { all });
}

function amountsIn(sums: JournalSums): string {
  return listed(Object.entries(sums).map(([unit, sum]) => `${sum} ${unit}`)) || 'nothing';
}

/**
 * Explains why template entries have no effect. For each reason: the text before the names of the entries, and the advice
 * after them.
 */
const NO_EFFECT: readonly (readonly [NoEffect, string, string])[] = [
  [
    'replaced',
    'These template entries have no effect, because the legs have account codes from the service',
    ' The legs are posted to the accounts of these codes. To ignore the codes, add the line "codes = ignore" to the template.',
  ],
  [
    'ignored',
    'These template entries have no effect, because the template has the line "codes = ignore"',
    ' To use the codes, remove this line.',
  ],
  [
    'bypassed',
    'These template entries have no effect, because the legs with these labels or codes are fees, trades or transfers, or cannot be posted',
    '',
  ],
  ['unmatched', 'No leg matches these template entries', ''],
];

/**
 * Returns the notes that are printed after a journal was written.
 *
 * @param format the format of the journal; contains the program that imports the journal, and the default name of accounts with
 *   codes
 */
export function journalNotes({ summary }: Journal, chart: Chart, { imports, code }: JournalFormat): Note[] {
  const { legs, entries, lines, problemLegs, reasons, openTransactions, firstOpen } = summary;
  /** Warnings about accounts that differ from what the user expects. */
  const first: Note[] = [];
  const alert = (text: string) => first.push(warning(`warning: ${text}`));
  const notes: Note[] = [
    {
      text: `Journal: ${plural(entries, 'entry', 'entries')} with ${plural(lines, 'line', 'lines')} from ${plural(legs, 'leg', 'legs')}.`,
    },
  ];
  const say = (text: string) => notes.push({ text });
  const warn = (text: string) => notes.push(warning(text));
  if (summary.openings > 0) {
    const unknown = summary.unknownOpenings.map(
      ({ symbol, wallet }) => `${toldApart(symbol) || 'no name'} in ${wallet}`,
    );
    say(
      `Opening balances: ${count(summary.openings - unknown.length)} of ${count(summary.openings)} are known.`,
    );
    if (unknown.length > 0)
      warn(`Unknown opening balances, which are not in the journal: ${listed(unknown)}.`);
    const { differing, uncompared } = summary;
    if (differing.length > 0) {
      const isNameless = differing.some(({ symbol }) => symbol === '');
      const names = differing.map(
        ({ symbol, wallet, difference }) =>
          `${toldApart(symbol) || 'no name'} in ${wallet} (by ${difference})`,
      );
      warn(
        `${plural(differing.length, 'closing balance', 'closing balances')} of the books ${differing.length === 1 ? 'differs' : 'differ'} from the journal, because the books do not add up${isNameless ? ' or the asset has no name' : ''}: ${listed(names)}. "cryptodata audit" finds the causes.`,
      );
    }
    if (uncompared > 0)
      warn(
        `${plural(uncompared, 'closing balance', 'closing balances')} cannot be compared with the journal, because a balance or a quantity is unknown.`,
      );
  }
  if (problemLegs > 0) {
    const holds = amountsIn(summary.held('suspense'));
    const isEmpty = summary.legsIn('suspense') === 0 && holds === 'nothing';
    const list = reasons.map(({ reason, legs: number }) => `${reason} ${count(number)}`).join(', ');
    const isSeveral = reasons.reduce((sum, { legs: number }) => sum + number, 0) > problemLegs;
    const report = isEmpty ? warn : alert;
    report(
      `${plural(problemLegs, 'leg is', 'legs are')} incomplete (${summary.places.join(', ')}): ${list}.${isSeveral ? ' Some legs have several of these reasons.' : ''}${isEmpty ? '' : ` The balance of the suspense account is ${holds}.`}`,
    );
  }
  for (const [currency, { sum, entries: number }] of Object.entries(summary.roundings)) {
    say(
      `Rounding: ${sum} ${showText(currency)} from ${plural(number, 'entry', 'entries')} is in the rounding account.`,
    );
  }
  for (const text of summary.profitNotes) say(`${text}.`);
  const [trades, transfers] = [amountsIn(summary.held('trade')), amountsIn(summary.held('transfer'))];
  if (trades !== 'nothing')
    say(
      `The balance of the trade account is ${trades}. This is the proceeds of outgoing legs minus the value of incoming legs.`,
    );
  if (transfers !== 'nothing' || summary.netTransfers.length > 0) {
    const net = listed(summary.netTransfers.map(toldApart));
    const sums = net === '' ? 'add up to zero for each asset' : `do not add up to zero: ${net}`;
    warn(
      `The balance of the transfer account is ${transfers}. The quantities of its ${plural(summary.transfers, 'leg', 'legs')} ${sums}. The audit check unmatched-transfer finds transfers with only one side.`,
    );
  }
  const clearing = amountsIn(summary.held('clearing'));
  if (openTransactions > 0) {
    const first = firstOpen.map(({ id, holds }) => `${id} (${amountsIn(holds)})`);
    warn(
      `The balance of the clearing account is ${clearing}: ${plural(openTransactions, 'transaction has', 'transactions have')} legs outside the period: ${listed(first, openTransactions)}.`,
    );
  } else if (clearing !== 'nothing')
    say(`The balance of the clearing account is ${clearing}, from rounding.`);
  const defaults = summary.defaultAccounts;
  if (imports !== undefined && defaults.length > 0) {
    warn(
      `${plural(defaults.length, 'account with a default name', 'accounts with default names')} may not exist in ${imports}: ${listed(defaults)}. Set your own account names with --accounts.`,
    );
  }
  const unmapped = summary.unmappedCodes.map(
    ({ code, lines: number, amounts }) =>
      `${code} (${plural(number, 'line', 'lines')}, ${amountsIn(amounts)})`,
  );
  if (unmapped.length > 0)
    warn(
      `${plural(unmapped.length, 'account code of the service is', 'account codes of the service are')} used unchanged, because --accounts does not map ${unmapped.length === 1 ? 'it' : 'them'}: ${listed(unmapped)}. The manifest lists all of them.`,
    );
  const defaultCode = chart.defaultCodeIn(summary.names);
  if (defaultCode !== undefined && code === undefined)
    warn(
      `Accounts with a code from the service are named ${defaultCode.replace('{code}', 'CODE')}, which is not under assets, liabilities, equity, income or expenses. Reports by type omit them. To name them, set "code" or "code.CODE" in --accounts.`,
    );
  for (const [effect, text, advice] of NO_EFFECT) {
    const keys = chart.without(effect, summary.names).map((key) => showText(key));
    const report = effect === 'replaced' ? alert : warn;
    if (keys.length > 0) report(`${text}: ${keys.join(', ')}.${advice}`);
  }
  for (const text of summary.notes) warn(`${text}.`);
  return [...first, ...notes, ...faultNotes(summary.faults)];
}
