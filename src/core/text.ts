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
// Some ordinary names contain invisible characters. Each pattern matches such a character only where it changes
// the look of the text.
const NEEDED = [
  `${EMOJI}[\\ufe0e\\ufe0f]`,
  '[0-9#*]\\ufe0f(?=\\u20e3)',
  `${EMOJI}[\\ufe0f\\p{Emoji_Modifier}]?\\u200d(?=${EMOJI})`,
  `[${CURSIVE}][\\u200c\\u200d](?=[${CURSIVE}])`,
].join('|');

/**
 * The source of a regular expression that matches one hostile character. The expression requires the flag `u`. Control
 * characters are hostile, because terminal escape sequences start with them. Invisible characters and characters that reorder
 * text are also hostile.
 */
export const HOSTILE_CHARACTER = `[\\p{Cc}\\p{Default_Ignorable_Code_Point}\\u2028\\u2029\\ufff9-\\ufffb](?<!${NEEDED})`;
// Compiled on first use, because compiling takes milliseconds and most commands show only harmless text.
const hostile = once(() => new RegExp(HOSTILE_CHARACTER, 'gu'));
const HARMLESS = /^[\n -~]*$/;

/** Whether a string contains only printable ASCII characters and line breaks. This fast check is enough for most strings. */
export function isHarmless(text: string): boolean {
  return HARMLESS.test(text);
}

/** Returns the escape sequence of a character, such as `\u001b`. */
export function escapeCharacter(character: string): string {
  return [...Array(character.length).keys()]
    .map((at) => `\\u${character.charCodeAt(at).toString(16).padStart(4, '0')}`)
    .join('');
}

/** Escapes line breaks and hostile characters, as in `\u001b`. A terminal can then show the text safely on one line. */
export function showText(text: string): string {
  return text.replace(isHarmless(text) ? /\n/g : hostile(), escapeCharacter);
}

/** Like {@link showText}, escapes hostile characters, but keeps line breaks. */
export function escapeHostile(text: string): string {
  if (isHarmless(text)) return text;
  return text.replace(hostile(), (character) =>
    character === '\n' ? character : escapeCharacter(character),
  );
}

/** Formats a count: `20,000`. The first call of `toLocaleString` would take as long as the start of Node. */
export function count(number: number | bigint): string {
  return String(number).replace(/\B(?=(?:\d{3})+$)/g, ',');
}

/** Lists the first items, and the number of the others: `a, b, and 3 more`. */
export function someOf(items: readonly string[], { most = 5, all = items.length, by = ', ' } = {}): string {
  const shown = items.slice(0, most);
  if (all > shown.length) shown.push(`and ${count(all - shown.length)} more`);
  return shown.join(by);
}

/** Formats a count with its noun: `1 leg`, `2,000 legs`. */
export function plural(number: number | bigint, one: string, many: string): string {
  return `${count(number)} ${Number(number) === 1 ? one : many}`;
}

export function shellWord(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
