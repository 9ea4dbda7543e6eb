import { keys } from '../api/columns.ts';
import { int, nullable, text as string } from '../api/records.ts';
import type { Balance } from '../books/balances.ts';
import type { JsonRecord } from '../core/json.ts';
import type { Columns } from '../formats/columns.ts';
import { isoText } from '../formats/moments.ts';
import type { Accounts } from './accounts.ts';
import { pairFields } from './pair-choice.ts';

/** The fields of a balance, as `balances` and the filing pack show it. */
export const BALANCE = {
  ...pairFields,
  legs: int,
  balance: nullable(string),
  lastLegAt: nullable(int),
  ledgerId: nullable(string),
  lastKnown: nullable(string),
  lastKnownAt: nullable(int),
};
export function balanceRecord(balance: Balance, accounts: Accounts): JsonRecord {
  const { walletId, openLegs: _, untimed: __, ...others } = balance;
  return { walletId: walletId || null, wallet: accounts.nameOf(walletId) ?? null, ...others };
}

export const BALANCE_COLUMNS: Columns = {
  table: [
    { key: 'wallet', derive: ({ wallet, walletId }) => wallet ?? walletId },
    { key: 'symbol', header: 'asset' },
    { key: 'balance', figure: true },
    { key: 'lastLegAt', header: 'last leg', moment: true },
    { key: 'legs', figure: true, drop: 1 },
  ],
  csv: [
    ...keys('walletId', 'wallet', 'assetId', 'symbol', 'legs', 'balance', 'lastLegAt'),
    { key: 'lastLegTime', derive: ({ lastLegAt }, { timeZone }) => isoText(lastLegAt, timeZone) },
    ...keys('ledgerId', 'lastKnown', 'lastKnownAt'),
  ],
};
