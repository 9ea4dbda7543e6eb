// Generates valid transactions. Numbers are text, so that no digit is lost.

import fc from 'fast-check';
import { LosslessNumber } from '../../src/core/json.ts';
import { COLUMNS } from '../../src/legacy/fields.ts';

export const NOW = Date.UTC(2025, 5, 1);

const name = fc
  .stringMatching(/^[A-Za-z0-9 ,;"'\n.=@\\äé€-]{1,12}$/)
  .filter((text) => text.trim() === text && text !== '');

/** Generates numbers in many notations. They have at most 15 digits, so that a double preserves them. */
export const amount = fc
  .tuple(
    fc.nat({ max: 99_999_999 }),
    fc.stringMatching(/^\d{0,7}$/),
    fc.constantFrom('', '', 'e0', 'e-5', 'e+3'),
  )
  .map(([whole, fraction, power]) => `${whole}${fraction === '' ? '' : `.${fraction}`}${power}`)
  .map((digits) => new LosslessNumber(digits));

const money = fc.record({ currency: name, amount });
const value = fc.record({
  fiatValue: amount,
  baseCurrency: name,
  priceAccuracy: fc.constantFrom('high', 'low'),
});
const some = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined });
function given(record: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(record).filter(([, member]) => member !== undefined));
}
const filled = (record: Record<string, unknown> | undefined) =>
  record === undefined || Object.keys(given(record)).length === 0 ? undefined : given(record);
const party = fc
  .record({ name: some(name.map((text) => text.toUpperCase())), publicName: some(name), address: some(name) })
  .map(filled);

const transaction = fc
  .record({
    timestamp: fc.integer({ min: Date.UTC(2009), max: NOW }),
    transactionType: fc.constantFrom('deposit', 'withdrawal', 'trade', 'payment'),
    transactionId: name,
    description: some(fc.record({ title: name, desc: name })),
    sentCurrency: some(money),
    receivedCurrency: some(money),
    fee: some(money),
    feeValue: some(value),
    netValue: some(value),
    sender: party,
    receiver: party,
    label: some(name),
  })
  .map(given);

export const transactions = fc.uniqueArray(transaction, {
  minLength: 1,
  maxLength: 8,
  selector: ({ transactionId }) => transactionId,
});

/** The CSV cells of a transaction, in the order of `COLUMNS`. */
export function cellsOf(row: Record<string, unknown>): string[] {
  return [...COLUMNS.keys()].map((path) => {
    let member: unknown = row;
    for (const part of path.split('.')) member = Object(member)[part];
    return member instanceof LosslessNumber ? member.value : String(member ?? '');
  });
}
