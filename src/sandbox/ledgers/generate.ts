// The books of a believable workspace, out of a seed: same seed and size, same bytes, on any machine and day.

import { powerOfTen } from '../decimal.ts';
import { createRandom } from '../random.ts';
import { assetIndex, SPAM_START } from './assets.ts';
import { type Columns, INCOMING, OUTGOING } from './columns.ts';
import { createEvents } from './events.ts';
import { edgeMoments } from './moments.ts';
import { createPrices, SPAN_END, SPAN_START } from './prices.ts';
import type { Tally } from './truth.ts';
import { WALLETS } from './wallets.ts';
import { type Leg, type Positions, smallestUnit, Writer } from './writer.ts';

export interface Books {
  readonly columns: Columns;
  readonly tally: Tally;
  readonly transactions: number;
  readonly positions: Positions;
}

/** Wallets whose first purchases were never imported: what they hold and spend, the books do not know of. */
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

export function generateBooks(seed: string, size: number): Books {
  const random = createRandom(`${seed}/ledgers`);
  const writer = new Writer(size, random, createPrices(createRandom(`${seed}/prices`)));
  const events = createEvents(writer, random);
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
  let revealed = 0;
  let last: readonly Leg[] = [];

  function moment(): number {
    // The books close with the last instant of the year.
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

  /** Sells what was never bought, once for each such wallet, spread over the first part of the books. */
  function sale(): Leg[] | undefined {
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
    // The same leg again under other ids, as a file imported twice leaves it.
    if (last.length === 1 && only?.type === INCOMING && random.chance(0.02)) {
      writer.begin(writer.timestamp);
      writer.write(only);
      writer.tally.add('duplicates', true);
      writer.tally.duplicateRows.push(writer.row - 1);
      last = [];
      continue;
    }
    writer.begin(moment());
    last = sale() ?? (writer.room < MAX_LEGS ? events.income(wallet) : events.any(wallet));
    for (const leg of last) writer.write(leg);
  }
  writer.tally.transactions.end();
  const { columns, tally, transactions, positions } = writer;
  return { columns, tally, transactions, positions };
}
