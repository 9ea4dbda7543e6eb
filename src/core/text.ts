// Scripts whose letters change shape with a joiner (U+200D) or a non-joiner (U+200C) between them.
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
// Invisible characters that ordinary names need, allowed only where they have an effect.
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
const HOSTILE = new RegExp(HOSTILE_CHARACTER, 'gu');

/** `\u001b`, for the escape character. */
export function escapeCharacter(character: string): string {
  return [...Array(character.length).keys()]
    .map((at) => `\\u${character.charCodeAt(at).toString(16).padStart(4, '0')}`)
    .join('');
}

/** Makes text from the service safe for a terminal: one line, with hostile characters shown as `\u001b`. */
export function showText(text: string): string {
  return text.replace(HOSTILE, escapeCharacter);
}

/** As {@link showText}, but keeps line breaks. */
export function escapeHostile(text: string): string {
  return text.replace(HOSTILE, (character) => (character === '\n' ? character : escapeCharacter(character)));
}

/** Formats a count: `20,000`. */
export function count(number: number): string {
  return number.toLocaleString('en');
}

/** A count and its noun: `1 leg`, `2,000 legs`. */
export function plural(number: number, one: string, many: string): string {
  return `${count(number)} ${number === 1 ? one : many}`;
}

/** A word of a command line, quoted for a POSIX shell if it must be. */
export function shellWord(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
