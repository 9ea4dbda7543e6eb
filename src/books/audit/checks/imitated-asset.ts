import { count } from '../../../core/text.ts';
import type { Leg } from '../../leg.ts';
import { check, foundLeg } from '../check.ts';
import { inScope } from '../tally.ts';

/** An asset with legs in the period. */
interface Seen {
  readonly first: Leg;
  legs: number;
}

export const imitatedAsset = check({
  name: 'imitated-asset',
  title: 'Symbols that look alike',
  means:
    'Several assets have the same symbol, or symbols that look the same. One of them may imitate another.',
  fix: 'Check the assets, and mark imitations as spam.',
  needs: ['assetId'],
  start(report, scope) {
    /** For each look, the assets by key and symbol. */
    const looks = new Map<string, Map<string, Seen>>();
    const lookOfSymbol = new Map<string, string>();
    return {
      ...inScope(scope, (leg) => {
        const { symbol, asset } = leg;
        if (symbol === '') return;
        let look = lookOfSymbol.get(symbol);
        if (look === undefined) {
          look = lookOf(symbol);
          lookOfSymbol.set(symbol, look);
        }
        const seen = looks.get(look) ?? new Map<string, Seen>();
        looks.set(look, seen);
        const key = `${asset} ${symbol}`;
        const known = seen.get(key);
        if (known) known.legs += 1;
        else seen.set(key, { first: leg, legs: 1 });
      }),
      finish() {
        for (const [look, seen] of looks) {
          const all = [...seen.values()];
          const symbols = [...new Set(all.map(({ first }) => first.symbol))].sort();
          const ids = [...new Set(all.flatMap(({ first }) => first.assetId ?? []))].sort();
          // An unresolved leg beside a resolved asset of the same symbol is the subject of the check missing-asset.
          if (symbols.length === 1 && ids.length < 2) continue;
          const [first] = all;
          if (!first) continue;
          const shown = symbols.map(written).join(', ');
          report({
            severity: symbols.length > 1 ? 'warning' : 'info',
            key: [look, ...symbols, ...ids],
            pair: { walletId: '', assetId: null, symbol: first.first.symbol },
            leg: foundLeg(first.first),
            legs: all.reduce((sum, { legs }) => sum + legs, 0),
            message:
              symbols.length > 1
                ? `The symbols ${shown} look alike, but are ${count(symbols.length)} different symbols${ids.length > 0 ? ` (assets ${ids.join(', ')})` : ''}. Check that none of them is an imitation.`
                : `${symbols[0]} is the symbol of ${count(ids.length)} assets: ${ids.join(', ')}. Check that none of these assets is an imitation.`,
            inPeriod: true,
          });
        }
      },
    };
  },
});

/** Writes every character beyond ASCII as a code point too, because such characters imitate others. */
function written(symbol: string): string {
  const codes = [...symbol].flatMap((char) =>
    char > '\u007e' || char < '!'
      ? `U+${(char.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`
      : [],
  );
  return codes.length === 0 ? symbol : `${symbol} (with ${[...new Set(codes)].join(', ')})`;
}

/** Letters of other scripts that look like Latin letters, after case folding. Each is followed by the Latin letter. */
const CONFUSABLES = new Map(
  [
    // Cyrillic
    ...[
      'аa',
      'вb',
      'сc',
      'ԁd',
      'еe',
      'ёe',
      'һh',
      'нh',
      'іi',
      'їi',
      'јj',
      'кk',
      'ӏl',
      'мm',
      'оo',
      'рp',
      'ԛq',
      'ѕs',
    ],
    ...['тt', 'уy', 'ԝw', 'хx', 'зз', 'гr', 'пn', 'ғf'],
    // Greek
    ...[
      'αa',
      'βb',
      'ϲc',
      'εe',
      'ηn',
      'ιi',
      'κk',
      'μm',
      'νv',
      'οo',
      'ρp',
      'σo',
      'ςc',
      'τt',
      'υu',
      'χx',
      'ωw',
      'ζz',
      'γy',
    ],
    // Armenian
    ...[
      'աw',
      'զq',
      'հh',
      'ղn',
      'ճa',
      'յj',
      'նu',
      'ոn',
      'սu',
      'տs',
      'րn',
      'ցg',
      'օo',
      'ֆf',
      'լl',
      'քp',
      'եt',
      'խi',
      'բp',
    ],
    // Cherokee, after case folding to the capital letters
    ...['Ꭰd', 'Ꭱr', 'Ꭲt', 'Ꭵi', 'Ꭺa', 'Ꭻj', 'Ꭼe', 'Ꮃw', 'Ꮇm', 'Ꮋh', 'Ꮍy', 'Ꮐg', 'Ꮓz', 'Ꮞ4', 'Ꮢr', 'Ꮤw', 'Ꮥs'],
    ...['Ꮩv', 'Ꮪs', 'Ꮮl', 'Ꮯc', 'Ꮲp', 'Ꮶk', 'Ꭹy', 'Ᏼb', 'Ꮜu', 'Ꮖi', 'Ꮾ6', 'Ᏸb', 'Ꭴo', 'Ꮻo', 'Ꮎo', 'Ꭶs', 'Ꮟb'],
    // Latin letters and digits that are hard to tell apart
    ...['ıi', '0o', '1l', 'ɑa', 'ɡg', 'ʀr', 'ꜱs', 'ᴛt', 'ᴇe', 'ʜh'],
  ].map((pair) => {
    const [from = '', to = ''] = pair;
    return [from, to];
  }),
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
