import type { JsonRecord } from '../../../src/core/json.ts';
import { decimalText, randomOf, START, unitsOf } from './books.ts';

const SECOND = 1000;
const HOUR = 3600 * SECOND;

interface More {
  /** Milliseconds since the previous leg (default: one hour). */
  readonly after?: number;
  /** Balances from the service (default: computed from the previous legs). */
  readonly balances?: readonly [before: string | null, after: string | null];
  /** Name of the transaction, if several legs of the story belong to the same transaction. */
  readonly tx?: string;
  readonly [field: string]: unknown;
}

/** A few legs, and the expected findings. Stories do not share wallets or assets. A decoy has no expected findings. */
export class Story {
  readonly legs: JsonRecord[] = [];
  readonly expected: string[] = [];
  readonly #name: string;
  readonly #balances = new Map<string, bigint>();
  #time: number;

  constructor(name: string, start: number) {
    this.#name = name;
    this.#time = start;
  }

  /** @returns the id of the leg */
  leg(type: 'incoming' | 'outgoing' | 'fee', quantity: string, more: More = {}): string {
    const { after = HOUR, balances, tx, wallet = 'w', asset = 'x', ...fields } = more;
    this.#time += this.legs.length === 0 ? 0 : after;
    const id = `led_${this.#name}_${this.legs.length}`;
    const pair = `${wallet} ${asset}`;
    const before = this.#balances.get(pair) ?? 0n;
    const change = unitsOf(quantity);
    const then = type === 'incoming' ? before + change : before - change;
    this.#balances.set(pair, balances?.[1] ? unitsOf(balances[1]) : then);
    this.legs.push({
      ...{ id, type, quantity, timestamp: this.#time, transactionId: `txn_${this.#name}_${tx ?? id}` },
      ...{ walletId: `wal_${this.#name}_${wallet}`, syncId: `syn_${this.#name}` },
      assetId: `ast_${this.#name}_${asset}`,
      asset: { symbol: `${this.#name}${asset}`.toUpperCase() },
      ...{ price: { price: 2.5 }, label: 'Payment', baseCurrency: 'USD' },
      beforeBalance: balances ? balances[0] : decimalText(before),
      afterBalance: balances ? balances[1] : decimalText(then),
      ...{ costbasis: '1.5', proceeds: '2.75', profit: '1.25', debitCoaCode: '1510', creditCoaCode: '4000' },
      ...fields,
    });
    return id;
  }

  account(wallet: string): JsonRecord {
    return { provider: 'any', walletId: `wal_${this.#name}_${wallet}` };
  }

  again(at: number): void {
    this.legs.push({ ...this.legs[at] });
  }

  finds(check: string, ledgerId: string, amount: string | null): void {
    this.expected.push(`${check} ${ledgerId} ${amount}`);
  }
}

const ATTO = '0.000000000000000001';
const WITHDRAWAL = { label: 'Withdrawal' };
const ARRIVAL = { label: 'Deposit', wallet: 'v' };

/** Stories with every kind of fault, and decoys that only look like faults. */
export const STORIES: Readonly<Record<string, (story: Story) => void>> = {
  'starts from a balance other than 0'(story) {
    story.finds('opening-balance', story.leg('incoming', '5', { balances: ['20.5', '25.5'] }), '20.5');
  },
  'spends from an empty balance'(story) {
    const first = story.leg('fee', '0.25');
    story.finds('opening-balance', first, '0.25');
    story.finds('negative-balance', first, '0.25');
    story.leg('incoming', '1');
  },
  'starts from 0 in another notation (decoy)'(story) {
    for (const [at, zero] of ['0', '0.000', '-0', '0e5'].entries())
      story.leg('incoming', '5', { asset: `a${at}`, balances: [zero, '5.0'] });
    story.leg('incoming', '5', { asset: 'b', balances: [null, '5'] });
  },
  'falls below zero twice'(story) {
    story.leg('incoming', '5');
    story.finds('negative-balance', story.leg('outgoing', `7${ATTO.slice(1)}`), `2${ATTO.slice(1)}`);
    story.leg('incoming', '10');
    story.finds('negative-balance', story.leg('outgoing', '9'), `2.500000000000000001`);
    story.leg('outgoing', '1.5');
  },
  'falls to exactly 0 (decoy)'(story) {
    story.leg('incoming', '5');
    story.leg('outgoing', '5');
    story.leg('incoming', '3');
    story.leg('outgoing', '3', { balances: ['3', '-0.000'] });
    story.leg('incoming', '2', { balances: ['0', '2'] });
  },
  'has no running balance'(story) {
    story.leg('incoming', '5');
    const unknown = { balances: [null, null] } as const;
    story.finds('unknown-balance', story.leg('incoming', '1.25', unknown), '3.75');
    story.leg('outgoing', '2.5', unknown);
  },
  'starts from a balance other than that of the previous leg'(story) {
    story.leg('incoming', '5');
    story.finds(
      'broken-chain',
      story.leg('incoming', '1', { balances: ['5.000000000000000001', '6.000000000000000001'] }),
      ATTO,
    );
    story.leg('outgoing', '1');
  },
  'has equal balances in two notations (decoy)'(story) {
    story.leg('incoming', '1.5', { balances: ['0', '1.50'] });
    story.leg('incoming', '2.50', { balances: ['1.5', '4'] });
    story.leg('outgoing', '0', { balances: ['4.000', '4'] });
    story.leg('fee', '0.000', { balances: ['4', '4.0'] });
    story.leg('outgoing', '4', { balances: ['4.0', '-0'], quantity: '40e-1' });
  },
  'does not add up to its balance'(story) {
    story.leg('incoming', '5');
    story.finds('arithmetic', story.leg('outgoing', '2', { balances: ['5', '3.000000000000000001'] }), ATTO);
    story.leg('incoming', '1');
  },
  'has the same time as another leg and a fee, with ids in another order (decoy)'(story) {
    story.leg('incoming', '9');
    story.leg('outgoing', '4', { balances: ['8.5', '4.5'], tx: 't' });
    story.leg('fee', '0.5', { balances: ['9', '8.5'], tx: 't', after: 0 });
    story.leg('incoming', '1', { balances: ['4.5', '5.5'] });
  },
  'leaves a wallet and arrives in no other'(story) {
    story.leg('incoming', '9');
    story.finds('unmatched-transfer', story.leg('outgoing', '2', WITHDRAWAL), '2');
    story.leg('incoming', '1', { wallet: 'v' });
    story.finds('unmatched-transfer', story.leg('outgoing', '3', { toAccount: story.account('v') }), '3');
  },
  'arrives without having left a wallet'(story) {
    story.finds('unmatched-transfer', story.leg('incoming', '3', ARRIVAL), '3');
  },
  'arrives 16 hours later'(story) {
    story.leg('incoming', '9');
    story.finds('unmatched-transfer', story.leg('outgoing', '2', WITHDRAWAL), '2');
    story.finds('unmatched-transfer', story.leg('incoming', '2', { ...ARRIVAL, after: 16 * HOUR }), '2');
  },
  'loses 3 % on the way'(story) {
    story.leg('incoming', '9');
    story.finds('unmatched-transfer', story.leg('outgoing', '2', WITHDRAWAL), '2');
    story.finds('unmatched-transfer', story.leg('incoming', '1.94', ARRIVAL), '1.94');
  },
  'arrives in time, reduced by a fee (decoy)'(story) {
    story.leg('incoming', '90');
    story.leg('outgoing', '10', { ...WITHDRAWAL, tx: 't' });
    story.leg('fee', '1', { after: 0, tx: 't' });
    story.leg('incoming', '9', ARRIVAL);
    story.leg('incoming', '4', { ...ARRIVAL, after: 40 * HOUR });
    story.leg('outgoing', '4.0', WITHDRAWAL);
  },
  'arrives in time, less a fee without a leg'(story) {
    story.leg('incoming', '9');
    story.finds('unmatched-transfer', story.leg('outgoing', '2', WITHDRAWAL), '0.04');
    story.leg('incoming', '1.96', { ...ARRIVAL, after: 15 * HOUR });
  },
  'pays others, or moves fiat money (decoy)'(story) {
    story.leg('incoming', '9', { label: 'Staking reward' });
    story.leg('outgoing', '2');
    const fiat = { asset: 'eur', label: 'Deposit' };
    story.leg('incoming', '100', fiat);
    for (const leg of story.legs.slice(2))
      Object.assign(leg, { asset: { symbol: String(leg['assetId']), type: 'fiat' } });
  },
  'is listed twice'(story) {
    const id = story.leg('incoming', '5');
    story.again(0);
    story.finds('duplicate', id, '5');
    // Both records start from the same balance, so the second record breaks the chain.
    story.finds('broken-chain', id, '5');
    story.leg('outgoing', '1');
  },
  'is imported twice'(story) {
    story.leg('incoming', '50');
    story.leg('outgoing', '1.50');
    story.finds('duplicate', story.leg('outgoing', '1.5', { after: 10 * SECOND, syncId: 'other' }), '1.5');
  },
  'equals another leg, but 11 seconds later or in the same transaction (decoy)'(story) {
    story.leg('incoming', '50');
    story.leg('outgoing', '1.5');
    story.leg('outgoing', '1.5', { after: 11 * SECOND });
    story.leg('outgoing', '2', { tx: 't' });
    story.leg('outgoing', '2', { tx: 't', after: 0 });
    story.leg('incoming', '2', { after: SECOND });
    story.leg('incoming', '2', { after: SECOND, wallet: 'v' });
  },
  'has no price'(story) {
    story.leg('incoming', '5');
    story.finds('missing-price', story.leg('incoming', '1.5', { price: null }), '2.5');
    story.leg('outgoing', '1', { price: null });
  },
  'has no resolved asset, and so no price'(story) {
    const raw = { assetId: null, asset: null, assetRaw: { symbol: `RAW-${story.legs.length}` }, price: null };
    const first = story.leg('incoming', '5', raw);
    for (const leg of story.legs) leg['assetRaw'] = { symbol: `RAW-${first}` };
    story.finds('missing-asset', first, '5');
    story.finds('missing-price', first, '5');
  },
  'shares a symbol with another asset'(story) {
    const first = story.leg('incoming', '5');
    const { asset } = story.legs[0] ?? {};
    story.leg('incoming', '5', { asset: 'y' });
    Object.assign(story.legs[1] ?? {}, { asset });
    story.finds('imitated-asset', first, null);
  },
  'has no cost basis yet'(story) {
    story.finds('unfinished-accounting', story.leg('incoming', '5', { costbasis: null }), '6');
    story.leg('incoming', '1', { costbasis: null });
  },
  'has a wrong profit'(story) {
    story.finds('profit', story.leg('incoming', '5', { profit: '1.250000000000000001' }), null);
    story.leg('incoming', '5', { proceeds: '2.750', profit: '1.25' });
    story.leg('incoming', '5', { costbasis: '-0', proceeds: '0', profit: '0.00' });
  },
  'is posted to only one account'(story) {
    story.finds('half-posted', story.leg('incoming', '5', { creditCoaCode: null }), null);
  },
  'belongs to a transaction that is only partly posted'(story) {
    const none = { debitCoaCode: null, creditCoaCode: null };
    story.leg('incoming', '5', { tx: 't' });
    story.finds('half-posted', story.leg('incoming', '6', { ...none, tx: 't', after: 0 }), null);
  },
  'is in a transaction without codes (decoy)'(story) {
    const none = { debitCoaCode: '', creditCoaCode: null };
    story.leg('incoming', '5', { ...none, tx: 't' });
    story.leg('incoming', '6', { ...none, tx: 't', after: 0 });
  },
};

/** Repeats each story as often as `times` says. Each repetition starts at a random time within `days` days. */
export function tellStories(seed: number, times: number, days: number) {
  const random = randomOf(seed);
  const legs: JsonRecord[] = [];
  const expected: string[] = [];
  for (const [number, tell] of Object.values(STORIES).entries()) {
    for (let time = 0; time < times; time++) {
      const story = new Story(`s${number}n${time}`, START + random(days * 24 * HOUR));
      tell(story);
      legs.push(...story.legs);
      expected.push(...story.expected);
    }
  }
  return { legs, expected: expected.sort() };
}
