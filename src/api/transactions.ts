import { isRecord, type JsonRecord } from '../core/json.ts';
import { call, list, openPaging } from './endpoint.ts';
import { decimalFilter, type FilterValues, flagFilter, listFilter as values } from './filters.ts';
import { isUnpriced, ledgers } from './ledgers.ts';
import { isOneOf, normalized } from './readings.ts';
import { anything, type RecordOf, required, text } from './records.ts';

/** Fields of a transaction, from "Transaction legs" in the specification. The specification lists no other fields. */
const record = {
  id: required(text),
  /** One ledger or a list of ledgers. Use {@link legsOf} to read this field. */
  incomingAssets: anything,
  outgoingAssets: anything,
  fee: anything,
};
export type Transaction = RecordOf<typeof record>;

/** The types and labels that the specification mentions. The service may have other types and labels. */
const TYPES = ['deposit', 'withdrawal', 'trade', 'payment'];
const LABELS = ['Deposit', 'Withdrawal'];

/**
 * The filters of `GET /v1/transactions` that the specification names. The service can also filter by wallet and date, but the
 * specification does not name the parameters. For most filters, the specification does not say which fields they compare. If a
 * transaction has a field with the name of a filter, the client compares that field.
 */
export const transactionFilters = {
  types: values('transactions of these types, such as deposit,withdrawal', 'types', {
    known: { word: 'type', values: TYPES },
    decides: ({ type }, types) => isListed([type], types, TYPES),
  }),
  labels: values('transactions with one of these labels', 'labels', {
    known: { word: 'label', values: LABELS, from: 'labels' },
    decides: (transaction, labels) => isListed(labelsOf(transaction), labels, LABELS),
  }),
  notLabels: values('transactions with none of these labels', 'labels', {
    known: { word: 'label', values: LABELS, from: 'labels', opposite: 'labels' },
    decides: (transaction, labels) => isFree(labelsOf(transaction), labels.map(normalized)),
  }),
  notWalletIds: values('transactions without legs in these accounts', 'ids', {
    known: { word: 'account', from: 'accounts', opposite: null },
    decides: (transaction, ids) =>
      isFree(
        legsIn(transaction).map(({ walletId }) => walletId),
        ids,
      ),
  }),
  isUncategorisedIgnored: flagFilter(
    'whether the transaction is excluded from the list of uncategorised transactions',
    ({ isUncategorisedIgnored }) => boolOf(isUncategorisedIgnored),
  ),
  minTotalGains: decimalFilter('minimum total gains'),
  isHighPnLReviewed: flagFilter('whether a high profit or loss was reviewed', ({ isHighPnLReviewed }) =>
    boolOf(isHighPnLReviewed),
  ),
  isMissingTransaction: flagFilter('whether a purchase is missing', ({ isMissingTransaction }) =>
    boolOf(isMissingTransaction),
  ),
  hasMissingPrice: flagFilter('whether a price is missing', ({ hasMissingPrice, ...transaction }) => {
    const [first, ...others] = legsIn(transaction).map(isUnpriced);
    return boolOf(hasMissingPrice) ?? (others.every((unpriced) => unpriced === first) ? first : undefined);
  }),
};
type TransactionFilterValues = FilterValues<typeof transactionFilters>;

/** The specification replaces the reconciliation endpoints of the legacy API with these filter values. */
export const transactionPresets = {
  uncategorized: {
    types: ['deposit', 'withdrawal'],
    labels: ['Deposit', 'Withdrawal'],
    isUncategorisedIgnored: false,
  },
  'high-pnl': { isHighPnLReviewed: false },
  'missing-purchases': { isMissingTransaction: true },
  'missing-prices': { hasMissingPrice: true },
} as const satisfies Record<string, TransactionFilterValues>;
export type TransactionPreset = keyof typeof transactionPresets;
export const presetNames = Object.keys(transactionPresets) as TransactionPreset[];

export const transactions = list({
  path: '/v1/transactions',
  noun: 'transaction',
  nouns: 'transactions',
  paging: openPaging,
  record,
  isOpen: true,
  filters: transactionFilters,
});

export const transactionLedgers = list({
  path: '/v1/transactions/{id}/ledgers',
  noun: 'leg',
  nouns: 'legs',
  paging: openPaging,
  record: ledgers.record,
  hasId: ({ transactionId }, id) => isOneOf([transactionId], [id]),
  columns: ledgers.columns,
});

export const transactionBatch = call({
  method: 'POST',
  path: '/v1/transactions/batch',
  answer: {
    /** Number of failed items. */
    errorCount: anything,
  },
});
/** The response to a batch. The request succeeds with or without failed items. */
export type BatchResult = RecordOf<typeof transactionBatch.answer>;

/** Returns the legs in a field of a transaction. The field can contain one leg, a list of legs, or nothing. */
export function legsOf(value: unknown): readonly JsonRecord[] {
  return (Array.isArray(value) ? value : [value]).filter(isRecord);
}

function legsIn({ incomingAssets, outgoingAssets, fee }: JsonRecord): readonly JsonRecord[] {
  return [incomingAssets, outgoingAssets, fee].flatMap(legsOf);
}

function labelsOf(transaction: JsonRecord): readonly unknown[] {
  const own = transaction['label'] === undefined ? [] : [transaction];
  return [...own, ...legsIn(transaction)].map(({ label }) => normalized(label));
}

/**
 * Whether one of the words in `shown` is wanted. The service may use different words in the fields than in the filter.
 * Therefore, the function returns false only if every word in `shown` is in `vocabulary`.
 *
 * @param vocabulary words that the specification uses for the filter
 */
function isListed(
  shown: readonly unknown[],
  wanted: readonly string[],
  vocabulary: readonly string[],
): boolean | undefined {
  const words = wanted.map(normalized);
  if (shown.some((word) => words.includes(normalized(word)))) return true;
  const known = vocabulary.map(normalized);
  return shown.length > 0 && shown.every((word) => known.includes(normalized(word))) ? false : undefined;
}

/**
 * Whether none of the values in `shown` is excluded. If only some values are excluded, returns undefined, because the
 * specification does not say whether one leg or all legs must match.
 */
function isFree(shown: readonly unknown[], excluded: readonly unknown[]): boolean | undefined {
  if (shown.length === 0) return undefined;
  if (shown.every((value) => excluded.includes(value))) return false;
  return shown.every((value) => typeof value === 'string' && !excluded.includes(value)) ? true : undefined;
}

function boolOf(value: unknown): boolean | undefined {
  return typeof value === 'boolean' ? value : undefined;
}
