import { nullable, text } from '../api/records.ts';
import type { Pair } from '../books/pair.ts';
import { names } from '../cli/flags.ts';
import { type CryptodataError, usageError } from '../core/errors.ts';
import { nearMatches } from '../core/nearest.ts';
import { showText } from '../core/text.ts';
import type { Accounts } from './accounts.ts';

/** The flags `--wallet` and `--asset`. Commands with these flags read every leg, but show only a part of the result. */
export const pairFlags = {
  wallet: names('--wallet <name>', 'only this wallet, by id, alias or provider (repeatable)'),
  asset: names('--asset <name>', 'only this asset, by id or symbol (repeatable)'),
};

/** Fields that identify a wallet and an asset in a record. The field `wallet` contains the name of the account. */
export const pairFields = {
  walletId: nullable(text),
  wallet: nullable(text),
  assetId: nullable(text),
  symbol: nullable(text),
};

export interface GivenPairs {
  readonly wallet: readonly string[] | undefined;
  readonly asset: readonly string[] | undefined;
}

type Chosen = { readonly [K in keyof Pair]: Pair[K] | null };

/**
 * Returns a function that selects pairs by the names of their wallets and assets. Case is ignored.
 *
 * @param pairs every pair of wallet and asset that has legs
 * @throws usage error `UNKNOWN_NAME` if a name matches neither a leg nor an account
 */
export function pairChoice(
  { wallet, asset }: GivenPairs,
  pairs: readonly Pair[],
  accounts: Accounts,
): (pair: Chosen) => boolean {
  const wallets = [...new Set(pairs.map(({ walletId }) => walletId))];
  const walletIds = wallet?.flatMap((name) => {
    const found = accounts.matching(name).map(({ walletId }) => walletId);
    const ids = found.length > 0 ? found : wallets.filter((id) => isSame(id, name));
    if (ids.length === 0)
      throw unknownName('wallet', name, [...wallets, ...accounts.all.map((account) => account.name)]);
    return ids;
  });
  const known = asset ? pairs.flatMap(({ assetId, symbol }) => [assetId ?? symbol, symbol]) : [];
  for (const name of asset ?? []) {
    if (!known.some((one) => isSame(one, name))) throw unknownName('asset', name, known);
  }
  return ({ walletId, assetId, symbol }) =>
    (!walletIds || walletIds.some((id) => id === walletId)) &&
    (!asset || asset.some((name) => isSame(assetId ?? '', name) || isSame(symbol ?? '', name)));
}

function isSame(left: string, right: string): boolean {
  return left.toLowerCase() === right.toLowerCase();
}

function unknownName(what: string, name: string, known: readonly string[]): CryptodataError {
  const near = nearMatches(
    name,
    [...new Set(known)].map((value) => ({ value, names: [] })),
  );
  const hint =
    near.length > 0 ? `Did you mean ${near.map(({ value }) => showText(value)).join(', ')}?` : undefined;
  return usageError(`No leg has the ${what} ${JSON.stringify(name)}`, hint, 'UNKNOWN_NAME');
}
