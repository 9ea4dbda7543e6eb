// Records for `--data example`. The specification defines only some fields of these records, or none. All fields that the
// specification does not define are invented, so each record contains `example: true`. The records match the wallets, assets
// and balances of the ledgers.

import { LosslessNumber, parse } from 'lossless-json';
import { ASSETS, type Asset } from '../books/assets.ts';
import type { GeneratedBooks } from '../books/generate.ts';
import { SPAN_END } from '../books/prices.ts';
import { WALLETS } from '../books/wallets.ts';
import { pairOf } from '../books/writer.ts';
import { formatUnits, multiply } from '../core/decimal.ts';
import { digest } from '../core/hash.ts';
import type { DefiPosition } from '../nouns/defi/store.ts';
import { formatMoney, holdingJson, totalValue } from '../nouns/holdings/format.ts';
import { MONEY_PLACES, type TokenHolding } from '../nouns/holdings/store.ts';
import { LABELS } from '../nouns/labels/store.ts';
import type { ChainedNft } from '../nouns/nfts/store.ts';
import type { SandboxData } from './resources.ts';

export interface ExampleSources {
  readonly books: GeneratedBooks;
  readonly walletId: (wallet: number) => string;
  readonly holdings: readonly TokenHolding[];
  readonly nfts: readonly ChainedNft[];
  readonly defi: readonly DefiPosition[];
}

interface Position {
  readonly walletId: string;
  readonly asset: Asset;
  readonly index: number;
  /** In units of 10^-18. */
  readonly balance: bigint;
}

const EXAMPLE = { example: true } as const;

export function exampleRecords({ books, walletId, holdings, nfts, defi }: ExampleSources): SandboxData {
  const positions = positionsOf(books, walletId);
  const value = ({ index, balance }: Position) =>
    multiply(balance, books.positions.priceAt(index, SPAN_END, 0.5), MONEY_PLACES);
  return {
    labels: LABELS.map(({ name, types }) => ({
      ...EXAMPLE,
      ...{ id: `example_label_${name.toLowerCase()}`, name, transactionTypes: types },
    })),
    assets: ASSETS.filter(({ id, hostile }) => id !== null && !hostile).map((asset) => ({
      ...EXAMPLE,
      ...{ id: asset.id, symbol: asset.symbol, name: asset.name, type: asset.type },
      ...{ decimals: asset.decimals, contractAddress: contractOf(asset), logoUrl: asset.logoUrl },
    })),
    spam: positions
      .filter(({ asset }) => asset.hostile)
      .map(({ walletId, asset, balance }) => ({
        ...EXAMPLE,
        id: `example_spam_${shortHash(`${walletId}/${asset.id}`)}`,
        ...{ symbol: asset.symbol, name: asset.name, assetId: asset.id, walletId },
        quantity: formatUnits(balance, 18),
      })),
    holdings: {
      data: holdings.map(exampleHolding),
      totalValue: exact(totalValue(holdings)),
    },
    nfts: {
      data: nfts.map(exampleNft),
      totalEstimatedValueUsd: nfts.reduce((cents, { holding }) => cents + centsOf(holding), 0) / 100,
    },
    defi: defi.map(({ id, name, chain, type, stats, source }) => ({
      ...EXAMPLE,
      ...{ id: `example_${id}`, protocol: name, chain, type, walletId: source.walletId },
      assetValueUsd: stats.asset_usd_value,
      debtValueUsd: stats.debt_usd_value,
      netValueUsd: stats.net_usd_value,
    })),
    'defi-totals': {
      ...EXAMPLE,
      positions: defi.length,
      assetValueUsd: sumOf(defi, ({ asset_usd_value }) => asset_usd_value),
      debtValueUsd: sumOf(defi, ({ debt_usd_value }) => debt_usd_value),
      netValueUsd: sumOf(defi, ({ net_usd_value }) => net_usd_value),
    },
    'calculated-balances': positions.map(({ walletId, asset, balance }) => ({
      ...EXAMPLE,
      ...{ symbol: asset.symbol, walletId, assetId: asset.id, balance: formatUnits(balance, 18) },
    })),
    'integration-assets': positions
      .filter(({ balance }) => balance > 0n)
      .map((position) => ({
        ...EXAMPLE,
        ...{ symbol: position.asset.symbol, assetId: position.asset.id, walletId: position.walletId },
        quantity: formatUnits(position.balance, 18),
        value: exact(formatMoney(value(position))),
        baseCurrency: 'USD',
      })),
    contacts: CONTACTS.map((name) => ({ ...EXAMPLE, id: `example_contact_${shortHash(name)}`, name })),
    'counter-parties': CONTACTS.map((name) => ({
      ...EXAMPLE,
      ...{ id: `example_party_${shortHash(name)}`, name, address: `0x${hash(name).slice(0, 40)}` },
    })),
  };
}

const CONTACTS = ['Harbour Legal LLP', 'Northwind Payroll', 'Ada Example'];

/** All wallet/asset pairs with a balance other than 0. Pairs with an unresolved asset are skipped. */
function positionsOf({ positions }: GeneratedBooks, walletId: (wallet: number) => string): Position[] {
  return WALLETS.flatMap((_, wallet) =>
    ASSETS.flatMap((asset, index): Position[] => {
      const balance = positions.balance[pairOf(wallet, index)] ?? 0n;
      return asset.id === null || balance === 0n
        ? []
        : [{ walletId: walletId(wallet), asset, index, balance }];
    }),
  );
}

/** The fields from the specification, plus names and amounts. */
function exampleHolding(holding: TokenHolding): unknown {
  const { symbol, name } = ASSETS.find(({ id }) => id === holding.assetId) ?? {};
  const { asset, ...fields }: { asset?: { tokenId?: unknown } } = Object(parse(holdingJson(holding)));
  return {
    ...EXAMPLE,
    ...fields,
    asset: { ...asset, symbol, name },
    quantity: formatUnits(holding.quantity, 18),
    value: exact(formatMoney(holding.value)),
  };
}

function exampleNft({ chain, holding }: ChainedNft): unknown {
  const { id, name, collection, tokenId, contractAddress, amount, source, isNftSpam } = holding;
  return {
    ...EXAMPLE,
    ...{ id: `example_${id}`, name, collection: collection.name, chain, walletId: source.walletId },
    ...{ amount, estimatedValueUsd: centsOf(holding) / 100, isSpam: isNftSpam },
    token: { contractAddress, tokenId },
  };
}

function centsOf({ price, amount }: ChainedNft['holding']): number {
  return Math.round(price.price * 100) * amount;
}

/** Adds whole cents, so that the sum is exact. */
function sumOf(defi: readonly DefiPosition[], of: (stats: DefiPosition['stats']) => number): number {
  return defi.reduce((cents, { stats }) => cents + Math.round(of(stats) * 100), 0) / 100;
}

function contractOf({ symbol, type, id }: Asset): string | null {
  if (symbol === 'USDT') return '0xdac17f958d2ee523a2206206994597c13d831ec7';
  return type === 'token' ? `0x${hash(`contract/${id}`).slice(0, 40)}` : null;
}

/** A number that keeps every digit in JSON. */
function exact(decimal: string): LosslessNumber {
  return new LosslessNumber(decimal);
}

function hash(text: string): string {
  return digest(`example/${text}`);
}

function shortHash(text: string): string {
  return hash(text).slice(0, 12);
}
