// The labels that posted transactions may have. The specification names two labels, but has no complete list.

import { TRANSACTION_TYPES } from '../../books/legs.ts';
import { member } from '../../data/resources.ts';

export interface Label {
  readonly name: string;
  /** Transaction types that may have this label. */
  readonly types: readonly string[];
}

/** The labels of the generated ledgers. */
export const LABELS: readonly Label[] = [
  { name: 'Deposit', types: ['deposit'] },
  { name: 'Staking', types: ['deposit'] },
  { name: 'Transfer', types: ['deposit', 'withdrawal'] },
  { name: 'Withdrawal', types: ['withdrawal'] },
  { name: 'Trade', types: ['trade'] },
  { name: 'Payment', types: ['payment'] },
];

/**
 * @param option labels from the option `labels`
 * @param data the user's records for GET /v1/labels, if any
 */
export function postingLabels(
  option: readonly unknown[],
  data: readonly unknown[] | undefined,
): readonly Label[] {
  const given = option.length > 0 ? option : (data ?? []);
  return given.length > 0 ? labelsOf(given) : LABELS;
}

/**
 * Reads the user's labels. Each label is a string, or a record with `name` or `label`. A label without `transactionTypes` is
 * allowed for every transaction type.
 */
function labelsOf(records: readonly unknown[]): Label[] {
  return records.flatMap((record) => {
    const name = typeof record === 'string' ? record : (member(record, 'name') ?? member(record, 'label'));
    if (typeof name !== 'string') return [];
    const given = member(record, 'transactionTypes');
    const fits = Array.isArray(given) ? given.filter((type) => typeof type === 'string') : TRANSACTION_TYPES;
    return [{ name, types: fits }];
  });
}
