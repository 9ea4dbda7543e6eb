// Generates the events of the workspace, such as trades and transfers. Each event has the legs of one transaction.

import { powerOfTen } from '../core/decimal.ts';
import type { Random } from '../core/random.ts';
import { ASSETS, assetIndex, SPAM_START, UNRESOLVED_START } from './assets.ts';
import { FEE, INCOMING, OUTGOING } from './columns.ts';
import { WALLETS } from './wallets.ts';
import { type GeneratedLeg, smallestUnit, type Writer } from './writer.ts';

/** Indexes into KINDS. */
const DEPOSIT = 0;
const WITHDRAWAL = 1;
const TRADE = 2;
const TRANSFER = 3;
const STAKING = 4;
const UNLABELLED = 5;
const PAYMENT = 6;

/** Creates the legs of an event. Returns undefined if the event is impossible; the caller then creates a deposit instead. */
type Event = (wallet: number) => GeneratedLeg[] | undefined;

export function createTrades(writer: Writer, random: Random) {
  const natives = WALLETS.map(({ native }) => assetIndex(native));
  const traded = WALLETS.map(({ trades }) => trades.map(assetIndex));
  const some = (list: readonly number[] | undefined) => list?.[random.below(list.length)] ?? 0;
  const native = (wallet: number) => natives[wallet] ?? 0;
  const isExchange = (wallet: number) => WALLETS[wallet]?.kind === 'exchange';
  let spam = 0;

  /** Creates a fee leg if the remaining balance is large enough. */
  function fee(wallet: number, kind: number, size: number, spent?: GeneratedLeg): GeneratedLeg[] {
    const asset = native(wallet);
    const quantity = worth(writer, random, asset, size);
    const left = writer.available(wallet, asset) - (spent?.asset === asset ? spent.quantity : 0n);
    return left > quantity ? [{ type: FEE, wallet, asset, quantity, kind }] : [];
  }

  const income = (wallet: number): GeneratedLeg[] => {
    const asset = random.chance(0.75) ? native(wallet) : some(traded[wallet]);
    const money = isExchange(wallet) ? typicalSize(random) * 6 + 200 : typicalSize(random) * 2;
    return [{ type: INCOMING, wallet, asset, quantity: worth(writer, random, asset, money), kind: DEPOSIT }];
  };

  const reward: Event = (wallet) => {
    const asset = isExchange(wallet) ? some(traded[wallet]) : native(wallet);
    return [
      {
        type: INCOMING,
        wallet,
        asset,
        quantity: worth(writer, random, asset, random.next() * 4),
        kind: STAKING,
      },
    ];
  };

  const dust: Event = (wallet) => {
    const asset = native(wallet);
    const quantity = BigInt(1 + random.below(999));
    return ASSETS[asset]?.decimals === 18
      ? [{ type: INCOMING, wallet, asset, quantity, kind: UNLABELLED }]
      : undefined;
  };

  /** Trades the native asset against another asset, in either direction. Most trades have a fee. */
  const trade: Event = (wallet) => {
    const [base, quote] = random.chance(0.5)
      ? [some(traded[wallet]), native(wallet)]
      : [native(wallet), some(traded[wallet])];
    if (base === quote) return undefined;
    const sold = partOf(writer.available(wallet, quote), random, quote);
    if (sold === undefined) return undefined;
    const money = (Number(sold) / 1e18) * writer.price(quote);
    const bought = worth(writer, random, base, money);
    const out: GeneratedLeg = { type: OUTGOING, wallet, asset: quote, quantity: sold, kind: TRADE };
    return [
      out,
      { type: INCOMING, wallet, asset: base, quantity: bought, kind: TRADE },
      ...(random.chance(0.7) ? fee(wallet, TRADE, Math.min(40, money * 0.002 + 0.01), out) : []),
    ];
  };

  const transfer: Event = (wallet) => {
    const asset = random.chance(0.5) ? native(wallet) : some(traded[wallet]);
    const other = random.below(WALLETS.length);
    const quantity = partOf(writer.available(wallet, asset), random, asset);
    if (quantity === undefined || other === wallet || ASSETS[asset]?.type === 'fiat') return undefined;
    const out: GeneratedLeg = { type: OUTGOING, wallet, asset, quantity, kind: TRANSFER, other };
    return [
      out,
      ...(random.chance(0.6) ? fee(wallet, TRANSFER, 0.1 + random.next() * 6, out) : []),
      { type: INCOMING, wallet: other, asset, quantity, kind: TRANSFER, other: wallet },
    ];
  };

  const spend: Event = (wallet) => {
    const asset = random.chance(0.5) ? native(wallet) : some(traded[wallet]);
    const quantity = partOf(writer.available(wallet, asset), random, asset);
    if (quantity === undefined) return undefined;
    const kind = random.chance(0.5) ? PAYMENT : WITHDRAWAL;
    const out: GeneratedLeg = { type: OUTGOING, wallet, asset, quantity, kind };
    return [out, ...fee(wallet, kind, 0.1 + random.next() * 9, out)];
  };

  const gas: Event = (wallet) => {
    const legs = isExchange(wallet) ? [] : fee(wallet, UNLABELLED, 0.2 + random.next() * 12);
    return legs.length === 0 ? undefined : legs;
  };

  /** Uses the spam tokens in turn, so that even a small workspace contains every spam token. */
  const airdrop: Event = (wallet) => {
    if (isExchange(wallet)) return undefined;
    const asset = SPAM_START + (spam % (UNRESOLVED_START - SPAM_START));
    spam += 1;
    const quantity = worth(writer, random, asset, random.next() * 0.01);
    return [{ type: INCOMING, wallet, asset, quantity, kind: UNLABELLED }];
  };

  const unresolved: Event = (wallet) => {
    const asset = UNRESOLVED_START + random.below(ASSETS.length - UNRESOLVED_START);
    const type = random.chance(0.7) ? INCOMING : OUTGOING;
    return [{ type, wallet, asset, quantity: worth(writer, random, asset, 0), kind: UNLABELLED }];
  };

  const deck: readonly [Event, ...Event[]] = [
    ...repeat(trade, 42),
    ...repeat(transfer, 12),
    ...repeat(spend, 10),
    ...repeat(reward, 11),
    ...repeat(income, 8),
    ...repeat(gas, 5),
    ...repeat(airdrop, 7),
    ...repeat(unresolved, 3),
    ...repeat(dust, 2),
    trade,
  ];
  return {
    /** A transaction of one to three legs. */
    any: (wallet: number) => random.pick(deck)(wallet) ?? income(wallet),
    /** A transaction of one leg. */
    income,
  };
}

function repeat(event: Event, times: number): [Event, ...Event[]] {
  return [event, ...new Array<Event>(times - 1).fill(event)];
}

/** Typical amounts in the base currency: mostly small, rarely huge. */
const SIZES = [
  0.4, 3, 12, 30, 60, 90, 150, 240, 400, 700, 1200, 2500, 6000, 15_000, 80_000, 4_000_000,
] as const;

function typicalSize(random: Random): number {
  // Taking the smaller of two random numbers makes large amounts rare.
  const draw = Math.min(random.below(SIZES.length), random.below(SIZES.length + 2));
  return (SIZES[draw] ?? 100) * (0.5 + random.next());
}

/** Converts an amount of money to a quantity in units of 10^-18. For an asset without a price, the quantity is random. */
function worth(writer: Writer, random: Random, asset: number, money: number): bigint {
  const price = writer.price(asset);
  const amount = price === 0 ? 1 + random.next() * 1_000_000 : money / price;
  const decimals = ASSETS[asset]?.decimals ?? 18;
  const unit = smallestUnit(asset);
  if (amount >= 9_000_000) return BigInt(Math.floor(amount)) * powerOfTen(18);
  let units = BigInt(Math.floor(amount * 1e9)) * powerOfTen(9);
  if (decimals > 9) units += BigInt(random.below(1_000_000_000)) * powerOfTen(Math.max(0, 18 - decimals));
  units -= units % unit;
  return units > 0n ? units : unit;
}

/** Returns a random part of the balance. Returns undefined if the part is less than the smallest unit. */
function partOf(available: bigint, random: Random, asset: number): bigint | undefined {
  if (available <= 0n) return undefined;
  const share = random.chance(0.04) ? 1000 : 1 + random.below(400);
  const part = (available * BigInt(share)) / 1000n;
  const cut = part - (part % smallestUnit(asset));
  return cut > 0n ? cut : undefined;
}
