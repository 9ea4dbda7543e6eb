import type { JsonRecord } from '../../../src/core/json.ts';

/** Books without errors. Balances are consistent, transfers arrive, and every leg has a price and account codes. */
export interface Books {
  readonly legs: JsonRecord[];
  /** For each wallet/asset pair, the indexes of its legs in `legs`. */
  readonly pairs: ReadonlyMap<string, readonly number[]>;
}

const DAY = 86_400_000;
export const START = Date.UTC(2025, 0, 1);
const WALLETS = ['kraken', 'binance', 'metamask', 'ledger', 'coinbase', 'cold'];
const ASSETS = ['BTC', 'ETH', 'SOL', 'USDC', 'LINK', 'ADA', 'DOT'];
const UNIT = 10n ** 18n;
/** The price of every asset. */
const PRICE = 2.5;

export function randomOf(seed: number): (limit: number) => number {
  let state = seed >>> 0;
  return (limit) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * limit);
  };
}

export function decimalText(units: bigint): string {
  const sign = units < 0n ? '-' : '';
  const digits = (units < 0n ? -units : units).toString().padStart(19, '0');
  const text = `${digits.slice(0, -18)}.${digits.slice(-18)}`.replace(/\.?0+$/, '');
  return sign + text;
}

export function unitsOf(text: string): bigint {
  const [whole = '0', fraction = ''] = text.replace('-', '').split('.');
  const units = BigInt(whole) * UNIT + BigInt(fraction.padEnd(18, '0').slice(0, 18));
  return text.startsWith('-') ? -units : units;
}

interface Part {
  readonly type: 'incoming' | 'outgoing' | 'fee';
  readonly wallet: string;
  readonly asset: string;
  readonly units: bigint;
  readonly other?: string;
}

/** @param days length of the history in days */
export function cleanBooks(seed: number, size: number, days = 365): Books {
  const random = randomOf(seed);
  const legs: JsonRecord[] = [];
  const pairs = new Map<string, number[]>();
  const balances = new Map<string, bigint>();
  const held = (wallet: string, asset: string) => balances.get(`${wallet} ${asset}`) ?? 0n;
  const some = <T>(list: readonly T[]): T => list[random(list.length)] as T;
  const quantity = () => BigInt(1 + random(1_000_000)) * 10n ** BigInt(9 + random(10)) + BigInt(random(1e9));
  let transactions = 0;
  let time = START;
  const step = Math.max(1, Math.floor((days * DAY) / Math.max(1, size)));

  function write(label: string, parts: readonly Part[], at = time): void {
    transactions += 1;
    for (const { type, wallet, asset, units, other } of parts) {
      const key = `${wallet} ${asset}`;
      const before = balances.get(key) ?? 0n;
      const after = type === 'incoming' ? before + units : before - units;
      balances.set(key, after);
      const pair = pairs.get(key);
      if (pair) pair.push(legs.length);
      else pairs.set(key, [legs.length]);
      const own = { provider: wallet, walletId: `wal_${wallet}` };
      const account = other ? { provider: other, walletId: `wal_${other}` } : null;
      legs.push({
        id: `led_${String(legs.length).padStart(7, '0')}`,
        transactionId: `txn_${transactions}`,
        type,
        assetId: `ast_${asset}`,
        assetRaw: { symbol: asset },
        asset: { symbol: asset, name: asset },
        quantity: decimalText(units),
        baseCurrency: 'USD',
        price: { price: PRICE, baseCurrency: 'USD', timestamp: at, source: 'market' },
        value: Number(decimalText(units)) * PRICE,
        timestamp: at,
        walletId: `wal_${wallet}`,
        syncId: `syn_${wallet}_${Math.floor(at / DAY)}`,
        fromAccount: type === 'incoming' ? account : own,
        toAccount: type === 'incoming' ? own : account,
        label,
        beforeBalance: decimalText(before),
        afterBalance: decimalText(after),
        costbasis: '1.5',
        proceeds: '2.75',
        profit: '1.25',
        debitCoaCode: '1510',
        creditCoaCode: '4000',
        isEdited: false,
      });
    }
  }

  while (legs.length < size) {
    time += 1 + random(2 * step);
    const [wallet, asset] = [some(WALLETS), some(ASSETS)];
    const available = held(wallet, asset);
    const fee = { type: 'fee', wallet, asset, units: BigInt(1 + random(1000)) * 10n ** 9n } as const;
    const part = available / BigInt(2 + random(9));
    switch (part <= fee.units * 2n ? 0 : random(8)) {
      case 0:
        write('Purchase', [{ type: 'incoming', wallet, asset, units: quantity() * 1000n }]);
        break;
      case 1: {
        // Two equal fills in one transaction are not duplicates.
        const units = part / 2n;
        const fill = { type: 'outgoing', wallet, asset, units } as const;
        write('Trade', [
          fill,
          fill,
          {
            type: 'incoming',
            wallet,
            asset: some(ASSETS.filter((name) => name !== asset)),
            units: quantity(),
          },
        ]);
        break;
      }
      case 2:
      case 3: {
        const to = some(WALLETS.filter((name) => name !== wallet));
        write('Transfer', [
          { type: 'outgoing', wallet, asset, units: part, other: to },
          { type: 'incoming', wallet: to, asset, units: part, other: wallet },
        ]);
        break;
      }
      case 4: {
        // The withdrawal and the deposit are separate transactions, at most an hour apart. Sometimes the quantity that arrives
        // is smaller by the fee.
        const to = some(WALLETS.filter((name) => name !== wallet));
        const kept = random(2) === 0 ? part / 200n : 0n;
        write('Withdrawal', [
          { type: 'outgoing', wallet, asset, units: part },
          kept === 0n ? fee : { ...fee, units: kept },
        ]);
        time += 1 + random(3_600_000);
        write('Deposit', [{ type: 'incoming', wallet: to, asset, units: part - kept }]);
        break;
      }
      case 5:
        write('Payment', [{ type: 'outgoing', wallet, asset, units: part }, fee]);
        break;
      case 6:
        write('Staking reward', [{ type: 'incoming', wallet, asset, units: quantity() }]);
        break;
      default:
        // The same payment a minute later is not a duplicate.
        write('Payment', [{ type: 'outgoing', wallet, asset, units: part / 3n }]);
        time += 60_000;
        write('Payment', [{ type: 'outgoing', wallet, asset, units: part / 3n }]);
    }
  }
  return { legs, pairs };
}

export function shuffled<T>(list: readonly T[], seed: number): T[] {
  const random = randomOf(seed);
  const mixed = [...list];
  for (let at = mixed.length - 1; at > 0; at--) {
    const other = random(at + 1);
    [mixed[at], mixed[other]] = [mixed[other] as T, mixed[at] as T];
  }
  return mixed;
}
