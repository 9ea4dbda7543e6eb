// Control characters (terminal escapes among them), and the characters that reorder or hide text: a token's
// name can hold any of them.
// Joiners (U+200C, U+200D) are a part of honest names in many scripts and stay.
const HOSTILE =
  /[\p{Cc}\u00ad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}]/gu;

/** `\u001b`, for the escape character. */
export function escapeCharacter(character: string): string {
  return [...Array(character.length).keys()]
    .map((at) => `\\u${character.charCodeAt(at).toString(16).padStart(4, '0')}`)
    .join('');
}

/** Text of the service made harmless for a terminal: one line, every hostile character shown as `\u001b`. */
export function showText(text: string): string {
  return text.replace(HOSTILE, escapeCharacter);
}

/** As {@link showText}, and line breaks stay: for text that has lines of its own. */
export function escapeHostile(text: string): string {
  return text.replace(HOSTILE, (character) => (character === '\n' ? character : escapeCharacter(character)));
}
