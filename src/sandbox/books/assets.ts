// The assets of the workspace. The assets are the same for every seed.

import { digest } from '../core/hash.ts';
import { SPAM } from './spam.ts';

export interface Asset {
  /** Null for an asset that the service could not resolve. */
  readonly id: string | null;
  readonly symbol: string;
  readonly name: string;
  readonly type: string;
  readonly logoUrl: string;
  /** Number of decimal places; at most 18. */
  readonly decimals: number;
  /** Price in the base currency at the start; 0 if the asset never has a price. */
  readonly price: number;
  /** Range of the weekly price change, as a fraction of the price. */
  readonly drift: number;
  readonly hostile: boolean;
}

type Row = readonly [
  symbol: string,
  name: string,
  type: string,
  decimals: number,
  price: number,
  drift: number,
];

const KNOWN: readonly Row[] = [
  ['USD', 'US Dollar', 'fiat', 2, 1, 0],
  ['EUR', 'Euro', 'fiat', 2, 1.12, 0.01],
  ['BTC', 'Bitcoin', 'coin', 8, 7200, 0.14],
  ['ETH', 'Ether', 'coin', 18, 130, 0.17],
  ['SOL', 'Solana', 'coin', 9, 1.6, 0.22],
  ['USDC', 'USD Coin', 'token', 6, 1, 0.001],
  ['USDT', 'Tether', 'token', 6, 1, 0.002],
  ['DAI', 'Dai', 'token', 18, 1, 0.003],
  ['POL', 'Polygon Ecosystem Token', 'coin', 18, 0.02, 0.21],
  ['ATOM', 'Cosmos', 'coin', 6, 4.3, 0.18],
  ['ADA', 'Cardano', 'coin', 6, 0.035, 0.2],
  ['LINK', 'Chainlink', 'token', 18, 1.8, 0.19],
  ['UNI', 'Uniswap', 'token', 18, 3.2, 0.2],
  ['AAVE', 'Aave', 'token', 18, 52, 0.21],
  ['MKR', 'Maker', 'token', 18, 430, 0.18],
  ['WBTC', 'Wrapped Bitcoin', 'token', 8, 7200, 0.14],
  ['stETH', 'Lido Staked Ether', 'token', 18, 130, 0.17],
  ['ARB', 'Arbitrum', 'token', 18, 1.1, 0.2],
  ['OP', 'Optimism', 'token', 18, 1.4, 0.2],
  ['CRV', 'Curve DAO Token', 'token', 18, 0.9, 0.23],
  ['LTC', 'Litecoin', 'coin', 8, 42, 0.15],
  ['XRP', 'XRP', 'coin', 6, 0.19, 0.19],
  ['DOGE', 'Dogecoin', 'coin', 8, 0.002, 0.25],
  ['DOT', 'Polkadot', 'coin', 10, 2.9, 0.2],
  ['SHIB', 'Shiba Inu', 'token', 18, 0.0000000023, 0.3],
  ['PEPE', 'Pepe', 'token', 18, 0.00000012, 0.3],
  ['YFI', 'yearn.finance', 'token', 18, 9800, 0.22],
  ['GUSD', 'Gemini dollar', 'token', 2, 1, 0.001],
];

/** Symbols of the unresolved assets. An unresolved asset has only a symbol. */
const UNRESOLVED: readonly string[] = ['LP-0x8f3c', 'aPolWMATICv2', 'UNKNOWN', 'vault:share/7', 'XBT.HOLD'];

function assetId(name: string, symbol: string): string {
  return `ast_${digest(`${symbol}\n${name}`).slice(0, 16)}`;
}

function known([symbol, name, type, decimals, price, drift]: Row): Asset {
  const logoUrl = `https://images.example/assets/${symbol.toLowerCase()}.svg`;
  return { id: assetId(name, symbol), symbol, name, type, logoUrl, decimals, price, drift, hostile: false };
}

export const ASSETS: readonly Asset[] = [
  ...KNOWN.map(known),
  ...SPAM.map(
    ([symbol, name, price]): Asset => ({
      ...known([symbol, name, 'token', 18, price, 0.1]),
      ...{ logoUrl: '', hostile: true },
    }),
  ),
  ...UNRESOLVED.map(unresolved),
];

export const SPAM_START = KNOWN.length;
export const UNRESOLVED_START = KNOWN.length + SPAM.length;

export function assetIndex(symbol: string): number {
  const index = ASSETS.findIndex((asset) => asset.symbol === symbol);
  if (index < 0) throw new Error(`no asset ${symbol}`);
  return index;
}

/** Creates an unresolved asset, of which only the symbol is known. */
export function unresolved(symbol: string): Asset {
  return { ...known([symbol, symbol, 'token', 18, 0, 0]), id: null, logoUrl: '' };
}
