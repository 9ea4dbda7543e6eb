import type { Span } from './secret-forms.ts';

// Secrets known by where they stand or how they look, without ever having been told of them. No pattern
// fails behind a quantifier that is not bounded: each takes what stands there, and code judges it.

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

interface Shape {
  /** Matches up to the end of the secret, which is the group `secret`. */
  readonly pattern: RegExp;
  /** Whether what stands there is one: patterns take whatever comes, so that none goes back to try again. */
  readonly test?: (secret: string, all: string) => boolean;
}

const SHAPES: readonly Shape[] = [
  {
    // A JSON web token: header and payload at least. Also where it follows an escape: \neyJ…, %22eyJ…
    pattern:
      /(?<=^|[^\w-]|\\[nrtbf]|%[0-9A-Fa-f]{2}|\\u[0-9a-fA-F]{4})(?<secret>eyJ[\w-]{10,}\.[\w-]{4,}(?:\.[\w-]*){0,3})/g,
  },
  {
    pattern: /(?<![A-Za-z0-9])bearer(?:\s+|%20|\+)(?<secret>[\w.~+/=%-]+)/gi,
    test: (secret) => !isWord(secret),
  },
  // `Basic` is also a word of sentences: behind it stands base64 of `user:secret`, or nothing secret.
  {
    pattern: /(?<![A-Za-z0-9])basic(?:\s+|%20|\+)(?<secret>[\w+/-]{4,}(?:=|%3d)*)/gi,
    test: (secret) => Buffer.from(secret, 'base64').includes(':'),
  },
  {
    // A header's line.
    pattern:
      /(?<![\w-])(?:(?:proxy-)?authorization|(?:set-)?cookie)\s{0,9}:[ \t]{0,9}(?:(?:bearer|basic)[ \t]+)?(?<secret>[^\s"'\\<>][^\r\n"'\\<>]*)/gi,
    test: (secret) => !isWord(secret) && !isSentence(secret),
  },
  {
    pattern: /(?<![\w-])x-(?:api-key|client-secret)\s{0,9}:[ \t]{0,9}(?<secret>[^\s"'\\<>,;]+)/gi,
    test: (secret) => !isWord(secret),
  },
  // A member of JSON, of an object as Node prints it, an attribute: name, colon or =, and a value in quotes. The
  // quotes may be escaped, where JSON stands inside of JSON.
  ...[
    [`(?:${NAME})["']?\\s{0,9}[:=]\\s{0,9}"(?<secret>(?:\\\\.|[^"\\\\])+)`, 'gis'],
    [`(?:${NAME})["']?\\s{0,9}[:=]\\s{0,9}'(?<secret>(?:\\\\.|[^'\\\\])+)`, 'gis'],
    [`(?:${NAME})\\\\+["']\\s{0,9}[:=]\\s{0,9}\\\\+["'](?<secret>[^"'\\\\]+)`, 'gi'],
    [`(?:${NAME})["']\\s{0,9}:\\s{0,9}(?<secret>-?\\d[\\d.eE+-]*)`, 'gi'],
    [`(?:${NAME})(?:&quot;|&#34;)\\s{0,9}:\\s{0,9}(?:&quot;|&#34;)(?<secret>[^&<]+)`, 'gi'],
  ].map(([source = '', flags]) => ({
    pattern: new RegExp(source, flags),
    test: (secret: string) => !isSentence(secret),
  })),
  // A form, an assignment.
  { pattern: new RegExp(`(?:${NAME})=(?<secret>[^&\\s"'\\\\<>]+)`, 'gi') },
  { pattern: new RegExp(`(?:${NAME})%3D(?<secret>(?:(?!%26)[^&\\s"'\\\\<>])+)`, 'gi') },
  // The names alone are not enough here: they name assets, and what lists are sorted by, too.
  {
    pattern: /(?<![\w-])code=(?<secret>[^&\s"'\\<>]+)(?:&(?=\w))?/gi,
    test: (_, all) => all.endsWith('&'),
  },
  {
    pattern: /(?<![\w-])(?:[\w.~%-]{0,64}[_.-])?(?:key|token|verifier)=(?<secret>[^&\s"'\\<>#]+)/gi,
    test: looksSecret,
  },
  { pattern: /[?&]code=(?<secret>[^&\s"'\\<>#]+)/gi },
  { pattern: /(?:%3f|%26)code%3d(?<secret>(?:(?!%26|%23)[^&\s"'\\<>#])+)/gi },
  {
    pattern:
      /(?:%3f|%26)(?:[\w.~-]{0,64}[_.-])?(?:key|token|verifier)%3d(?<secret>(?:(?!%26|%23)[^&\s"'\\<>#])+)/gi,
    test: looksSecret,
  },
  // A flag that no command has.
  {
    pattern:
      /(?<![\w-])--[\w-]{0,64}(?:key|token|secret|password|passwd|passphrase|code|verifier)=(?<secret>[^\s"'\\<>]+)/gi,
  },
  // User and password of an address.
  { pattern: /[a-z][a-z0-9+.-]{0,30}:\/\/(?<secret>[^\s/?#"'<>@]+(?:@[^\s/?#"'<>@]+)*)(?=@)/gi },
];

/** A word of a sentence, in the place of a credential: `Bearer expired`; or of a challenge: `Bearer realm="…"`. */
function isWord(text: string): boolean {
  return text.length <= 24 && /^[A-Z]?[a-z]{2,}(?:[_-][a-z]+)*[.,;:!?)"'=]*$/.test(text);
}

/** What is wrong with a secret, in its place: `{"password":"must be 8 long"}`, `Authorization: needed for GET /v1/x`. */
export function isSentence(text: string): boolean {
  const [first = '', ...others] = text.trim().split(/\s+/);
  return (
    others.length > 0 &&
    isWord(first) &&
    !/^(?:digest|token|apikey|negotiate)$/i.test(first) &&
    others.every((word) => /^[\w'’.,:;!?/()-]{1,15}$/.test(word))
  );
}

/** Long, of letters and digits, and no address on a chain. */
function looksSecret(text: string): boolean {
  return text.length >= 16 && /\d/.test(text) && /[a-z]/i.test(text) && !/^0x[\da-f]{40,64}$/i.test(text);
}

export function shapesIn(text: string): Span[] {
  return SHAPES.flatMap(({ pattern, test = () => true }) =>
    [...text.matchAll(pattern)].flatMap(({ index, 0: all, groups }) => {
      const secret = groups?.['secret'] ?? '';
      const start = index + all.lastIndexOf(secret);
      return test(secret, all) ? [{ start, end: start + secret.length }] : [];
    }),
  );
}
