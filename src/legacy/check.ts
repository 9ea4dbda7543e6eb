import { type Exact, exact } from '../core/decimal.ts';
import { usageError } from '../core/errors.ts';
import { isRecord, type JsonRecord } from '../core/json.ts';
import { checkFields, TRANSACTION } from './fields.ts';
import { type PayloadProblem, shown } from './problems.ts';
import type { PayloadSource, SourceRow } from './source.ts';
import type { TimeRead } from './times.ts';
import { digitsOf, type FieldPlace } from './values.ts';

export interface CheckOptions {
  /** `--wallet-id`. */
  readonly walletId?: string | undefined;
  /** Label for transactions without a label. */
  readonly label?: string | undefined;
  /** Whether to accept numbers with more digits than a double can represent. */
  readonly allowLong: boolean;
  /**
   * If true, a missing side, an amount of zero or less, or a repeated transactionId is reported in `doubts` instead of
   * `problems`.
   */
  readonly force?: boolean | undefined;
  readonly readTime: (value: unknown) => TimeRead;
}

export interface CheckedPayload {
  readonly payload: Payload;
  /** Empty if the payload can be sent. */
  readonly problems: readonly PayloadProblem[];
  /** Warnings. */
  readonly doubts: readonly PayloadProblem[];
  readonly times: ReadTimes;
}

/** How the times of a file were read. */
export interface ReadTimes {
  /** Number of timestamps without an offset, which are interpreted in the user's time zone. */
  local: number;
  /** Number of timestamps whose fractions of a millisecond were dropped. */
  cut: number;
  /** Number of timestamps that are a day without a time. `firstDay` is the start of the first of these days. */
  days: number;
  firstDay?: string;
}

export interface Payload {
  readonly walletId: string;
  readonly transactions: readonly JsonRecord[];
}

/**
 * Checks transactions against "Posted transaction" in the specification. Also looks for repeated transaction ids.
 *
 * @throws usage error if the file has no transactions, or if the wallet id is missing, invalid or ambiguous
 */
export function checkSource(source: PayloadSource, options: CheckOptions): CheckedPayload {
  const { allowLong, label, force, readTime } = options;
  const walletId = walletOf(source.walletId, options.walletId);
  if (source.rows.length === 0 && source.problems.length === 0) {
    throw usageError('The file contains no transactions', undefined, 'NO_TRANSACTIONS');
  }
  const problems: PayloadProblem[] = [];
  const doubts: PayloadProblem[] = [];
  const firsts = new Map<string, SourceRow>();
  const malformed = new Set(source.problems.map(({ row }) => row));
  const transactions: JsonRecord[] = [];
  const times: ReadTimes = { local: 0, cut: 0, days: 0 };
  for (const sourceRow of source.rows) {
    const { row, line, value } = sourceRow;
    if (malformed.has(row)) continue;
    const tell = (into: PayloadProblem[]) => (field: string, problem: string, hint?: string) =>
      void into.push({ row, line, field, problem, hint });
    const [wrong, doubt] = [tell(problems), tell(doubts)];
    const risk = force
      ? doubt
      : (field: string, problem: string, hint = '') => wrong(field, problem, forced(hint));
    const place: FieldPlace = { path: '', allowLong, wrong, risk, doubt };
    if (!isRecord(value)) {
      place.wrong('', `must be an object, not ${shown(value)}`);
      continue;
    }
    const labelled = label === undefined || 'label' in value ? value : { ...value, label };
    let transaction = labelled;
    if ('timestamp' in value) {
      const time = readTime(value['timestamp']);
      if ('milliseconds' in time) {
        transaction = { ...labelled, timestamp: time.milliseconds };
        count(time, times);
        if (time.doubt !== undefined) doubt('timestamp', time.doubt);
      } else wrong('timestamp', time.problem, time.hint);
    }
    checkFields(transaction, TRANSACTION, place);
    checkSides(transaction, place);
    const { transactionId } = transaction;
    if (typeof transactionId === 'string' && transactionId !== '') {
      const first = firsts.get(transactionId);
      if (first) {
        place.risk(
          'transactionId',
          `is also in row ${first.row}: ${shown(transactionId)}`,
          'The specification does not define how the service treats a repeated transactionId.',
        );
      } else firsts.set(transactionId, sourceRow);
    }
    transactions.push(transaction);
  }
  const all = [...source.problems, ...problems].sort((a, b) => (a.row ?? 0) - (b.row ?? 0));
  return { payload: { walletId, transactions }, problems: all, doubts, times };
}

function count(
  { isLocal, isCut, start }: Extract<TimeRead, { milliseconds: number }>,
  times: ReadTimes,
): void {
  if (isLocal) times.local += 1;
  if (isCut) times.cut += 1;
  if (start === undefined) return;
  times.days += 1;
  times.firstDay ??= start;
}

/** The sides that each transaction type requires. If a side is missing, running balances become wrong. */
const REQUIRED_SIDES: Readonly<Record<string, readonly string[]>> = {
  deposit: ['receivedCurrency'],
  withdrawal: ['sentCurrency'],
  trade: ['sentCurrency', 'receivedCurrency'],
};

function checkSides(transaction: JsonRecord, place: FieldPlace): void {
  const { transactionType: type } = transaction;
  const needed =
    (typeof type === 'string' && Object.hasOwn(REQUIRED_SIDES, type) && REQUIRED_SIDES[type]) || [];
  const missing = needed.filter((side) => !Object.hasOwn(transaction, side));
  if (missing.length > 0) {
    place.risk(
      '',
      `is a ${String(type)} without ${missing.join(' and ')}`,
      `Add ${missing.join(' and ')}, or change transactionType.`,
    );
  } else if (!['sentCurrency', 'receivedCurrency', 'fee'].some((side) => Object.hasOwn(transaction, side))) {
    place.risk('', 'has no sentCurrency, receivedCurrency or fee');
  }
  const other = type === 'deposit' ? 'sentCurrency' : type === 'withdrawal' ? 'receivedCurrency' : undefined;
  if (other !== undefined && missing.length === 0 && Object.hasOwn(transaction, other)) {
    place.doubt(other, `is unusual in a ${String(type)}; the row may be a trade`);
  }
}

function forced(hint: string): string {
  return `${hint} To send the row unchanged, use --force.`.trim();
}

function walletOf(own: unknown, given: string | undefined): string {
  if (own === undefined && given === undefined) {
    throw usageError(
      'The wallet id is missing',
      'Add --wallet-id ID. List the ids with: cryptodata legacy integrations',
      'NO_WALLET',
    );
  }
  if (own === undefined && given !== undefined) return given;
  if (typeof own !== 'string' || own.trim() !== own || own === '') {
    throw usageError(`walletId must be the id of a wallet, not ${shown(own)}`, undefined, 'BAD_WALLET');
  }
  if (given === undefined || given === own) return own;
  throw usageError(
    `The walletId in the file is ${shown(own)}, but --wallet-id is ${shown(given)}`,
    'Remove one of the two ids.',
    'TWO_WALLETS',
  );
}

const SIDE_FIELDS = [
  ['sentCurrency', 'sent'],
  ['receivedCurrency', 'received'],
  ['fee', 'fee'],
] as const;

interface Sum {
  readonly side: 'sent' | 'received' | 'fee';
  readonly currency: string;
  /** The exact sum, without an exponent. */
  readonly total: string;
  readonly count: number;
}

export interface Summary {
  readonly count: number;
  readonly types: ReadonlyMap<string, number>;
  /** Unix milliseconds. */
  readonly first: number;
  readonly last: number;
  readonly sums: readonly Sum[];
}

export function summarise(transactions: readonly JsonRecord[]): Summary {
  const types = new Map<string, number>();
  const sums = new Map<string, { side: Sum['side']; currency: string; total: Exact; count: number }>();
  let first = Number.POSITIVE_INFINITY;
  let last = Number.NEGATIVE_INFINITY;
  for (const transaction of transactions) {
    const type = String(transaction['transactionType']);
    types.set(type, (types.get(type) ?? 0) + 1);
    const time = Number(digitsOf(transaction['timestamp']));
    first = Math.min(first, time);
    last = Math.max(last, time);
    for (const [field, side] of SIDE_FIELDS) {
      const money = transaction[field];
      if (!isRecord(money)) continue;
      const amount = exact(digitsOf(money['amount']));
      const currency = String(money['currency']);
      if (amount === null) continue;
      const key = `${side} ${currency}`;
      const sum = sums.get(key) ?? { side, currency, total: amount.mul(0), count: 0 };
      sums.set(key, { ...sum, total: sum.total.plus(amount), count: sum.count + 1 });
    }
  }
  return {
    count: transactions.length,
    types,
    first,
    last,
    sums: SIDE_FIELDS.flatMap(([, side]) =>
      [...sums.values()]
        .filter((sum) => sum.side === side)
        .map((sum) => ({ ...sum, total: sum.total.toFixed() })),
    ),
  };
}
