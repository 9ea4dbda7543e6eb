// Spec: the section "Posted transaction (legacy write payload)". Validates the payload, reports the path of each error, and
// converts the transactions to legs.

import { isLosslessNumber } from 'lossless-json';
import type { NewLeg } from '../../books/edits.ts';
import { TRANSACTION_TYPES } from '../../books/legs.ts';
import { AMOUNT_LIMITS, unitsOf } from '../../core/decimal.ts';
import { isObject } from '../../core/readers.ts';
import { member } from '../../data/resources.ts';
import type { LegacyDetail } from '../../http/errors.ts';
import type { Label } from '../labels/store.ts';

export interface Posted {
  readonly walletId: string;
  /** The transactions as posted, including unknown fields. */
  readonly transactions: readonly Readonly<Record<string, unknown>>[];
}

type Path = readonly (string | number)[];

/** The form of a value. In an object, a name that ends with `?` is optional. A list has one form for all its items. */
type Form =
  | 'string'
  | 'number'
  | 'text'
  | 'upper case'
  | 'type'
  | readonly [Form]
  | { readonly [name: string]: Form };

const AMOUNT: Form = { currency: 'text', amount: 'number' };
const MONEY: Form = { fiatValue: 'number', baseCurrency: 'text', priceAccuracy: 'string' };
const PARTY: Form = {
  ...{ 'name?': 'upper case', 'publicName?': 'string', 'walletId?': 'string', 'address?': 'string' },
};
const TRANSACTION: Form = {
  ...{ timestamp: 'number', transactionType: 'type', transactionId: 'text' },
  ...{ 'description?': { title: 'string', desc: 'string' } },
  ...{ 'sentCurrency?': AMOUNT, 'receivedCurrency?': AMOUNT, 'fee?': AMOUNT },
  ...{ 'feeValue?': MONEY, 'netValue?': MONEY, 'sender?': PARTY, 'receiver?': PARTY },
};
const PAYLOAD: Form = { walletId: 'text', transactions: [TRANSACTION] };

function check(value: unknown, form: Form, path: Path): LegacyDetail[] {
  const wrong = (message: string) => [{ path, message }];
  const received = (expected: string) => wrong(`Expected ${expected}, received ${kindOf(value)}`);
  if (form === 'number') return Number.isFinite(value) ? [] : received('number');
  if (form === 'type') {
    const types = TRANSACTION_TYPES.map((type) => `'${type}'`).join(' | ');
    return isTransactionType(value) ? [] : wrong(`Expected ${types}`);
  }
  if (typeof form === 'string') {
    if (typeof value !== 'string') return received('string');
    if (form === 'text' && value === '') return wrong('Must not be empty');
    const isLower = form === 'upper case' && value !== value.toUpperCase();
    return isLower ? wrong('Must be an internal name in upper case') : [];
  }
  if (isListForm(form)) {
    return Array.isArray(value)
      ? value.flatMap((item, at) => check(item, form[0], [...path, at]))
      : received('array');
  }
  if (!isObject(value)) return received('object');
  return Object.entries(form).flatMap(([written, inner]) => {
    const name = written.replace('?', '');
    const missing = value[name] === undefined && name !== written;
    return missing ? [] : check(value[name], inner, [...path, name]);
  });
}

function isListForm(form: Form): form is readonly [Form] {
  return Array.isArray(form);
}

function isTransactionType(value: unknown): value is string {
  return TRANSACTION_TYPES.some((type) => type === value);
}

function checkLabel(value: unknown, labels: readonly Label[], path: Path): LegacyDetail[] {
  const [named, type] = [member(value, 'label'), member(value, 'transactionType')];
  if (named === undefined) return [];
  const at = [...path, 'label'];
  if (typeof named !== 'string') return check(named, 'string', at);
  const known = labels.find(({ name }) => name === named);
  if (known === undefined) return [{ path: at, message: 'Invalid label' }];
  // If the type is invalid, the check of `transactionType` reports the error.
  return !isTransactionType(type) || known.types.includes(type)
    ? []
    : [{ path: at, message: `Invalid label: not allowed for a ${type}` }];
}

/** Reads the payload. If the payload is invalid, returns all errors. */
export function readPosted(body: unknown, labels: readonly Label[]): Posted | readonly LegacyDetail[] {
  const given: unknown = member(body, 'transactions');
  const transactions: readonly unknown[] = Array.isArray(given) ? given : [];
  const details = [
    ...check(body, PAYLOAD, []),
    ...transactions.flatMap((one, at) => checkLabel(one, labels, ['transactions', at])),
  ];
  if (details.length > 0) return details;
  return { walletId: String(member(body, 'walletId')), transactions: transactions.filter(isObject) };
}

function kindOf(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
}

// A posted transaction becomes up to three legs: sent, received and fee. All digits of its amounts are kept.

const LEGS = [
  ['sentCurrency', 'outgoing'],
  ['receivedCurrency', 'incoming'],
  ['fee', 'fee'],
] as const;

/** @param exact the same body, parsed without rounding the numbers */
export function postedLegs(posted: Posted, exact: unknown): NewLeg[] | readonly LegacyDetail[] {
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
        details.push({ path, message: `Must be a number with ${AMOUNT_LIMITS}` });
      }
      // An amount of 0 does not become a leg.
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

/** By default, the label has the name of the transaction type, such as `Deposit`. */
function labelOf({ label, transactionType }: Readonly<Record<string, unknown>>): string {
  const type = String(transactionType);
  return typeof label === 'string' ? label : type.charAt(0).toUpperCase() + type.slice(1);
}

/** Joins the title and the description, because a ledger has only one field for them. */
function descriptionOf({ description }: Readonly<Record<string, unknown>>): string | null {
  const texts = [member(description, 'title'), member(description, 'desc')];
  return texts.filter((text) => typeof text === 'string' && text !== '').join('\n') || null;
}
