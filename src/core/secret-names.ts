import { once } from './once.ts';

/** A part of a string. `start` is inclusive, `end` is exclusive. */
export interface TextSpan {
  readonly start: number;
  readonly end: number;
}

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

/** Whether `name` is the name of a secret in a header, form or JSON object, such as `client_secret` or `X-API-Key`. */
export function isSecretName(name: string): boolean {
  return SECRET_NAME.test(name);
}

interface Shape {
  /** A pattern that ends with the group `secret`. All quantifiers are written so that matching takes linear time. */
  readonly pattern: RegExp;
  readonly test?: (secret: string) => boolean;
}

/** A quick first check. If a text does not match this pattern, the patterns of `shapes` cannot match and are not compiled. */
const MARK = /[:=]|eyJ|bearer|basic/i;

const shapes = once((): readonly Shape[] => [
  // A JSON web token. The token may directly follow an escape, as in \neyJ… or %22eyJ….
  {
    pattern:
      /(?<=^|[^\w-]|\\[nrtbf]|%[0-9A-Fa-f]{2}|\\u[0-9a-fA-F]{4})(?<secret>eyJ[\w-]{10,}\.[\w-]{4,}(?:\.[\w-]*){0,3})/g,
  },
  // Headers.
  {
    pattern: /(?<![A-Za-z0-9])bearer(?:\s+|%20|\+)(?<secret>[\w.~+/=%-]+)/gi,
    test: (secret) => !isWord(secret),
  },
  {
    // "Basic" is also an ordinary word, so check that the next word decodes to `user:secret`.
    pattern: /(?<![A-Za-z0-9])basic(?:\s+|%20|\+)(?<secret>[\w+/-]{4,}(?:=|%3d)*)/gi,
    test: (secret) => Buffer.from(secret, 'base64').includes(':'),
  },
  {
    pattern:
      /(?<![\w-])(?:(?:proxy-)?authorization|(?:set-)?cookie)\s{0,9}:[ \t]{0,9}(?:(?:bearer|basic)[ \t]+)?(?<secret>[^\s"'\\<>][^\r\n"'\\<>]*)/gi,
    test: (secret) => !isWord(secret) && !isMessage(secret),
  },
  {
    pattern: /(?<![\w-])x-(?:api-key|client-secret)\s{0,9}:[ \t]{0,9}(?<secret>[^\s"'\\<>,;]+)/gi,
    test: (secret) => !isWord(secret),
  },
  // Fields in JSON, in JSON inside a string, and in objects as Node prints them.
  ...[
    `(?:${NAME})["']?\\s{0,9}[:=]\\s{0,9}"(?<secret>(?:\\\\.|[^"\\\\])+)`,
    `(?:${NAME})["']?\\s{0,9}[:=]\\s{0,9}'(?<secret>(?:\\\\.|[^'\\\\])+)`,
    `(?:${NAME})\\\\+["']\\s{0,9}[:=]\\s{0,9}\\\\+["'](?<secret>[^"'\\\\]+)`,
    `(?:${NAME})["']\\s{0,9}:\\s{0,9}(?<secret>-?\\d[\\d.eE+-]*)`,
  ].map((source) => ({ pattern: new RegExp(source, 'gis'), test: (secret: string) => !isMessage(secret) })),
  // Forms, query strings, assignments and flags. A filter can also be named `key` or `token`, so a value with one of these
  // names is masked only if the value looks like a secret.
  { pattern: new RegExp(`(?:${NAME})=(?<secret>[^&\\s"'\\\\<>]+)`, 'gi') },
  { pattern: /[?&]code=(?<secret>[^&\s"'\\<>#]+)/gi },
  {
    pattern: /(?<![\w-])(?:[\w.~%-]{0,64}[_.-])?(?:key|token|verifier)=(?<secret>[^&\s"'\\<>#]+)/gi,
    test: looksSecret,
  },
  { pattern: /(?<![\w-])--[\w-]{0,64}(?:key|token|code|verifier)=(?<secret>[^\s"'\\<>]+)/gi },
  // User name and password in an address.
  { pattern: /[a-z][a-z0-9+.-]{0,30}:\/\/(?<secret>[^\s/?#"'<>@]+(?:@[^\s/?#"'<>@]+)*)(?=@)/gi },
]);

/** Finds unknown secrets by their name or format. */
export function namedSecrets(text: string): TextSpan[] {
  if (!MARK.test(text)) return [];
  return shapes().flatMap(({ pattern, test = () => true }) =>
    [...text.matchAll(pattern)].flatMap(({ index, 0: all, groups }) => {
      const secret = groups?.['secret'] ?? '';
      const start = index + all.lastIndexOf(secret);
      return test(secret) ? [{ start, end: start + secret.length }] : [];
    }),
  );
}

/**
 * Whether the text after a name such as `Bearer` is an ordinary word and not a credential, as in `Bearer expired`. Longer
 * words, such as `correct-horse-battery`, may be credentials.
 */
function isWord(text: string): boolean {
  return text.length <= 14 && /^[A-Z]?[a-z]{2,}(?:[_-][a-z]+)*[.,;:!?)"'=]*$/.test(text);
}

/**
 * Whether the text that follows a secret's name is a message instead of the secret itself, as in
 * `{"password":"must be 8 long"}` or `Authorization: needed for GET /v1/x`.
 */
export function isMessage(text: string): boolean {
  const [first = '', ...others] = text.trim().split(/\s+/);
  return (
    others.length > 0 &&
    isWord(first) &&
    !/^(?:digest|token|apikey|negotiate)$/i.test(first) &&
    others.every((word) => /^[\w'’.,:;!?/()-]{1,15}$/.test(word))
  );
}

/** Whether a string has at least 16 characters, contains both letters and digits, and is not a blockchain address. */
function looksSecret(text: string): boolean {
  return text.length >= 16 && /\d/.test(text) && /[a-z]/i.test(text) && !/^0x[\da-f]{40,64}$/i.test(text);
}
