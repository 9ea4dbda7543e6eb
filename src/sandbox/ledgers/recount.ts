// Counts the ledgers anew after they were changed, for the truth: row by row, and through no filter of the routes.

import type { Catalogue } from './catalogue.ts';
import {
  type Columns,
  EDITED,
  HALF_POSTED,
  INCOMING,
  NO_BALANCE,
  OUTGOING,
  PROFIT_OFF,
  UNPROCESSED,
} from './columns.ts';
import type { Overlay } from './overlay.ts';
import { Tally } from './truth.ts';

const DAY = 86_400_000;

export interface Recount {
  readonly tally: Tally;
  readonly ledgers: number;
  readonly transactions: number;
  readonly firstTimestamp: number | null;
  readonly lastTimestamp: number | null;
}

export function recount(
  overlay: Overlay,
  { assets, labels }: Catalogue,
  duplicates: readonly number[],
): Recount {
  const tally = new Tally();
  const touched = overlay.touched();
  const legs = new Map<number, number[]>();
  let [ledgers, transactions, open] = [0, 0, -1];
  let firstTimestamp: number | null = null;
  let lastTimestamp: number | null = null;

  function begin(transaction: number): void {
    if (transaction === open) return;
    open = transaction;
    transactions += 1;
    tally.transactions.begin(transaction);
  }

  for (const row of inOrder(overlay)) {
    const { columns, index } = overlay.locate(row);
    const timestamp = columns.timestamp[index] ?? 0;
    const transaction = columns.transaction[index] ?? 0;
    tally.add('ties', timestamp === lastTimestamp);
    firstTimestamp ??= timestamp;
    lastTimestamp = timestamp;
    ledgers += 1;
    countLeg(tally, columns, index, row, assets);
    if (touched.has(transaction)) {
      const rows = legs.get(transaction) ?? [];
      rows.push(row);
      legs.set(transaction, rows);
      continue;
    }
    begin(transaction);
    tally.transactions.leg(talliedLeg(columns, index, labels));
  }
  for (const [transaction, rows] of legs) {
    begin(transaction);
    for (const row of rows) {
      const { columns, index } = overlay.locate(row);
      tally.transactions.leg(talliedLeg(columns, index, labels));
    }
  }
  tally.transactions.end();
  tally.counts.duplicates = duplicates.filter((row) => !overlay.removed.has(row)).length;
  return { tally, ledgers, transactions, firstTimestamp, lastTimestamp };
}

/** Rows by time. */
function* inOrder(overlay: Overlay): Generator<number> {
  const { books, added } = overlay;
  const timeOf = (row: number) => added.timestamp[row - books.size] ?? 0;
  const present = overlay.present().sort((a, b) => timeOf(a) - timeOf(b) || a - b);
  let next = 0;
  for (let row = 0; row < books.size; row += 1) {
    for (let came = present[next]; came !== undefined; came = present[next]) {
      if (timeOf(came) >= (books.timestamp[row] ?? 0)) break;
      yield came;
      next += 1;
    }
    if (!overlay.removed.has(row)) yield row;
  }
  yield* present.slice(next);
}

function isNegative({ flags, after }: Columns, index: number): boolean {
  return ((flags[index] ?? 0) & NO_BALANCE) === 0 && after.get(index) < 0n;
}

function talliedLeg(columns: Columns, index: number, labels: Catalogue['labels']) {
  return {
    type: columns.type[index] ?? 0,
    label: labels[columns.kind[index] ?? 0] ?? null,
    unpriced: Number.isNaN(columns.price[index] ?? Number.NaN),
    negative: isNegative(columns, index),
  };
}

function countLeg(
  tally: Tally,
  columns: Columns,
  index: number,
  row: number,
  assets: Catalogue['assets'],
): void {
  const type = columns.type[index];
  const flags = columns.flags[index] ?? 0;
  const [wallet, asset] = [columns.wallet[index] ?? 0, columns.asset[index] ?? 0];
  const has = (flag: number) => (flags & flag) !== 0;
  tally.add(type === INCOMING ? 'incoming' : type === OUTGOING ? 'outgoing' : 'fee', true);
  tally.add('missingPrice', Number.isNaN(columns.price[index] ?? Number.NaN));
  tally.add('missingAsset', assets[asset]?.id === null);
  tally.add('hostile', assets[asset]?.hostile === true);
  tally.add('edited', has(EDITED));
  tally.add('halfPosted', has(HALF_POSTED));
  tally.add('profitOff', has(PROFIT_OFF));
  tally.add('unprocessed', has(UNPROCESSED));
  tally.add('backdated', (columns.createdAt[index] ?? 0) - (columns.timestamp[index] ?? 0) > DAY);
  tally.add('withoutBalance', has(NO_BALANCE));
  if (isNegative(columns, index)) {
    tally.below(wallet * 65_536 + asset, wallet, asset, row, columns.after.get(index));
  }
}
