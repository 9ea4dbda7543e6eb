import { nullable, text } from '../api/records.ts';
import type { AssetName, Pair } from '../books/asset.ts';
import { choiceFlag, namesFlag } from '../cli/flags.ts';
import { type CryptodataError, usageError } from '../core/errors.ts';
import { showNamedAsset } from '../core/look-alikes.ts';
import { type Named, nearMatches, showNamed } from '../core/nearest.ts';
import { shellWord, showText, someOf } from '../core/text.ts';
import type { Accounts } from './accounts.ts';

/** Maximum number of known names in an error message. Books may have hundreds of spam assets. */
const MOST_LISTED = { wallet: 20, asset: 5 };

/** The flags `--wallet` and `--asset`. Commands with these flags read every leg, but show only a part of the result. */
export const pairFlags = {
  wallet: namesFlag('--wallet <wallet>', 'only this wallet, by id, alias or provider (repeatable)'),
  asset: namesFlag('--asset <name>', 'only this asset, by id or symbol (repeatable)'),
};

export const byFlag = choiceFlag(
  '--by <key>',
  'wallet (default): one line per wallet and asset, sorted by asset; asset: one line per asset',
  ['wallet', 'asset'],
);

/** Fields that identify a wallet and an asset in a record. The field `wallet` contains the name of the account. */
export const pairFields = {
  walletId: nullable(text),
  wallet: nullable(text),
  assetId: nullable(text),
  symbol: nullable(text),
};

/** The names of the wallets and assets to which an answer is limited. */
export interface GivenPairs {
  readonly wallet?: readonly string[] | undefined;
  readonly asset?: readonly string[] | undefined;
}

type Chosen = { readonly [K in keyof Pair]: Pair[K] | null };

/**
 * Returns a function that selects findings by the names of wallets and assets, before the legs are known. A finding that is
 * about no wallet passes every choice of wallets. A finding that is about no asset passes every choice of assets.
 */
export function findingChoice({ wallet, asset }: GivenPairs, accounts: Accounts): (pair: Chosen) => boolean {
  const wallets = wallet?.map((name) => ({ name, found: accounts.matching(name) }));
  const isWallet = (walletId: string) =>
    wallets?.some(
      ({ name, found }) =>
        found.some((account) => account.walletId === walletId) ||
        (!found.some(({ isCertain }) => isCertain) && isSame(walletId, name)),
    ) ?? true;
  return ({ walletId, assetId, symbol }) =>
    (walletId === null || isWallet(walletId)) &&
    ((assetId === null && symbol === null) || isAsset({ assetId, symbol }, asset));
}

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
    const found = accounts
      .matching(name)
      .filter(({ isCertain, walletId }) => isCertain || wallets.includes(walletId))
      .map(({ walletId }) => walletId);
    const ids = found.length > 0 ? found : wallets.filter((id) => isSame(id, name));
    if (ids.length > 0) return ids;
    const others = wallets.filter((id) => accounts.nameOf(id) === undefined);
    const known = [...accounts.named, ...others.map((value) => ({ value, names: [] }))];
    throw unknownName(
      'wallet',
      name,
      known,
      pairs.some((pair) => isAsset(pair, [name])),
    );
  });
  const assets = pairs.map(({ assetId, symbol }) => ({ value: assetId ?? symbol, names: [symbol] }));
  for (const name of asset ?? []) {
    const isWallet = accounts.matching(name).length > 0 || wallets.some((id) => isSame(id, name));
    if (!pairs.some((pair) => isAsset(pair, [name]))) throw unknownName('asset', name, assets, isWallet);
  }
  return ({ walletId, assetId, symbol }) =>
    (!walletIds || walletIds.some((id) => id === walletId)) && isAsset({ assetId, symbol }, asset);
}

/** Whether one of the names is the id or the symbol of an asset. If `names` is undefined, every asset passes. */
function isAsset({ assetId, symbol }: AssetName, names: readonly string[] | undefined): boolean {
  return names?.some((name) => isSame(assetId ?? '', name) || isSame(symbol ?? '', name)) ?? true;
}

export function isSame(left: string, right: string): boolean {
  return left.toLowerCase() === right.toLowerCase();
}

/** @param isOther whether the name is known to the other of the two flags `--wallet` and `--asset` */
function unknownName(
  what: 'wallet' | 'asset',
  name: string,
  all: readonly Named[],
  isOther: boolean,
): CryptodataError {
  // Assets in many wallets come first. A spam asset is rarely in more than one wallet.
  const counts = new Map<string, number>();
  for (const { value } of all) counts.set(value, (counts.get(value) ?? 0) + 1);
  const countOf = ({ value }: Named) => counts.get(value) ?? 0;
  const known = [...new Map(all.map((one) => [one.value, one])).values()].sort(
    (left, right) => countOf(right) - countOf(left),
  );
  const near = nearMatches(name, known);
  const shown = what === 'asset' ? showNamedAsset : showNamed;
  const hint =
    repeatHint(`--${what}`, name, known) ??
    (isOther
      ? otherFlagHint(name, what)
      : near.length > 0
        ? `Did you mean ${near.map(shown).join(' or ')}?`
        : known.length > 0
          ? `Known ${what}s: ${someOf(known.map(shown), { most: MOST_LISTED[what] })}.`
          : undefined);
  return usageError(`No leg was found with the ${what} ${JSON.stringify(name)}`, hint, 'UNKNOWN_NAME');
}

/** The hint if a wallet was given as an asset, or an asset as a wallet. */
export function otherFlagHint(given: string, what: 'wallet' | 'asset'): string {
  const [is, flag] = what === 'asset' ? ['a wallet', '--wallet'] : ['an asset', '--asset'];
  return `${showText(given)} is ${is}: use ${flag} ${shellWord(given)}`;
}

/**
 * Returns a hint if the user probably passed a comma-separated list to a flag that takes a single name. The hint is returned if
 * one item of the list is a known name, but no known name resembles the whole text.
 */
export function repeatHint(flag: string, given: string, known: Iterable<Named>): string | undefined {
  const names = given.split(',').map((one) => one.trim());
  if (names.length === 1 || names.includes('')) return undefined;
  const lower = (text: string) => text.toLowerCase();
  const all = new Set([...known].flatMap(({ value, names }) => [value, ...names].map(lower)));
  if (!names.some((name) => all.has(lower(name)))) return undefined;
  // Ignore known names that the list contains, because they always resemble the list.
  const others = [...all]
    .filter((name) => !lower(given).includes(name))
    .map((value) => ({ value, names: [] }));
  if (nearMatches(given, others).length > 0) return undefined;
  return `To select several, repeat the flag: ${names.map((one) => `${flag} ${shellWord(one)}`).join(' ')}`;
}
