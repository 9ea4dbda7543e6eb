// The connected accounts of the workspace.

export interface Wallet {
  readonly providerId: string;
  readonly alias: string;
  readonly kind: 'exchange' | 'chain';
  /** The asset in which fees are paid: the quote currency of an exchange, or the native coin of a chain. */
  readonly native: string;
  readonly trades: readonly [string, ...string[]];
  /** True if the source does not report balances, so that its legs have no running balance. */
  readonly silent: boolean;
  /**
   * Whether the legs contain the ids of the syncs that imported them. The specification names no state of a successful sync.
   */
  readonly listsSyncs: boolean;
  /** Relative frequency of use. */
  readonly weight: number;
}

type Row = readonly [provider: string, alias: string, native: string, weight: number, trades: string];

const EXCHANGES: readonly Row[] = [
  ['kraken', 'Kraken main', 'USD', 18, 'BTC ETH SOL ADA DOT LTC XRP USDC'],
  ['coinbase', 'Coinbase', 'USD', 14, 'BTC ETH SOL USDC LINK UNI AAVE DOGE'],
  ['binance', 'Binance', 'USDT', 16, 'BTC ETH SOL ATOM SHIB PEPE DOGE XRP'],
  ['bitstamp', 'Bitstamp (old CSV)', 'EUR', 5, 'BTC ETH LTC XRP'],
  ['okx', 'OKX', 'USDT', 6, 'BTC ETH SOL OP ARB PEPE'],
  ['gemini', 'Gemini', 'USD', 3, 'BTC ETH GUSD YFI'],
];

const CHAINS: readonly Row[] = [
  ['metamask', 'MetaMask hot', 'ETH', 14, 'USDC DAI LINK UNI AAVE MKR stETH CRV SHIB PEPE'],
  ['ledger', 'Ledger vault', 'ETH', 6, 'WBTC stETH USDC AAVE YFI'],
  ['safe', 'Treasury Safe', 'ETH', 4, 'USDC DAI WBTC MKR'],
  ['ethereum', '0xA11ce…', 'ETH', 5, 'USDC USDT LINK CRV'],
  ['polygon', 'Polygon', 'POL', 6, 'USDC DAI AAVE LINK'],
  ['arbitrumone', 'Arbitrum', 'ETH', 6, 'ARB USDC WBTC UNI'],
  ['optimism', 'Optimism', 'ETH', 4, 'OP USDC DAI'],
  ['bitcoin', 'Cold storage', 'BTC', 3, 'BTC'],
  ['solana', 'Phantom', 'SOL', 6, 'USDC USDT'],
  ['cosmoshub', 'Keplr', 'ATOM', 4, 'ATOM'],
  ['cardano', 'Yoroi', 'ADA', 3, 'ADA'],
];

/**
 * The specification names no state of a sync that imported everything. If all legs contained the ids of their syncs, every
 * account would seem to have lost records.
 */
const LISTS_SYNCS: readonly string[] = ['binance', 'gemini', 'metamask', 'cosmoshub'];

function build(kind: Wallet['kind']): (row: Row) => Wallet {
  return ([providerId, alias, native, weight, trades]) => {
    const [first = native, ...rest] = trades.split(' ');
    return {
      providerId,
      alias,
      kind,
      native,
      weight,
      trades: [first, ...rest],
      silent: providerId === 'bitstamp',
      listsSyncs: LISTS_SYNCS.includes(providerId),
    };
  };
}

export const WALLETS: readonly Wallet[] = [
  ...EXCHANGES.map(build('exchange')),
  ...CHAINS.map(build('chain')),
];
