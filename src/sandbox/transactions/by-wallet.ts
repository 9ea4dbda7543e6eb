// Of how many transactions an account has legs: by how many more, or fewer, than the books say.

import type { Overlay } from '../ledgers/overlay.ts';
import { rowsInBooks } from './gathered.ts';

/** Counted when it is asked for, once after each change. */
export function createCountsByWallet(overlay: Overlay): (wallet: number | undefined) => number {
  let known: { version: number; changes: ReadonlyMap<number, number> } | undefined;
  return (wallet) => {
    if (overlay.version === 0 || wallet === undefined) return 0;
    if (known?.version !== overlay.version) known = { version: overlay.version, changes: count(overlay) };
    return known.changes.get(wallet) ?? 0;
  };
}

function count(overlay: Overlay): ReadonlyMap<number, number> {
  const walletOf = (row: number) => {
    const { columns, index } = overlay.locate(row);
    return columns.wallet[index] ?? 0;
  };
  const before = new Map<number, Set<number>>();
  const now = new Map<number, Set<number>>();
  for (const transaction of overlay.touched()) {
    const rows = rowsInBooks(overlay, transaction);
    before.set(transaction, new Set(rows.map(walletOf)));
    now.set(transaction, new Set(rows.filter((row) => !overlay.removed.has(row)).map(walletOf)));
  }
  for (const row of overlay.present()) {
    const { columns, index } = overlay.locate(row);
    now.get(columns.transaction[index] ?? 0)?.add(walletOf(row));
  }
  const changes = new Map<number, number>();
  const add = (wallets: Iterable<number>, by: number) => {
    for (const wallet of wallets) changes.set(wallet, (changes.get(wallet) ?? 0) + by);
  };
  for (const wallets of now.values()) add(wallets, 1);
  for (const wallets of before.values()) add(wallets, -1);
  return changes;
}
