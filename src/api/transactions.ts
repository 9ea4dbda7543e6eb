import { isRecord, type JsonRecord } from '../core/json.ts';
import { call, list, openPaging } from './endpoint.ts';
import { decimal, type FilterValues, flag, list as values } from './filters.ts';
import { ledgers } from './ledgers.ts';
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

/**
 * The filters of `GET /v1/transactions` that the specification names. The service can also filter by wallet and date, but the
 * specification does not name the parameters.
 */
export const transactionFilters = {
  types: values('transactions of these types, such as deposit,withdrawal', 'types'),
  labels: values('transactions with one of these labels', 'labels'),
  notLabels: values('transactions with none of these labels', 'labels'),
  notWalletIds: values('transactions without legs in these accounts', 'ids'),
  isUncategorisedIgnored: flag(
    'whether the transaction is excluded from the list of uncategorised transactions',
  ),
  minTotalGains: decimal('minimum total gains'),
  isHighPnLReviewed: flag('whether a high profit or loss was reviewed'),
  isMissingTransaction: flag('whether a purchase is missing'),
  hasMissingPrice: flag('whether a price is missing'),
};
export type TransactionFilterValues = FilterValues<typeof transactionFilters>;

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
  noun: 'ledger',
  nouns: 'ledgers',
  paging: openPaging,
  record: ledgers.record,
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
/** The response to a batch. The request succeeds even if some items fail. */
export type BatchResult = RecordOf<typeof transactionBatch.answer>;

/** Returns the legs in a field of a transaction. The field can contain one leg, a list of legs, or nothing. */
export function legsOf(value: unknown): readonly JsonRecord[] {
  return (Array.isArray(value) ? value : [value]).filter(isRecord);
}
