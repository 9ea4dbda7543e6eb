import { usageError } from '../core/errors.ts';
import { isRecord, type JsonRecord } from '../core/json.ts';
import { checkFields, type Fields, type Place, TRANSACTION } from './fields.ts';
import type { TimeRead } from './local-time.ts';
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
  /** Send one-sided trades, wrong sides and amounts of zero or below. */
  readonly force?: boolean | undefined;
  /** Reads a timestamp that is text; undefined for text that is not a date. */
  readonly readTime?: ((text: string) => TimeRead | undefined) | undefined;
}

/** What will be sent, or what is wrong with it. */
export interface Checked {
  readonly payload: Payload;
  /** Empty where it can be sent. */
  readonly problems: readonly Problem[];
  /** What is odd, and no reason not to send it. */
  readonly doubts: readonly Problem[];
  /** Rows whose time has no offset, and was read in the zone of the user. */
  readonly localTimes: number;
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
  const { allowLong, now, label, force, readTime } = options;
  const walletId = walletOf(source.walletId, options.walletId);
  if (source.rows.length === 0 && source.problems.length === 0) {
    throw usageError('There is no transaction in the file', undefined, 'NO_TRANSACTIONS');
  }
  const problems: Problem[] = [];
  const doubts: Problem[] = [];
  const firsts = new Map<string, SourceRow>();
  const malformed = new Set(source.problems.map(({ row }) => row));
  const transactions: JsonRecord[] = [];
  let localTimes = 0;
  for (const source_ of source.rows) {
    const { row, line, value } = source_;
    if (malformed.has(row)) continue;
    const tell = (into: Problem[]) => (field: string, problem: string, hint?: string) =>
      void into.push({ row, line, field, problem, hint });
    const [wrong, doubt] = [tell(problems), tell(doubts)];
    const risk = force
      ? doubt
      : (field: string, problem: string, hint = '') => wrong(field, problem, forced(hint));
    const place: Place = { path: '', allowLong, now, wrong, risk, doubt };
    if (!isRecord(value)) {
      place.wrong('', `must be an object, is ${shown(value)}`);
      continue;
    }
    const labelled = label === undefined || 'label' in value ? value : { ...value, label };
    const time = typeof value['timestamp'] === 'string' ? readTime?.(value['timestamp']) : undefined;
    let transaction = labelled;
    if (time && 'milliseconds' in time) {
      transaction = { ...labelled, timestamp: time.milliseconds };
      if (time.local) localTimes += 1;
      if (time.doubt !== undefined) doubt('timestamp', time.doubt);
    } else if (time) wrong('timestamp', time.problem, time.hint);
    checkFields(transaction, time && 'problem' in time ? WITHOUT_TIME : TRANSACTION, place);
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
  return { payload: { walletId, transactions }, problems: all, doubts, localTimes };
}

/** The time was read already, and is wrong. */
const WITHOUT_TIME: Fields = { ...TRANSACTION, timestamp: { required: true, check: () => {} } };

/** The sides that a type must have: without them the running balances would be wrong. */
const SIDES: Readonly<Record<string, readonly string[]>> = {
  deposit: ['receivedCurrency'],
  withdrawal: ['sentCurrency'],
  trade: ['sentCurrency', 'receivedCurrency'],
};

function checkSides(transaction: JsonRecord, place: Place): void {
  const { transactionType: type } = transaction;
  const needed = (typeof type === 'string' && Object.hasOwn(SIDES, type) && SIDES[type]) || [];
  const missing = needed.filter((side) => !Object.hasOwn(transaction, side));
  if (missing.length > 0) {
    place.risk(
      '',
      `is a ${String(type)} without ${missing.join(' and ')}`,
      'Add it, or correct transactionType.',
    );
  } else if (!['sentCurrency', 'receivedCurrency', 'fee'].some((side) => Object.hasOwn(transaction, side))) {
    place.risk('', 'moves nothing: it has no sentCurrency, no receivedCurrency and no fee');
  }
  const other = type === 'deposit' ? 'sentCurrency' : type === 'withdrawal' ? 'receivedCurrency' : undefined;
  if (other !== undefined && missing.length === 0 && Object.hasOwn(transaction, other)) {
    place.doubt(other, `is unusual in a ${String(type)}: is it a trade?`);
  }
}

function forced(hint: string): string {
  return `${hint} --force sends it as it is.`.trim();
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
