import { once } from './once.ts';

// Scripts in which a joiner (U+200D) or a non-joiner (U+200C) between two letters changes the shape of the letters.
const CURSIVE = [
  'Arab',
  'Syrc',
  'Mong',
  'Deva',
  'Beng',
  'Guru',
  'Gujr',
  'Orya',
  'Taml',
  'Telu',
  'Knda',
  'Mlym',
]
  .concat('Sinh', 'Khmr')
  .map((script) => `\\p{Script=${script}}`)
  .join('');
const EMOJI = '\\p{Extended_Pictographic}';
// Invisible characters that ordinary names need. Each pattern allows such a character only where the character changes how the
// text looks.
const NEEDED = [
  `${EMOJI}[\\ufe0e\\ufe0f]`,
  '[0-9#*]\\ufe0f(?=\\u20e3)',
  `${EMOJI}[\\ufe0f\\p{Emoji_Modifier}]?\\u200d(?=${EMOJI})`,
  `[${CURSIVE}][\\u200c\\u200d](?=[${CURSIVE}])`,
].join('|');

/**
 * Source of a pattern (flag `u`) for one hostile character: control characters, including terminal escapes, and
 * characters that reorder text or are invisible.
 */
export const HOSTILE_CHARACTER = `[\\p{Cc}\\p{Default_Ignorable_Code_Point}\\u2028\\u2029\\ufff9-\\ufffb](?<!${NEEDED})`;
// Built on first use: this takes milliseconds, and most commands show only harmless text.
const hostile = once(() => new RegExp(HOSTILE_CHARACTER, 'gu'));
const HARMLESS = /^[\n -~]*$/;

/** Whether a string is ASCII without control characters other than line breaks. Most strings pass this test, which is fast. */
export function isHarmless(text: string): boolean {
  return HARMLESS.test(text);
}

/** Writes a character as its code, such as `\u001b` for the escape character. */
export function escapeCharacter(character: string): string {
  return [...Array(character.length).keys()]
    .map((at) => `\\u${character.charCodeAt(at).toString(16).padStart(4, '0')}`)
    .join('');
}

/** Makes text from the service safe for a terminal: one line, with hostile characters shown as `\u001b`. */
export function showText(text: string): string {
  return text.replace(isHarmless(text) ? /\n/g : hostile(), escapeCharacter);
}

/** Like {@link showText}, but keeps line breaks. */
export function escapeHostile(text: string): string {
  if (isHarmless(text)) return text;
  return text.replace(hostile(), (character) =>
    character === '\n' ? character : escapeCharacter(character),
  );
}

/** Formats a count: `20,000`. Much faster than `toLocaleString`, whose first call takes as long as starting Node. */
export function count(number: number | bigint): string {
  return String(number).replace(/\B(?=(?:\d{3})+$)/g, ',');
}

/** A count and its noun: `1 leg`, `2,000 legs`. */
export function plural(number: number | bigint, one: string, many: string): string {
  return `${count(number)} ${Number(number) === 1 ? one : many}`;
}

/** A command-line word, quoted for a POSIX shell if necessary. */
export function shellWord(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
