// What is posted becomes legs: what was sent, what was received, and the fee. The amounts are JSON numbers; their
// digits are taken as they were sent.

import { isLosslessNumber } from 'lossless-json';
import { member } from '../data/resources.ts';
import type { LegacyDetail } from '../errors.ts';
import { type NewLeg, unitsOf } from '../ledgers/edits.ts';
import type { Posted } from './posted.ts';

/** A transaction without a label of its own has that of its type, as what is still to be categorized has. */
const LABEL_OF_TYPE: Readonly<Record<string, string>> = {
  deposit: 'Deposit',
  withdrawal: 'Withdrawal',
  trade: 'Trade',
  payment: 'Payment',
};

const LEGS = [
  ['sentCurrency', 'outgoing'],
  ['receivedCurrency', 'incoming'],
  ['fee', 'fee'],
] as const;

/** @param exact the body with every digit of its numbers */
export function legsOf(posted: Posted, exact: unknown): NewLeg[] | readonly LegacyDetail[] {
  const details: LegacyDetail[] = [];
  const exactItems: unknown = member(exact, 'transactions');
  const legs = posted.transactions.flatMap((transaction, index): NewLeg[] => {
    const timestamp = Math.round(Number(transaction['timestamp']));
    if (!Number.isSafeInteger(timestamp)) {
      details.push({ path: ['transactions', index, 'timestamp'], message: 'Must be Unix milliseconds' });
    }
    const item: unknown = Array.isArray(exactItems) ? exactItems[index] : undefined;
    return LEGS.flatMap(([name, type]) => {
      const given = member(item, name);
      if (given === undefined) return [];
      const quantity = digitsOf(member(given, 'amount'));
      const units = unitsOf(quantity);
      if (units === undefined) {
        const path = ['transactions', index, name, 'amount'];
        details.push({ path, message: 'Must be a number of at most 18 decimal places' });
      }
      // Nothing that moved is no leg.
      if (units === undefined || units === 0n) return [];
      return [
        {
          type,
          quantity,
          walletId: posted.walletId,
          asset: String(member(given, 'currency')),
          transactionId: String(transaction['transactionId']),
          timestamp,
          label: labelOf(transaction),
          description: descriptionOf(transaction),
        },
      ];
    });
  });
  return details.length > 0 ? details : legs;
}

export function isDetails(
  legs: readonly NewLeg[] | readonly LegacyDetail[],
): legs is readonly LegacyDetail[] {
  return legs.some((leg) => 'path' in leg);
}

function digitsOf(value: unknown): string {
  return isLosslessNumber(value) ? value.toString() : '';
}

function labelOf({ label, transactionType }: Readonly<Record<string, unknown>>): string | null {
  return typeof label === 'string' ? label : (LABEL_OF_TYPE[String(transactionType)] ?? null);
}

/** A ledger has one text where what is posted has two. */
function descriptionOf({ description }: Readonly<Record<string, unknown>>): string | null {
  const texts = [member(description, 'title'), member(description, 'desc')];
  return texts.filter((text) => typeof text === 'string' && text !== '').join('\n') || null;
}
