import { type Named, showNamed } from './nearest.ts';

/**
 * Letters of other scripts that look like Latin letters, after case folding. Each letter is followed by the Latin letter that
 * it resembles.
 */
const CONFUSABLES = new Map(
  [
    // Cyrillic
    'аa вb сc ԁd еe ёe һh нh іi їi јj кk ӏl мm оo рp ԛq ѕs тt уy ԝw хx гr пn ғf',
    // Greek
    'αa βb ϲc εe ηn ιi κk μm νv οo ρp σo ςc τt υu χx ωw ζz γy',
    // Armenian
    'աw զq հh ղn ճa յj նu ոn սu տs րn ցg օo ֆf լl քp եt խi բp',
    // Cherokee, after case folding to the capital letters
    'Ꭰd Ꭱr Ꭲt Ꭵi Ꭺa Ꭻj Ꭼe Ꮃw Ꮇm Ꮋh Ꮍy Ꮐg Ꮓz Ꮞ4 Ꮢr Ꮤw Ꮥs Ꮩv Ꮪs Ꮮl Ꮯc Ꮲp Ꮶk Ꭹy Ᏼb Ꮜu Ꮖi Ꮾ6 Ᏸb Ꭴo Ꮻo Ꮎo Ꭶs Ꮟb',
    // Lisu
    'ꓐb ꓑp ꓓd ꓔt ꓖg ꓗk ꓙj ꓚc ꓜz ꓝf ꓟm ꓠn ꓡl ꓢs ꓣr ꓦv ꓧh ꓪw ꓫx ꓬy ꓮa ꓰe ꓲi ꓳo ꓴu',
    // Coptic, as capital letters
    'Ⲁa Ⲃb Ⲉe Ⲍz Ⲏh Ⲓi Ⲕk Ⲙm Ⲛn Ⲟo Ⲣp Ⲥc Ⲧt Ⲩy Ⲭx',
    // Latin small capitals
    'ᴀa ʙb ᴄc ᴅd ᴇe ꜰf ɢg ʜh ɪi ᴊj ᴋk ʟl ᴍm ɴn ᴏo ᴘp ʀr ꜱs ᴛt ᴜu ᴠv ᴡw ʏy ᴢz',
    // Latin letters with a stroke
    'đd øo łl ŧt ħh ƀb',
    // Latin letters and digits that are hard to tell apart
    'ıi 0o 1l ɑa ɡg',
  ]
    .flatMap((pairs) => pairs.split(' '))
    .map(([from = '', to = '']) => [from, to]),
);

/** Returns what a symbol looks like: two symbols with the same look are hard to tell apart. */
export function lookOf(symbol: string): string {
  const folded = symbol.normalize('NFKC').toUpperCase().toLowerCase().normalize('NFKD');
  return [...folded.replace(/[\p{Mn}\p{Cf}\p{Cc}\p{Z}\p{Default_Ignorable_Code_Point}]/gu, '')]
    .map((char) => {
      const upper = char.toUpperCase();
      return CONFUSABLES.get(char) ?? CONFUSABLES.get(upper) ?? char;
    })
    .join('');
}

/** Writes every character beyond ASCII as a code point too, because such characters imitate others. */
export function withCodePoints(symbol: string): string {
  const codes = [...symbol].flatMap((char) =>
    char > '\u007e' || char < '!'
      ? `U+${(char.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`
      : [],
  );
  return codes.length === 0 ? symbol : `${symbol} (with ${[...new Set(codes)].join(', ')})`;
}

const PLAIN = /^[!-~]*$/;
/** Matches the look of a character that imitates ASCII characters. The look of a space is empty. */
const LATIN = /^[a-z0-9]+$/;
const SPACE = /^\p{Z}$/u;

/** Whether a field contains the symbol of an asset, such as `asset.symbol`, or `asset` in sums. */
export function isSymbolField(path: string): boolean {
  return /(symbol|asset)$/i.test(path);
}

/** The symbol of an asset, with code points if it has characters that look like other characters, or like nothing. */
export function toldApart(symbol: string): string {
  if (PLAIN.test(symbol)) return symbol;
  const imitates = (char: string) => char > '\u007e' && (SPACE.test(char) || LATIN.test(lookOf(char)));
  return symbol !== symbol.trim() || [...symbol].some(imitates) ? withCodePoints(symbol) : symbol;
}

interface Asset {
  readonly symbol: string | null;
  readonly assetId: string | null;
  /** Present if the symbol stands for several assets. `assetId` is then null. */
  readonly assets?: unknown;
}

/** The id of the asset of a record; null for an unresolved asset. Undefined if the record is not about a single asset. */
export function assetIdOf<T>({ assetId, assets }: { assetId?: T; assets?: unknown }): T | undefined {
  return assets === undefined ? assetId : undefined;
}

/** The name of an asset in a text: its symbol, told apart from similar symbols. If the symbol is unknown, its id. */
export function nameOfAsset({ symbol, assetId }: Asset, unknown = 'unknown asset'): string {
  return toldApart(symbol ?? '') || assetId || unknown;
}

/**
 * Returns a function that names the assets of one answer. If different assets have the same name, adds their ids. A
 * symbol that stands for several assets has no id.
 *
 * @param shown changes how a name and an id are shown
 */
export function assetNames(
  assets: Iterable<Asset>,
  shown: (text: string) => string = (text) => text,
): (asset: Asset) => string {
  const nameOf = (asset: Asset) => shown(nameOfAsset(asset));
  const ids = new Map<string, Set<string | null>>();
  for (const asset of assets) {
    const name = nameOf(asset);
    ids.set(name, (ids.get(name) ?? new Set()).add(asset.assetId));
  }
  return (asset) => {
    const name = nameOf(asset);
    const assetId = assetIdOf(asset);
    const own = ids.get(name);
    return assetId !== undefined && own?.has(assetId) && own.size > 1
      ? `${name} (${assetId === null ? 'no asset id' : shown(assetId)})`
      : name;
  };
}

/** Like {@link showNamed}, for an asset. The symbol is told apart from similar symbols. */
export function showNamedAsset({ value, names }: Named): string {
  return showNamed({ value: toldApart(value), names: names.map(toldApart) });
}
