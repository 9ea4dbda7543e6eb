/**
 * Number of decimals of the currencies in ISO 4217, including currencies withdrawn since 2009. Node's own list follows the
 * CLDR, which differs from ISO 4217, for example for IQD.
 */
const DECIMALS: readonly (readonly [decimals: number, codes: string])[] = [
  [0, 'BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF'],
  [2, 'AED AFN ALL AMD ANG AOA ARS AUD AWG AZN BAM BBD BDT BGN BMD BND BOB BOV BRL BSD BTN BWP BYN BZD CAD'],
  [2, 'CDF CHE CHF CHW CNY COP COU CRC CUC CUP CVE CZK DKK DOP DZD EEK EGP ERN ETB EUR FJD FKP GBP GEL GHS'],
  [2, 'GIP GMD GTQ GYD HKD HNL HRK HTG HUF IDR ILS INR IRR JMD KES KGS KHR KPW KYD KZT LAK LBP LKR LRD LSL'],
  [2, 'LTL LVL MAD MDL MGA MKD MMK MNT MOP MRO MRU MUR MVR MWK MXN MXV MYR MZN NAD NGN NIO NOK NPR NZD PAB'],
  [2, 'PEN PGK PHP PKR PLN QAR RON RSD RUB SAR SBD SCR SDG SEK SGD SHP SLE SLL SOS SRD SSP STD STN SVC SYP'],
  [2, 'SZL THB TJS TMT TOP TRY TTD TWD TZS UAH USD USN UYU UZS VED VEF VES WST XAD XCD XCG YER ZAR ZMK ZMW'],
  [2, 'ZWG ZWL'],
  [3, 'BHD IQD JOD KWD LYD OMR TND'],
  [4, 'CLF UYW'],
];
const BY_CODE = new Map(
  DECIMALS.flatMap(([decimals, codes]) => codes.split(' ').map((code) => [code, decimals] as const)),
);

/**
 * Returns the number of decimals of a currency. Returns 8 for a code that ISO 4217 does not list, such as BTC, and 2 for an
 * unknown currency (an empty text).
 */
export function minorUnits(currency: string): number {
  return BY_CODE.get(currency) ?? (currency === '' ? 2 : 8);
}
