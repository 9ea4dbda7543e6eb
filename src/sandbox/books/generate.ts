// Generates the books of a realistic workspace from a seed. The same seed and size always produce the same bytes.

import { powerOfTen } from '../core/decimal.ts';
import { createRandom } from '../core/random.ts';
import { assetIndex, SPAM_START } from './assets.ts';
import { INCOMING, OUTGOING } from './columns.ts';
import { createPrices, SPAN_END, SPAN_START } from './prices.ts';
import { createTrades } from './trades.ts';
import { WALLETS } from './wallets.ts';
import { type GeneratedLeg, smallestUnit, Writer } from './writer.ts';

export type GeneratedBooks = ReturnType<typeof generateBooks>;

/** Purchases that were never imported, so that the balances of their wallets and assets are too low in the books. */
const UNRECORDED: readonly (readonly [provider: string, asset: string | number, amount: number])[] = [
  ['kraken', 'BTC', 4],
  ['coinbase', 'ETH', 41],
  ['binance', 'SHIB', 900_000_000],
  ['metamask', 'LINK', 2500],
  ['ledger', 'WBTC', 1],
  ['polygon', 'POL', 12_000],
  ['solana', 'SOL', 300],
  ['cosmoshub', 'ATOM', 900],
  ['metamask', SPAM_START, 100_000],
  ['ethereum', SPAM_START + 6, 5_000_000],
  ['arbitrumone', SPAM_START + 10, 777],
];

const MAX_LEGS = 3;

export function generateBooks(seed: string, size: number) {
  const random = createRandom(`${seed}/ledgers`);
  const writer = new Writer(size, random, createPrices(createRandom(`${seed}/prices`)));
  const events = createTrades(writer, random);
  const edges = edgeMoments(2020, 2025).filter(
    (moment, index) => moment >= SPAN_START && (size >= 600 || index % 8 === 0),
  );
  const unrecorded = UNRECORDED.map(([provider, asset, amount]) => ({
    wallet: WALLETS.findIndex(({ providerId }) => providerId === provider),
    asset: typeof asset === 'string' ? assetIndex(asset) : asset,
    quantity: BigInt(amount) * powerOfTen(18),
  }));
  for (const { wallet, asset, quantity } of unrecorded) writer.hide(wallet, asset, quantity);
  const turns = WALLETS.flatMap(({ weight }, wallet) => new Array<number>(weight).fill(wallet));
  /** Rows that repeat the row before them, as if a file had been imported twice. */
  const duplicates: number[] = [];
  let revealed = 0;
  let last: readonly GeneratedLeg[] = [];

  function moment(): number {
    // The books end in the last millisecond of the year.
    const closing = size > 3 * MAX_LEGS && writer.room <= MAX_LEGS;
    const share = closing ? 1 : (writer.row + random.next()) / size;
    const slot = SPAN_START + Math.floor((SPAN_END - SPAN_START) * share);
    const edge = edges[0];
    if (edge !== undefined && edge <= slot) {
      edges.shift();
      return edge;
    }
    return random.chance(0.05) ? writer.timestamp : slot;
  }

  /**
   * Sells an asset whose purchase is not recorded: the next entry in UNRECORDED. Returns undefined if this sale is not due yet.
   * The sales are spread over the books.
   */
  function sale(): GeneratedLeg[] | undefined {
    const next = unrecorded[revealed];
    if (next === undefined || writer.row * (unrecorded.length + 4) < size * (revealed + 1)) return undefined;
    revealed += 1;
    const { wallet, asset, quantity } = next;
    const sold =
      writer.recorded(wallet, asset) + quantity / 2n + smallestUnit(asset) * BigInt(random.below(97));
    return [{ type: OUTGOING, wallet, asset, quantity: sold, kind: 1 }];
  }

  while (writer.room > 0) {
    const wallet = turns[random.below(turns.length)] ?? 0;
    const [only] = last;
    // Write the previous leg again under new ids, as if a file had been imported twice.
    if (last.length === 1 && only?.type === INCOMING && random.chance(0.02)) {
      writer.begin(writer.timestamp);
      writer.write(only);
      duplicates.push(writer.row - 1);
      last = [];
      continue;
    }
    writer.begin(moment());
    last = sale() ?? (writer.room < MAX_LEGS ? events.income(wallet) : events.any(wallet));
    for (const leg of last) writer.write(leg);
  }
  const { columns, transactions, positions } = writer;
  return { columns, duplicates, transactions, positions };
}

const HOUR = 3_600_000;

/** The nth Sunday of a month, at an hour in UTC. `nth` is 1 for the first Sunday and 0 for the last Sunday. */
function sunday(year: number, month: number, nth: number, hour: number): number {
  if (nth === 0) {
    const last = new Date(Date.UTC(year, month + 1, 0));
    return Date.UTC(year, month, last.getUTCDate() - last.getUTCDay(), hour);
  }
  const first = new Date(Date.UTC(year, month, 1)).getUTCDay();
  return Date.UTC(year, month, 1 + ((7 - first) % 7) + (nth - 1) * 7, hour);
}

function ofYear(year: number): number[] {
  const newYear = Date.UTC(year, 0, 1);
  const moments = [
    newYear,
    newYear - HOUR,
    newYear - HOUR - 1,
    newYear + 5 * HOUR,
    sunday(year, 2, 0, 1) - 1,
    sunday(year, 2, 0, 1),
    sunday(year, 9, 0, 0) + HOUR / 2,
    sunday(year, 9, 0, 1) + HOUR / 2,
    sunday(year, 2, 2, 7),
    sunday(year, 10, 1, 5) + HOUR / 2,
    sunday(year, 10, 1, 6) + HOUR / 2,
    Date.UTC(year + 1, 0, 1) - 1,
  ];
  return year % 4 === 0 ? [...moments, Date.UTC(year, 1, 29, 12)] : moments;
}

/** Times at which software often fails: clock changes, the leap day, and the turn of the year in several time zones. */
function edgeMoments(firstYear: number, lastYear: number): number[] {
  const years = Array.from({ length: lastYear - firstYear + 1 }, (_, index) => firstYear + index);
  return years.flatMap(ofYear).sort((a, b) => a - b);
}
