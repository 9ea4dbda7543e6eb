import { type LedgerFilterValues, type ToolFilter, textOf } from '../../api/ledgers.ts';
import { Accounts, ambiguousName, unknownName } from '../../app/accounts.ts';
import { legFlags } from '../../app/leg-flags.ts';
import { type GivenPairs, isSame, otherFlagHint, repeatHint } from '../../app/pair-choice.ts';
import { assetsOf, isConfirmed, newestLegs, type SeenAsset, type SeenLegs } from '../../app/seen.ts';
import { namesFlag } from '../../cli/flags.ts';
import { type Note, warning } from '../../cli/outcome.ts';
import type { ServiceClient } from '../../client/client.ts';
import type { Context } from '../../context.ts';
import { toldApart } from '../../core/look-alikes.ts';
import { type Named, nearMatches } from '../../core/nearest.ts';
import { once } from '../../core/once.ts';
import { showText } from '../../core/text.ts';

export const nameFlags = {
  wallet: namesFlag('--wallet <wallet>', 'wallet by id, alias or provider (repeatable)'),
  asset: namesFlag('--asset <name>', 'asset by id or symbol (repeatable)'),
};

export const NAMES_HELP =
  '--wallet and --asset accept names in upper or lower case. The service cannot filter by wallet, and can filter by symbol only in some cases. If the service cannot apply a filter, the tool reads all legs of the query and applies the filter itself.';

/**
 * Looks up names in the connected accounts and in the newest legs. The service can filter assets only by id. If all legs were
 * searched, and every leg with the symbol has the same id, this id replaces the symbol. Any other symbol becomes a filter that
 * the tool itself applies to the returned legs.
 *
 * @param assetIds ids from `--asset-ids`; if present, the request contains these ids, and the tool itself applies the filter
 * `asset`.
 * @throws usage error `UNKNOWN_NAME` or `AMBIGUOUS_NAME`
 */
export async function resolveNames(
  context: Context,
  { wallet, asset }: GivenPairs,
  { assetIds }: LedgerFilterValues,
) {
  const client = await context.client();
  const seen = once(() => newestLegs(client, context.signal));
  const accounts = wallet && (await Accounts.read(context));
  const wallets =
    accounts && (await Promise.all(wallet.map((name) => resolveWallet(context, name, accounts, seen))));
  const walletIds = wallets && [...new Set(wallets.map(({ id }) => id))];
  const assets =
    asset && (await Promise.all(asset.map(async (name) => resolveAsset(context, name, await seen()))));
  const ids = assets?.flatMap(({ id }) => id ?? []) ?? [];
  const byService = assets?.every(({ exact }) => exact) === true && assetIds === undefined;
  const byTool =
    assets && !byService
      ? {
          ids: assets.flatMap(({ id, symbol }) => (symbol === undefined && id !== null ? id : [])),
          symbols: assets.flatMap(({ symbol }) => symbol ?? []),
        }
      : undefined;
  const filters: Pick<LedgerFilterValues, 'assetIds'> = byService ? { assetIds: [...new Set(ids)] } : {};
  // The filter that the tool applies to the returned rows; undefined if none is needed.
  const tool: ToolFilter | undefined = walletIds || byTool ? { walletIds, assets: byTool } : undefined;
  return {
    filters,
    tool,
    notes: [
      ...(wallets ?? []).flatMap(({ note }) => note ?? []),
      ...(byService ? [] : [...unresolvedNotes(assets ?? []), ...partialNotes(assets ?? [])]),
    ],
  };
}

interface ResolvedWallet {
  readonly id: string;
  /** Warns that the searched legs do not confirm the id. */
  readonly note?: Note;
}

async function resolveWallet(
  context: Context,
  given: string,
  accounts: Accounts,
  seen: () => Promise<SeenLegs>,
): Promise<ResolvedWallet> {
  const found = accounts.one(given, '--wallet', severalIds('--wallet'));
  if (found?.isCertain) return { id: found.walletId };
  const newest = await seen();
  const { legs, partial } = newest;
  if (found) {
    const id = found.walletId;
    const confirmed = isConfirmed(newest, id);
    if (confirmed) return { id };
    const hint = `The account has the id ${showText(id)}. Pass an id that the legs have as walletId.`;
    if (confirmed === false) throw unknownName(`No leg has the id of the wallet ${quoted(given)}`, [], hint);
    const text = `No leg was found with the id ${showText(id)} of the wallet ${showText(quoted(given))}, so its legs may be missing.${partial}`;
    return { id, note: warning(text) };
  }
  // A disconnected account may still have legs.
  if (legs.some(({ walletId }) => walletId === given)) return { id: given };
  const message = `No wallet is called ${quoted(given)}`;
  const repeated = repeatHint('--wallet', given, [
    ...accounts.named,
    ...legs.map(({ walletId }) => ({ value: textOf(walletId), names: [] })),
  ]);
  if (repeated !== undefined) throw unknownName(message, [], repeated);
  if (assetsOf(legs).some(({ id, symbol }) => isSame(id ?? '', given) || isSame(symbol, given)))
    throw unknownName(message, [], otherFlagHint(given, 'wallet'));
  const why = accounts.refusal
    ? ` The accounts could not be read. Message: ${JSON.stringify(accounts.refusal.message)}.`
    : '';
  throw unknownName(
    message,
    accounts.near(given),
    `To list wallets: cryptodata integrations${await legFlags(context, {})}.${why}${partial}`,
  );
}

interface ResolvedAsset {
  /** Id of the asset; null for an unresolved asset. */
  readonly id: string | null;
  /** Symbol of the asset; undefined if the user specified the asset by id. */
  readonly symbol: string | undefined;
  /** Whether a filter by id selects every leg with this symbol. */
  readonly exact: boolean;
  readonly unresolved: boolean;
  /** Sentence with the number of legs that were searched for the symbol; empty if all legs were searched. */
  readonly partial: string;
}

async function resolveAsset(
  context: Context,
  given: string,
  { legs, complete, partial }: SeenLegs,
): Promise<ResolvedAsset> {
  const assets = assetsOf(legs);
  const byId = { id: given, symbol: undefined, exact: true, unresolved: false, partial: '' };
  if (assets.some(({ id }) => id === given)) return byId;
  const same = assets.filter(({ symbol }) => symbol === given);
  const named = same.length > 0 ? same : assets.filter(({ symbol }) => isSame(symbol, given));
  const labels = [...new Set(named.map(({ symbol }) => symbol))];
  const ids = [...new Set(named.flatMap(({ id }) => id ?? []))];
  if (labels.length > 1 || ids.length > 1)
    throw ambiguousName('--asset', given, named.map(assetLabel), severalIds('--asset'));
  const [symbol] = labels;
  if (symbol !== undefined) {
    const unresolved = named.some(({ id }) => id === null);
    return { id: ids[0] ?? null, symbol, exact: complete && !unresolved, unresolved, partial };
  }
  if (!given.includes(',') && (await hasLegs(await context.client(), given))) return byId;
  const message = `No leg has an asset called ${quoted(given)}`;
  const known = assets.map(namedAsset);
  const repeated = repeatHint('--asset', given, known);
  if (repeated !== undefined) throw unknownName(message, [], repeated);
  if ((await Accounts.read(context)).matching(given).length > 0)
    throw unknownName(message, [], otherFlagHint(given, 'asset'));
  const near = nearMatches(given, known).map(({ asset }) => assetLabel(asset));
  throw unknownName(message, near, partial.trim());
}

async function hasLegs(client: ServiceClient, id: string): Promise<boolean> {
  const { rows } = await client.ledgers
    .list({ assetIds: [id], limit: 1 })
    .asServed()
    .page();
  return rows.length > 0;
}

function namedAsset(asset: SeenAsset): Named & { readonly asset: SeenAsset } {
  return { asset, value: asset.id ?? asset.symbol, names: [asset.symbol] };
}

function assetLabel({ id, symbol }: SeenAsset): string {
  return `${toldApart(symbol)} (${id ?? 'unresolved'})`;
}

function unresolvedNotes(assets: readonly ResolvedAsset[]): Note[] {
  return assets
    .filter(({ id, symbol, unresolved }) => unresolved && id !== null && symbol !== undefined)
    .map(({ id, symbol }) => ({
      text: showText(
        `The result includes legs of an unresolved asset called ${toldApart(symbol ?? '')}. To select only ${id}: --asset ${id}`,
      ),
    }));
}

/** Warns that only the newest legs were searched, so the result may include another asset with the same symbol. */
function partialNotes(assets: readonly ResolvedAsset[]): Note[] {
  return assets
    .filter(({ symbol, partial }) => symbol !== undefined && partial !== '')
    .map(({ id, symbol, partial }) => {
      const alone = id === null ? '' : ` To select only ${id}: --asset ${id}`;
      return warning(
        showText(
          `The result may include older legs of another asset called ${toldApart(symbol ?? '')}.${partial}${alone}`,
        ),
      );
    });
}

function severalIds(flag: string): string {
  return `Use an id. To pass several ids, repeat ${flag}.`;
}

function quoted(given: string): string {
  return JSON.stringify(given);
}
