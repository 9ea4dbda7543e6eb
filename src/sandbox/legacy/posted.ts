// Spec: Posted transaction (legacy write payload): what is wrong with one, by path.

import type { LegacyDetail } from '../errors.ts';
import { TRANSACTION_TYPES } from '../transactions/marks.ts';

export interface Posted {
  readonly walletId: string;
  /** As they came, with whatever else they hold. */
  readonly transactions: readonly Readonly<Record<string, unknown>>[];
}

type Path = readonly (string | number)[];
type Check = (value: unknown, path: Path) => LegacyDetail[];

/** The names of the labels are not shown, but for two: these are those that the sandbox's ledgers carry. */
const LABELS: Readonly<Record<string, readonly string[]>> = {
  deposit: ['Deposit', 'Staking', 'Transfer'],
  withdrawal: ['Withdrawal', 'Transfer'],
  trade: ['Trade'],
  payment: ['Payment'],
};

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

const transactionType: Check = (value, path) =>
  TRANSACTION_TYPES.some((type) => type === value)
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

const label: Check = (value, path) => {
  if (!isRecord(value) || value['label'] === undefined) return [];
  const at = [...path, 'label'];
  const named = value['label'];
  if (typeof named !== 'string') return string(named, at);
  const type = value['transactionType'];
  const compatible = typeof type === 'string' ? LABELS[type] : undefined;
  if (!Object.values(LABELS).flat().includes(named)) return wrong(at, 'Invalid label');
  // A type that is none has its own complaint.
  return compatible === undefined || compatible.includes(named)
    ? []
    : wrong(at, `Invalid label: not for a ${type}`);
};

const transaction: Check = (value, path) => [
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
  ...label(value, path),
];

const payload = object({ walletId: filled, transactions: list(transaction) });

/** The payload, or everything that is wrong with it. */
export function readPosted(body: unknown): Posted | readonly LegacyDetail[] {
  const details = payload(body, []);
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
