import { isRecord, parseJson, stringifyJson } from './json.ts';
import { isMessage, isSecretName, namedSecrets, type Span } from './secret-names.ts';

// See "Logs and reports" in SECURITY.md.

/** The replacement for a secret. */
export const MASK = '***';

/**
 * The minimum length of a secret that is masked wherever it appears. A shorter secret is masked only where it directly follows
 * its name, as in `client_secret=s`, because ordinary text often contains the same characters by chance.
 */
export const SHORTEST = 8;

/** Masks secrets in text. Recognises known secrets in several encodings, and unknown secrets by their name or format. */
export class Redactor {
  readonly #secrets = new Map<string, SecretForms | undefined>();
  readonly #permitted = new Set<string>();

  /** Adds a secret. From now on, the secret is masked in all text. */
  conceal(secret: string | null | undefined): void {
    if (!secret || this.#secrets.has(secret)) return;
    const trimmed = secret.trim();
    this.#secrets.set(secret, trimmed.length >= SHORTEST ? formsOf(trimmed) : undefined);
    this.conceal(trimmed);
  }

  /** Adds the string members whose name denotes a secret, such as `client_secret`. Searches a JSON value at any depth. */
  concealMembers(value: unknown): void {
    if (Array.isArray(value)) for (const item of value) this.concealMembers(item);
    if (!isRecord(value)) return;
    for (const [name, member] of Object.entries(value)) {
      if (typeof member !== 'string') this.concealMembers(member);
      else if (isSecretName(name)) this.conceal(member);
    }
  }

  /** Adds a string that is never masked, such as the address to open for a login. */
  permit(text: string): void {
    if (text !== '') this.#permitted.add(text);
  }

  /** True for an added secret, and for text that contains an added secret of at least {@link SHORTEST} characters. */
  holds(text: string): boolean {
    return this.#secrets.has(text) || this.#knownSecrets(text).length > 0;
  }

  /** Masks every secret in the text. JSON remains valid. */
  redact(text: string): string {
    if (text === '') return text;
    const masked = this.#mask(text);
    if (masked === text || !/^\s*[{[]/.test(text) || tryJson(masked) !== undefined) return masked;
    // The masked text is not valid JSON, for example because a number was masked. Mask each member separately instead.
    const value = tryJson(text);
    return value === undefined
      ? masked
      : `${stringifyJson(this.#maskMembers(value))}${/\s*$/.exec(text)?.[0] ?? ''}`;
  }

  #mask(text: string): string {
    const permitted = [...this.#permitted].flatMap((part) => occurrences(text, part));
    const spans = merged([...this.#knownSecrets(text), ...namedSecrets(text)]).filter(
      ({ start, end }) => !permitted.some((part) => part.start <= start && end <= part.end),
    );
    let masked = '';
    let done = 0;
    for (const { start, end } of spans) {
      masked += text.slice(done, start) + MASK;
      done = end;
    }
    return masked + text.slice(done);
  }

  #knownSecrets(text: string): Span[] {
    return [...this.#secrets.values()].flatMap((forms) => (forms ? findSecret(text, forms) : []));
  }

  #maskMembers(value: unknown): unknown {
    if (Array.isArray(value)) return value.map((item) => this.#maskMembers(item));
    if (isRecord(value)) {
      const members = Object.entries(value).map(([name, member]): [string, unknown] => [
        this.#mask(name),
        isSecretName(name) && isOpaque(member) ? MASK : this.#maskMembers(member),
      ]);
      return Object.fromEntries(members);
    }
    if (typeof value === 'string') return this.#mask(value);
    const written = stringifyJson(value);
    return this.#mask(written) === written ? value : MASK;
  }
}

/** Whether the value of a member such as `password` can be a secret. Messages, null, objects and arrays are not secrets. */
function isOpaque(member: unknown): boolean {
  if (typeof member === 'string') return !isMessage(member);
  return member !== null && !isRecord(member) && !Array.isArray(member);
}

interface SecretForms {
  /** Matches the secret in its original form, with percent-encoding, and with JSON escapes. */
  readonly written: RegExp;
  /** Matches the secret in base64 and hex, also inside longer encoded text. */
  readonly encoded: readonly RegExp[];
  /** The secret in its usual encodings. At the end of a shortened message, even the beginning of such a string is masked. */
  readonly whole: readonly string[];
  /** Whether the secret consists of digits. Such a secret is not masked inside a longer number. */
  readonly numeric: boolean;
}

function formsOf(secret: string): SecretForms {
  const bytes = Buffer.from(secret);
  const hex = bytes.toString('hex');
  const base64 = new Set([0, 1, 2].flatMap((offset) => base64At(bytes, offset)));
  const encoded = [...base64, hex, hex.toUpperCase()];
  return {
    written: patternOf(secret),
    encoded: encoded.map((text) => new RegExp(`[\\w+/-]?${patternOf(text).source}${BASE64_END}`, 'gu')),
    whole: [
      secret,
      encodeURIComponent(secret.replace(/\p{Cs}/gu, '\ufffd')),
      JSON.stringify(secret).slice(1, -1),
      ...encoded,
    ],
    numeric: /^\d+$/.test(secret),
  };
}

/** Also matches repeated encoding, as in `%252f`. */
function percentPattern(encoded: string): string {
  return encoded.replace(/%(..)/g, (_, hex: string) => `%(?:25){0,3}${anyCase(hex)}`);
}

function anyCase(hex: string): string {
  return hex.replace(/[a-f]/gi, (digit) => `[${digit.toLowerCase()}${digit.toUpperCase()}]`);
}

/**
 * Matches one backslash of a JSON escape. The backslash may be percent-encoded, as in forms. JSON inside JSON has several
 * backslashes in a row. The patterns limit the number of backslashes, so that matching takes linear time.
 */
const BACKSLASH = `(?:\\\\|${percentPattern('%5c')})`;
const JSON_LETTERS: Readonly<Record<string, string>> = {
  '\n': 'n',
  '\r': 'r',
  '\t': 't',
  '\b': 'b',
  '\f': 'f',
};

const BASE64_END = '[\\w+/-]?(?:=|%3[dD]){0,2}';

/** Matches a string in its original form, with percent-encoding (as in a URL or in form data), and with JSON escapes. */
function patternOf(text: string): RegExp {
  const source = text.replace(/\\+|[^A-Za-z\d]/gu, (part) => {
    // RFC 3986 does not reserve the characters `.`, `~`, `_` and `-`. However, form encoding escapes `~`, and some encoders
    // escape all four.
    if (/^[.~_-]$/.test(part)) return `(?:[${part}]|${percentPattern(`%${hexOf(part)}`)})`;
    if (part.startsWith('\\')) return `${BACKSLASH}{${part.length},${4 * part.length + 4}}`;
    const units = part
      .split('')
      .map((unit) => `u${anyCase(unit.charCodeAt(0).toString(16).padStart(4, '0'))}`);
    const escapes = [units.join(`${BACKSLASH}{1,7}`), JSON_LETTERS[part] ?? []].flat();
    const written = [
      `\\u{${part.codePointAt(0)?.toString(16)}}`,
      percentPattern(percentEncoded(part)),
      ...(part === ' ' ? ['\\+'] : []),
    ];
    const quoted = part === '"' || part === '/' ? `${BACKSLASH}{0,7}` : '';
    return `(?:${quoted}(?:${written.join('|')})|${BACKSLASH}{1,7}(?:${escapes.join('|')}))`;
  });
  return new RegExp(source, 'gu');
}

function hexOf(character: string): string {
  return character.charCodeAt(0).toString(16).padStart(2, '0');
}

/** Percent-encodes all characters except the unreserved characters of RFC 3986. `encodeURIComponent` encodes fewer. */
function percentEncoded(text: string): string {
  return text.replace(/[^\w.~-]/gu, (character) =>
    [...Buffer.from(character)]
      .map((byte) => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`)
      .join(''),
  );
}

/**
 * Encodes the secret in base64, in the standard and the URL-safe alphabet. The first or last character is omitted if it also
 * encodes bits of a neighbouring byte. In place of an omitted character, the pattern in `formsOf` accepts any base64
 * character.
 *
 * @param offset number of bytes before the secret, modulo 3. For example, `user:` precedes the secret in a Basic header.
 */
function base64At(bytes: Buffer, offset: number): string[] {
  const all = Buffer.concat([Buffer.alloc(offset), bytes]);
  const base64 = all.toString('base64').slice(Math.ceil((offset * 8) / 6), Math.floor((all.length * 8) / 6));
  return [base64, base64.replaceAll('+', '-').replaceAll('/', '_')];
}

function findSecret(text: string, { written, encoded, whole, numeric }: SecretForms): Span[] {
  const spans = [written, ...encoded].flatMap((pattern) =>
    [...text.matchAll(pattern)].map(({ index, 0: found }) => ({ start: index, end: index + found.length })),
  );
  spans.push(...whole.flatMap((form) => findCut(text, form)));
  return numeric ? spans.filter((span) => !isInsideNumber(text, span)) : spans;
}

function isInsideNumber(text: string, { start, end }: Span): boolean {
  return (
    /\d[.,]?$/.test(text.slice(Math.max(0, start - 2), start)) || /^[.,]?\d/.test(text.slice(end, end + 2))
  );
}

/**
 * A message may be shortened in the middle of a secret. If at least this many characters of the secret remain, they are
 * masked.
 */
const SHOWN = 6;

/** Finds the rest of a secret directly before a `…`, where the text was shortened in the middle of the secret. */
function findCut(text: string, secret: string): Span[] {
  return occurrences(text, '…').flatMap(({ start: end }) => {
    const last = text.slice(Math.max(0, end - SHOWN), end);
    if (last.length < SHOWN) return [];
    return occurrences(secret, last)
      .map((place) => place.end)
      .filter((length) => text.endsWith(secret.slice(0, length), end))
      .map((length) => ({ start: end - length, end }));
  });
}

function occurrences(text: string, part: string): Span[] {
  const found: Span[] = [];
  for (let at = text.indexOf(part); at >= 0; at = text.indexOf(part, at + 1)) {
    found.push({ start: at, end: at + part.length });
  }
  return found;
}

/** Sorts spans, and joins spans that overlap or touch. */
function merged(spans: readonly Span[]): Span[] {
  const result: Span[] = [];
  for (const span of [...spans].sort((left, right) => left.start - right.start)) {
    const last = result.at(-1);
    if (last && span.start <= last.end) {
      result[result.length - 1] = { start: last.start, end: Math.max(last.end, span.end) };
    } else result.push(span);
  }
  return result;
}

function tryJson(text: string): unknown {
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
}
