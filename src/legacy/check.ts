import { usageError } from '../base/errors.ts';
import { isRecord, type JsonRecord } from '../base/json.ts';
import { checkFields, type Place, TRANSACTION } from './fields.ts';
import { type Problem, type Source, type SourceRow, shown } from './problems.ts';

export interface CheckOptions {
  /** `--wallet-id`. */
  readonly walletId?: string | undefined;
  /** For the transactions that have none of their own. */
  readonly label?: string | undefined;
  /** Send numbers with more digits than a double holds, as they are written. */
  readonly allowLong: boolean;
  /** Unix milliseconds. */
  readonly now: number;
}

/** What will be sent, or what is wrong with it. */
export interface Checked {
  readonly payload: Payload;
  /** Empty where it can be sent. */
  readonly problems: readonly Problem[];
  /** What is odd, and no reason not to send it. */
  readonly doubts: readonly Problem[];
  /** Rows with a problem. */
  readonly wrongRows: number;
}

export interface Payload {
  readonly walletId: string;
  readonly transactions: readonly JsonRecord[];
}

/**
 * Checks everything that the specification says of a posted transaction, and that no two have the same id.
 *
 * @throws usage error where there is no wallet, two of them, or nothing to send
 */
export function checkSource(source: Source, options: CheckOptions): Checked {
  const { allowLong, now, label } = options;
  const walletId = walletOf(source.walletId, options.walletId);
  if (source.rows.length === 0 && source.problems.length === 0) {
    throw usageError('There is no transaction in the file', undefined, 'NO_TRANSACTIONS');
  }
  const problems: Problem[] = [];
  const doubts: Problem[] = [];
  const firsts = new Map<string, SourceRow>();
  const malformed = new Set(source.problems.map(({ row }) => row));
  const transactions: JsonRecord[] = [];
  for (const source_ of source.rows) {
    const { row, line, value } = source_;
    if (malformed.has(row)) continue;
    const tell = (into: Problem[]) => (field: string, problem: string, hint?: string) =>
      void into.push({ row, line, field, problem, hint });
    const place: Place = { path: '', allowLong, now, wrong: tell(problems), doubt: tell(doubts) };
    if (!isRecord(value)) {
      place.wrong('', `must be an object, is ${shown(value)}`);
      continue;
    }
    const transaction = label === undefined || 'label' in value ? value : { ...value, label };
    checkFields(transaction, TRANSACTION, place);
    checkSides(transaction, place);
    const { transactionId } = transaction;
    if (typeof transactionId === 'string' && transactionId !== '') {
      const first = firsts.get(transactionId);
      if (first) place.wrong('transactionId', `is that of row ${first.row} too: ${shown(transactionId)}`);
      else firsts.set(transactionId, source_);
    }
    transactions.push(transaction);
  }
  const all = [...source.problems, ...problems].sort((a, b) => (a.row ?? 0) - (b.row ?? 0));
  const wrongRows = new Set(all.flatMap(({ row }) => (row === null ? [] : [row]))).size;
  return { payload: { walletId, transactions }, problems: all, doubts, wrongRows };
}

function checkSides(transaction: JsonRecord, place: Place): void {
  if ('sentCurrency' in transaction || 'receivedCurrency' in transaction || 'fee' in transaction) return;
  place.doubt('', 'moves nothing: it has no sentCurrency, no receivedCurrency and no fee');
}

function walletOf(own: unknown, given: string | undefined): string {
  if (own === undefined && given === undefined) {
    throw usageError(
      'There is no wallet to post to',
      'Name it: --wallet-id ID. cryptodata legacy integrations shows the ids.',
      'NO_WALLET',
    );
  }
  if (own === undefined && given !== undefined) return given;
  if (typeof own !== 'string' || own.trim() !== own || own === '') {
    throw usageError(`walletId must be the id of a wallet, is ${shown(own)}`, undefined, 'BAD_WALLET');
  }
  if (given === undefined || given === own) return own;
  throw usageError(
    `The file says walletId ${shown(own)}, and --wallet-id says ${shown(given)}`,
    'Say one of them.',
    'TWO_WALLETS',
  );
}
