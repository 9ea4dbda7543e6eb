import { isRecord, type JsonRecord } from '../../core/json.ts';
import { checkFilters, isDecimalText, isFlag, isListOf, isText } from '../filters.ts';
import type { Listing } from '../listing.ts';
import { checkRecord, isString } from '../records.ts';
import type { ServiceRequest } from '../request.ts';
import type { Service } from '../service.ts';
import { type Ledger, parseLedger } from '../types.ts';
import { current, OPEN_CHECKS, type OpenFilters } from './open.ts';

/**
 * Query parameters of `GET /v1/transactions` that the specification names. They combine with filters by wallet and
 * date, whose names it does not show: these go in `extra`.
 */
export interface TransactionFilters extends OpenFilters {
  readonly types?: readonly string[] | undefined;
  readonly labels?: readonly string[] | undefined;
  readonly notLabels?: readonly string[] | undefined;
  readonly notWalletIds?: readonly string[] | undefined;
  readonly isUncategorisedIgnored?: boolean | undefined;
  /** A decimal string, sent as it is. */
  readonly minTotalGains?: string | undefined;
  readonly isHighPnLReviewed?: boolean | undefined;
  /** true finds missing purchases. */
  readonly isMissingTransaction?: boolean | undefined;
  readonly hasMissingPrice?: boolean | undefined;
}

interface TransactionParts {
  readonly id: string;
  /** One ledger or a list of them: read it with {@link legsOf}. */
  readonly incomingAssets?: unknown;
  readonly outgoingAssets?: unknown;
  readonly fee?: unknown;
}
/** "Transaction legs": nothing else of it is specified. */
export type Transaction = TransactionParts & JsonRecord;

/** What `POST /v1/transactions/batch` answers: nothing is specified of it but the count. */
export type BatchResult = JsonRecord;

export class Transactions {
  readonly #service: Service;

  constructor(service: Service) {
    this.#service = service;
  }

  /** `GET /v1/transactions`. */
  list(filters: TransactionFilters = {}, signal?: AbortSignal): Listing<Transaction> {
    const query = checkFilters(filters, CHECKS);
    return this.#service.list(
      { ...current(['v1', 'transactions']), query, style: 'offset', signal },
      parseTransaction,
    );
  }

  /** `GET /v1/transactions/{id}/ledgers`: cheaper than `ledgers.list` for one transaction. */
  ledgers(id: string, { extra }: Pick<OpenFilters, 'extra'> = {}, signal?: AbortSignal): Listing<Ledger> {
    return this.#service.list(
      { ...current(['v1', 'transactions', id, 'ledgers']), query: extra, style: 'offset', signal },
      parseLedger,
    );
  }

  /**
   * `POST /v1/transactions/batch`, its body sent as it is: no shape of it is specified. It is sent once.
   *
   * @returns `data` of the answer; `errorCount` in it says how many items failed, which is no error
   */
  async batch(body: unknown, signal?: AbortSignal): Promise<BatchResult> {
    return this.#service.write({ ...batchRequest(body), signal });
  }
}

/** The call that {@link Transactions.batch} makes. */
export function batchRequest(body: unknown): ServiceRequest {
  return { ...current(['v1', 'transactions', 'batch']), method: 'POST', body };
}

/** The legs in a field of a transaction, whether one stands there or a list, or none. */
export function legsOf(value: unknown): readonly JsonRecord[] {
  return (Array.isArray(value) ? value : [value]).filter(isRecord);
}

/** @throws ServiceError `BAD_RECORD` */
export function parseTransaction(value: unknown): Transaction {
  return checkRecord<TransactionParts>(value, 'transaction', {
    id: isString,
    incomingAssets: isAnything,
    outgoingAssets: isAnything,
    fee: isAnything,
  });
}

function isAnything(_value: unknown): _value is unknown {
  return true;
}

const CHECKS = {
  types: isListOf(isText),
  labels: isListOf(isText),
  notLabels: isListOf(isText),
  notWalletIds: isListOf(isText),
  isUncategorisedIgnored: isFlag,
  minTotalGains: isDecimalText,
  isHighPnLReviewed: isFlag,
  isMissingTransaction: isFlag,
  hasMissingPrice: isFlag,
  ...OPEN_CHECKS,
};
