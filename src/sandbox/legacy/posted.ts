// Spec: Posted transaction (legacy write payload): what is wrong with one, by path.

import type { LegacyDetail } from '../errors.ts';
import { TRANSACTION_TYPES } from '../transactions/legs.ts';
import type { Label } from './labels.ts';

export interface Posted {
  readonly walletId: string;
  /** As they came, with whatever else they hold. */
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
    // A type that is none has its own complaint.
    return !isTransactionType(type) || known.types.includes(type)
      ? []
      : wrong(at, `Invalid label: not for a ${type}`);
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

/** The payload, or everything that is wrong with it. */
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
