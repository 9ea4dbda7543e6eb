/**
 * Number of decimals of the currencies in ISO 4217 that do not have two. Node's own list follows the CLDR, which differs, for
 * example for IQD.
 */
const DECIMALS: readonly (readonly [decimals: number, codes: string])[] = [
  [0, 'BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF'],
  [3, 'BHD IQD JOD KWD LYD OMR TND'],
  [4, 'CLF UYW'],
];
const BY_CODE = new Map(
  DECIMALS.flatMap(([decimals, codes]) => codes.split(' ').map((code) => [code, decimals] as const)),
);

/** Returns the number of decimals of a currency; 2 for a code that ISO 4217 does not list. */
export function minorUnits(currency: string): number {
  return BY_CODE.get(currency) ?? 2;
}
