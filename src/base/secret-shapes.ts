import type { Span } from './secret-forms.ts';

// Secrets known by where they stand or how they look, without ever having been told of them. Every quantifier that a
// long answer could make slow is bounded, or cannot begin at each character of a run.

const NAME = [
  '(?:access|refresh|id|auth|session|bearer)[_-]?token',
  'secret(?:[_-]?(?:access[_-]?)?key)?',
  '(?:api|private)[_-]?key',
  'pass(?:word|wd|phrase)',
  'code[_-]?verifier',
  'client[_-]?assertion',
  '(?:proxy-)?authorization',
  '(?:set-)?cookie',
].join('|');

const SECRET_NAME = new RegExp(`(?:${NAME})$`, 'i');

/** Whether a header, a field of a form or a member of JSON holds a secret, by its name: `client_secret`, `X-API-Key`. */
export function isSecretName(name: string): boolean {
  return SECRET_NAME.test(name);
}

/** Behind `Bearer` in sentences, and the parameters of a challenge (`WWW-Authenticate`). */
const NO_CREDENTIAL = [
  '(?!(?:tokens?|auth\\w*|schemes?|headers?|credentials?|access|access_token|is|was|are|and|or|in|of|for|with|as|to',
  '|not|only)[.,;:!?)"\']*(?:\\s|$))(?!(?:realm|error\\w*|scope|charset)=["\'])',
].join('');

/** Each matches up to the end of the secret, which is the group `secret`. */
const SHAPES: readonly RegExp[] = [
  // A JSON web token: header and payload at least. Also where it follows an escape: \neyJ…, %22eyJ…
  /(?<=^|[^\w-]|\\[nrtbf]|%[0-9A-Fa-f]{2}|u[0-9a-fA-F]{4})(?<secret>eyJ[\w-]{10,}\.[\w-]{4,}(?:\.[\w-]*){0,3})/g,
  new RegExp(`(?<![A-Za-z0-9])bearer(?:\\s+|%20|\\+)${NO_CREDENTIAL}(?<secret>[\\w.~+/=%-]+)`, 'gi'),
  // A header's line.
  /(?<![\w-])(?:(?:proxy-)?authorization|(?:set-)?cookie)\s{0,9}:[ \t]{0,9}(?:(?:bearer|basic)[ \t]+)?(?<secret>[^\s"'\\<>][^\r\n"'\\<>]*)/gi,
  /(?<![\w-])x-(?:api-key|client-secret)\s{0,9}:[ \t]{0,9}(?<secret>[^\s"'\\<>,;]+)/gi,
  // A member of JSON, of an object as Node prints it, an attribute: name, colon or =, and a value in quotes. The
  // quotes may be escaped, where JSON stands inside of JSON.
  new RegExp(`(?:${NAME})["']?\\s{0,9}[:=]\\s{0,9}"(?<secret>(?:\\\\.|[^"\\\\])+)`, 'gis'),
  new RegExp(`(?:${NAME})["']?\\s{0,9}[:=]\\s{0,9}'(?<secret>(?:\\\\.|[^'\\\\])+)`, 'gis'),
  new RegExp(`(?:${NAME})\\\\+["']\\s{0,9}[:=]\\s{0,9}\\\\+["'](?<secret>[^"'\\\\]+)`, 'gi'),
  new RegExp(`(?:${NAME})["']\\s{0,9}:\\s{0,9}(?<secret>-?\\d[\\d.eE+-]*)`, 'gi'),
  new RegExp(`(?:${NAME})(?:&quot;|&#34;)\\s{0,9}:\\s{0,9}(?:&quot;|&#34;)(?<secret>[^&<]+)`, 'gi'),
  // A form, an assignment.
  new RegExp(`(?:${NAME})=(?<secret>[^&\\s"'\\\\<>]+)`, 'gi'),
  new RegExp(`(?:${NAME})%3D(?<secret>(?:(?!%26)[^&\\s"'\\\\<>])+)`, 'gi'),
  /(?<![\w-])(?:code|token)=(?<secret>[^&\s"'\\<>]+)(?=&\w)/gi,
  // A query: there short names count, too. Not code_challenge, which is to be seen.
  /[?&][\w.~%-]{0,64}(?:key|token|secret|password|passwd|passphrase|code|verifier)=(?<secret>[^&\s"'\\<>#]+)/gi,
  /(?:%3f|%26)[\w.~-]{0,64}(?:key|token|secret|password|passwd|passphrase|code|verifier)%3d(?<secret>(?:(?!%26|%23)[^&\s"'\\<>#])+)/gi,
  // User and password of an address.
  /[a-z][a-z0-9+.-]{0,30}:\/\/(?<secret>[^\s/?#"'<>@]+(?:@[^\s/?#"'<>@]+)*)(?=@)/gi,
];

/** `Basic` is also a word of sentences: behind it stands base64 of `user:secret`, or nothing secret. */
const BASIC = /(?<![A-Za-z0-9])basic(?:\s+|%20|\+)(?<secret>[\w+/-]{4,}(?:=|%3d)*)/gi;

export function shapesIn(text: string): Span[] {
  const basic = [...text.matchAll(BASIC)].filter((match) => userAndSecret(match.groups?.['secret'] ?? ''));
  return [...SHAPES.flatMap((shape) => [...text.matchAll(shape)]), ...basic].map((match) => {
    const end = match.index + match[0].length;
    return { start: end - (match.groups?.['secret'] ?? '').length, end };
  });
}

function userAndSecret(base64: string): boolean {
  return Buffer.from(base64, 'base64').includes(':');
}
