import { Decoder } from './decoder.ts';

/** An encoding that a file may have, and how a line of the file reads in it. */
export interface Candidate {
  /** For display. */
  readonly name: string;
  /** For `TextDecoder`. */
  readonly label: string;
  readonly reading: string;
}

/** Encodings other than Unicode that exports use, the most frequent first. */
const ENCODINGS: readonly (readonly [name: string, label: string])[] = [
  ['Windows-1252', 'windows-1252'],
  ['Windows-1251', 'windows-1251'],
  ['Shift_JIS', 'shift_jis'],
  ['GB18030', 'gb18030'],
  ['Windows-1250', 'windows-1250'],
  ['Mac Roman', 'macintosh'],
  ['Big5', 'big5'],
  ['EUC-KR', 'euc-kr'],
  ['Windows-1254', 'windows-1254'],
  ['Windows-1253', 'windows-1253'],
  ['KOI8-R', 'koi8-r'],
  ['EUC-JP', 'euc-jp'],
  ['Windows-1255', 'windows-1255'],
  ['Windows-1256', 'windows-1256'],
];
const SHOWN = 4;
/** The score of a reading that cannot be text. */
const IMPLAUSIBLE = 0;

/**
 * Finds the encodings in which a line of text is plausible, the most plausible first. Encodings in which the line reads the same
 * are listed once. The order is only a suggestion: a reader of the language sees which encoding is right (decisions/0018).
 *
 * @param line bytes with at least one byte above 127
 */
export function candidatesFor(line: Uint8Array): Candidate[] {
  const found: (Candidate & { score: number })[] = [];
  for (const [name, label] of ENCODINGS) {
    const reading = decoded(line, label);
    if (reading === undefined || found.some((one) => one.reading === reading)) continue;
    found.push({ name, label, reading, score: scoreOf(reading) });
  }
  // The sort is stable, so encodings with the same score stay in the order of the list.
  found.sort((left, right) => right.score - left.score);
  const plausible = found.filter(({ score }) => score > IMPLAUSIBLE);
  return (plausible.length > 0 ? plausible : found)
    .slice(0, SHOWN)
    .map(({ score: _, ...candidate }) => candidate);
}

function decoded(bytes: Uint8Array, label: string): string | undefined {
  try {
    return new Decoder(label, { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

/** Scripts that do not occur together in one word. */
const SCRIPTS = [
  /\p{Script=Latin}/u,
  /\p{Script=Cyrillic}/u,
  /\p{Script=Greek}/u,
  /\p{Script=Hebrew}/u,
  /\p{Script=Arabic}/u,
];
const CJK = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u;
const SYMBOLS = /[€£¥№°§²³µ’‘“”„«»–—…ー・（）]/u;

/** The mean score of the characters outside ASCII, between -3 and 1. */
function scoreOf(text: string): number {
  let sum = 0;
  let characters = 0;
  for (const word of text.split(/[^\p{L}\p{M}\u0080-\uffff]+/u)) {
    const foreign = [...word].filter((character) => character > '\u007f');
    for (const character of foreign) sum += characterScore(character, word);
    characters += foreign.length;
    if (foreign.length > 0) sum += wordPenalty(word, foreign) * foreign.length;
  }
  return characters === 0 ? 0 : sum / characters;
}

function characterScore(character: string, word: string): number {
  if (CJK.test(character)) return isUsual(character) ? 1 : 0.2;
  if (/\p{L}/u.test(character)) return 1;
  if (/\p{M}/u.test(character)) return 0.5;
  return SYMBOLS.test(character) && !/\p{L}/u.test(word) ? 0.5 : -2;
}

/** Whether a character is frequent in East Asian exports: kana, Hangul, or a character of a known header word. */
function isUsual(character: string): boolean {
  return /[\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u.test(character)
    ? !/[\uff61-\uff9f]/.test(character)
    : FREQUENT.has(character);
}

/** Characters of the usual column names in Chinese and Japanese. */
const FREQUENT = new Set(
  '日付時刻间間期金额額数數量种種類类取引价價格手续續料費费用合计計余残高通货貨币幣名称稱号號番订訂单單交易买買卖賣入出备備考注文约約定区區分账賬户戶地址状狀态態',
);

/** Returns a negative score for a word that mixes scripts or cases, and for a Latin word with many accents; otherwise 0. */
function wordPenalty(word: string, foreign: readonly string[]): number {
  const scripts = SCRIPTS.filter((script) => script.test(word)).length + (CJK.test(word) ? 1 : 0);
  const mixed = scripts > 1 ? -2 : 0;
  const turns = /\p{Ll}\p{Lu}|\p{Lu}{2}\p{Ll}/u.test(word) ? -1.5 : 0;
  const letters = [...word].filter((character) => /\p{L}/u.test(character)).length;
  const accents =
    /\p{Script=Latin}/u.test(word) && foreign.length > 1 && foreign.length * 2 > letters ? -1.5 : 0;
  return mixed + turns + accents;
}
