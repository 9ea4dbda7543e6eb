// Spec: the section "Posted transaction (legacy write payload)". Validates the payload, reports the path of each error, and
// converts the transactions to legs.

import { isLosslessNumber } from 'lossless-json';
import type { NewLeg } from '../../books/edits.ts';
import { TRANSACTION_TYPES } from '../../books/legs.ts';
import { AMOUNT_LIMITS, unitsOf } from '../../core/decimal.ts';
import { member } from '../../data/resources.ts';
import type { LegacyDetail } from '../../http/errors.ts';
import type { Label } from '../labels/store.ts';

export interface Posted {
  readonly walletId: string;
  /** The transactions as posted, including unknown fields. */
  readonly transactions: readonly Readonly<Record<string, unknown>>[];
}

type Path = readonly (string | number)[];
type Check = (value: unknown, path: Path) => LegacyDetail[];

const wrong = (path: Path, message: string): LegacyDetail[] => [{ path, message }];

const string: Check = (value, path) =>
  typeof value === 'string' ? [] : wrong(path, `Expected string, received ${kindOf(value)}`);
const filled: Check = (value, path) =>
  value === '' ? wrong(path, 'Must not be empty') : string(value, path);
const number: Check = (value, path) =>
  typeof value === 'number' && Number.isFinite(value)
    ? []
    : wrong(path, `Expected number, received ${kindOf(value)}`);

const upperCase: Check = (value, path) =>
  typeof value === 'string' && value !== value.toUpperCase()
    ? wrong(path, 'Must be an internal name in upper case')
    : string(value, path);

const isTransactionType = (value: unknown): value is string =>
  TRANSACTION_TYPES.some((type) => type === value);

const transactionType: Check = (value, path) =>
  isTransactionType(value)
    ? []
    : wrong(path, `Expected ${TRANSACTION_TYPES.map((type) => `'${type}'`).join(' | ')}`);

const optional =
  (check: Check): Check =>
  (value, path) =>
    value === undefined ? [] : check(value, path);

const object =
  (fields: Readonly<Record<string, Check>>): Check =>
  (value, path) => {
    if (!isRecord(value)) return wrong(path, `Expected object, received ${kindOf(value)}`);
    return Object.entries(fields).flatMap(([name, check]) => check(value[name], [...path, name]));
  };

const list =
  (check: Check): Check =>
  (value, path) =>
    Array.isArray(value)
      ? value.flatMap((item, index) => check(item, [...path, index]))
      : wrong(path, `Expected array, received ${kindOf(value)}`);

const amount = optional(object({ currency: filled, amount: number }));
const money = optional(object({ fiatValue: number, baseCurrency: filled, priceAccuracy: string }));
const party = optional(
  object({
    name: optional(upperCase),
    publicName: optional(string),
    walletId: optional(string),
    address: optional(string),
  }),
);

const label =
  (labels: readonly Label[]): Check =>
  (value, path) => {
    if (!isRecord(value) || value['label'] === undefined) return [];
    const at = [...path, 'label'];
    const named = value['label'];
    if (typeof named !== 'string') return string(named, at);
    const type = value['transactionType'];
    const known = labels.find(({ name }) => name === named);
    if (known === undefined) return wrong(at, 'Invalid label');
    // If the type is invalid, the check of `transactionType` reports the error.
    return !isTransactionType(type) || known.types.includes(type)
      ? []
      : wrong(at, `Invalid label: not allowed for a ${type}`);
  };

const transaction =
  (labels: readonly Label[]): Check =>
  (value, path) => [
    ...object({
      timestamp: number,
      transactionType,
      transactionId: filled,
      description: optional(object({ title: string, desc: string })),
      sentCurrency: amount,
      receivedCurrency: amount,
      fee: amount,
      feeValue: money,
      netValue: money,
      sender: party,
      receiver: party,
    })(value, path),
    ...label(labels)(value, path),
  ];

/** Reads the payload. If the payload is invalid, returns all errors. */
export function readPosted(body: unknown, labels: readonly Label[]): Posted | readonly LegacyDetail[] {
  const details = object({ walletId: filled, transactions: list(transaction(labels)) })(body, []);
  if (details.length > 0 || !isRecord(body)) return details;
  const { walletId, transactions } = body;
  return {
    walletId: String(walletId),
    transactions: Array.isArray(transactions) ? transactions.filter(isRecord) : [],
  };
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function kindOf(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
}

// A posted transaction becomes up to three legs: sent, received and fee. All digits of its amounts are kept.

/** The default label of a posted transaction, by transaction type. */
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

function labelOf({ label, transactionType }: Readonly<Record<string, unknown>>): string | null {
  return typeof label === 'string' ? label : (LABEL_OF_TYPE[String(transactionType)] ?? null);
}

/** Joins the title and the description, because a ledger has only one field for them. */
function descriptionOf({ description }: Readonly<Record<string, unknown>>): string | null {
  const texts = [member(description, 'title'), member(description, 'desc')];
  return texts.filter((text) => typeof text === 'string' && text !== '').join('\n') || null;
}
