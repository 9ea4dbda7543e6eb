import type { Check } from '../check.ts';
import { arithmetic } from './arithmetic.ts';
import { brokenChain } from './broken-chain.ts';
import { duplicate } from './duplicate.ts';
import { failingSource } from './failing-source.ts';
import { halfPosted } from './half-posted.ts';
import { imitatedAsset } from './imitated-asset.ts';
import { missingAsset } from './missing-asset.ts';
import { missingPrice } from './missing-price.ts';
import { negativeBalance } from './negative-balance.ts';
import { openingBalance } from './opening-balance.ts';
import { highPnl, missingPrices, missingPurchases, uncategorized } from './presets.ts';
import { profit } from './profit.ts';
import { staleSource } from './stale-source.ts';
import { unfinishedAccounting } from './unfinished-accounting.ts';
import { unknownBalance } from './unknown-balance.ts';
import { unmatchedTransfer } from './unmatched-transfer.ts';

/** All checks, in the order in which an accountant fixes their findings: checks for causes come before checks for effects. */
export const CHECKS = [
  ...[failingSource, staleSource],
  ...[negativeBalance, unknownBalance, openingBalance, brokenChain, arithmetic],
  ...[unmatchedTransfer, duplicate, missingPrice, missingAsset, imitatedAsset],
  ...[unfinishedAccounting, profit, halfPosted],
  ...[uncategorized, highPnl, missingPurchases, missingPrices],
] as const;

export type CheckName = (typeof CHECKS)[number]['name'];

export const CHECK_NAMES: readonly CheckName[] = CHECKS.map(({ name }) => name);

/** Returns the names of the checks that examine the accounts or the transactions of the service instead of legs. */
export function checksAbout(...what: readonly NonNullable<Check['isAboutService']>[]): CheckName[] {
  const all: readonly Check<CheckName>[] = CHECKS;
  return all.flatMap(({ name, isAboutService }) =>
    isAboutService && what.includes(isAboutService) ? name : [],
  );
}

/** @throws TypeError if no check has this name */
export function checkNamed(name: string): Check<CheckName> {
  const found: Check<CheckName> | undefined = CHECKS.find((one) => one.name === name);
  if (!found) throw new TypeError(`${name} is not a check`);
  return found;
}
