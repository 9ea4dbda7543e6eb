import { isRecord, stringifyJson, tryJson } from './json.ts';
import { once } from './once.ts';
import { Pattern } from './pattern.ts';
import { isMessage, isSecretName, namedSecrets, type TextSpan } from './secret-names.ts';
import { type Canonical, canonical } from './spelling.ts';

// See "Logs and reports" in SECURITY.md.

export const MASK = '***';

/**
 * The minimum length of a secret that is masked wherever it appears. A shorter secret is masked only where it directly follows
 * its name, as in `client_secret=s`, because ordinary text often contains the same characters by chance.
 */
export const SHORTEST = 8;

/** Masks secrets in text. Recognises known secrets in several encodings, and unknown secrets by their name or format. */
export class Redactor {
  readonly #secrets = new Map<string, (() => SecretForms) | undefined>();
  readonly #permitted = new Set<string>();

  /** Adds a secret. From now on, the secret is masked in all text. */
  conceal(secret: string | null | undefined): void {
    if (!secret || this.#secrets.has(secret)) return;
    const trimmed = secret.trim();
    // Most commands print nothing on stderr, so the search is prepared only when it is needed.
    this.#secrets.set(secret, trimmed.length >= SHORTEST ? once(() => formsOf(trimmed)) : undefined);
    this.conceal(trimmed);
  }

  /** Searches a JSON value at any depth, and adds each string that has the name of a secret, such as `client_secret`. */
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
      : `${stringifyJson(this.redactValue(value))}${/\s*$/.exec(text)?.[0] ?? ''}`;
  }

  /** Masks every secret in a JSON value, at any depth. */
  redactValue(value: unknown): unknown {
    if (Array.isArray(value)) return value.map((item) => this.redactValue(item));
    if (isRecord(value)) {
      const members = Object.entries(value).map(([name, member]): [string, unknown] => [
        this.#mask(name),
        isSecretName(name) && isOpaque(member) ? MASK : this.redactValue(member),
      ]);
      return Object.fromEntries(members);
    }
    if (typeof value === 'string') return this.#mask(value);
    const written = stringifyJson(value);
    return this.#mask(written) === written ? value : MASK;
  }

  #mask(text: string): string {
    const permitted = [...this.#permitted].flatMap((part) => occurrences(text, part));
    const spans = merged([...this.#knownSecrets(text), ...unknownSecrets(text)]).filter(
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

  #knownSecrets(text: string): TextSpan[] {
    const spelled = once(() => canonical(text));
    return [...this.#secrets.values()].flatMap((forms) => (forms ? findSecret(text, spelled, forms()) : []));
  }
}

/** A text of several megabytes can exceed the stack of the regular expressions. In this case, the whole text is masked. */
function unknownSecrets(text: string): TextSpan[] {
  try {
    return namedSecrets(text);
  } catch (error) {
    if (error instanceof RangeError) return [{ start: 0, end: text.length }];
    throw error;
  }
}

/** Whether the value of a member such as `password` can be a secret. Messages, null, objects and arrays are not secrets. */
function isOpaque(member: unknown): boolean {
  if (typeof member === 'string') return !isMessage(member);
  return member !== null && !isRecord(member) && !Array.isArray(member);
}

interface SecretForms {
  readonly raw: Pattern;
  /** The secret in canonical spelling: see `spelling.ts`. */
  readonly plain: Pattern;
  /** The secret in base64 and hex, in canonical spelling. Such a form is also found inside longer encoded text. */
  readonly encoded: readonly Pattern[];
  /** The secret in its usual encodings. At the end of a shortened message, even the beginning of such a string is masked. */
  readonly whole: readonly Pattern[];
  /** Whether the secret consists of digits. Such a secret is not masked inside a longer number. */
  readonly numeric: boolean;
  readonly endsWithBackslash: boolean;
}

function formsOf(secret: string): SecretForms {
  const bytes = Buffer.from(secret);
  const hex = bytes.toString('hex');
  const base64 = new Set([0, 1, 2].flatMap((offset) => base64At(bytes, offset)));
  const encoded = [...base64, hex, hex.toUpperCase()];
  const whole = [
    secret,
    encodeURIComponent(secret.replace(/\p{Cs}/gu, '\ufffd')),
    JSON.stringify(secret).slice(1, -1),
    ...encoded,
  ];
  return {
    raw: new Pattern(secret),
    plain: new Pattern(canonical(secret).text),
    encoded: encoded.map((text) => new Pattern(canonical(text).text)),
    whole: whole.map((text) => new Pattern(text)),
    numeric: /^\d+$/.test(secret),
    endsWithBackslash: secret.endsWith('\\'),
  };
}

/**
 * Encodes the secret in base64, in the standard and the URL-safe alphabet. The first or last character is omitted if it also
 * encodes bits of a neighbouring byte. {@link withNeighbours} adds the omitted characters to the masked span.
 *
 * @param offset number of bytes before the secret, modulo 3. For example, `user:` precedes the secret in a Basic header.
 */
function base64At(bytes: Buffer, offset: number): string[] {
  const all = Buffer.concat([Buffer.alloc(offset), bytes]);
  const base64 = all.toString('base64').slice(Math.ceil((offset * 8) / 6), Math.floor((all.length * 8) / 6));
  return [base64, base64.replaceAll('+', '-').replaceAll('/', '_')];
}

const BASE64_END = /[\w+/-]?(?:=|%3[dD]){0,2}/y;
const BACKSLASHES = /(?:\\|%(?:25)*5[cC])*/y;

/** Extends the span of an encoded secret by the characters that also encode bits of its neighbours. */
function withNeighbours(text: string, { start, end }: TextSpan): TextSpan {
  const before = /[\w+/-]/.test(text.charAt(start - 1)) ? 1 : 0;
  return { start: start - before, end: endOf(BASE64_END, text, end) };
}

/** Returns the index after the characters that a sticky pattern matches at `from`. */
function endOf(sticky: RegExp, text: string, from: number): number {
  sticky.lastIndex = from;
  return from + (sticky.exec(text)?.[0].length ?? 0);
}

function findSecret(text: string, spelled: () => Canonical, forms: SecretForms): TextSpan[] {
  const { raw, plain, encoded, whole, numeric, endsWithBackslash } = forms;
  const { text: canonicalText, starts, ends } = spelled();
  const placed = (pattern: Pattern): TextSpan[] =>
    pattern
      .in(canonicalText)
      .map(({ start, end }) => ({ start: starts[start] ?? 0, end: ends[end - 1] ?? 0 }))
      // Canonical spelling can make a secret very short, so that it would match ordinary words.
      .filter(({ start, end }) => end - start >= SHORTEST);
  const spans = [
    ...raw.in(text),
    ...placed(plain).map(({ start, end }) => ({
      start,
      end: endsWithBackslash ? endOf(BACKSLASHES, text, end) : end,
    })),
    ...encoded.flatMap(placed).map((span) => withNeighbours(text, span)),
    ...(text.includes('…') ? whole.flatMap((form) => form.cutIn(text)) : []),
  ];
  return numeric ? spans.filter((span) => !isInsideNumber(text, span)) : spans;
}

function isInsideNumber(text: string, { start, end }: TextSpan): boolean {
  return (
    /\d[.,]?$/.test(text.slice(Math.max(0, start - 2), start)) || /^[.,]?\d/.test(text.slice(end, end + 2))
  );
}

function occurrences(text: string, part: string): TextSpan[] {
  const found: TextSpan[] = [];
  for (let at = text.indexOf(part); at >= 0; at = text.indexOf(part, at + 1)) {
    found.push({ start: at, end: at + part.length });
  }
  return found;
}

function merged(spans: readonly TextSpan[]): TextSpan[] {
  const result: TextSpan[] = [];
  for (const span of [...spans].sort((left, right) => left.start - right.start)) {
    const last = result.at(-1);
    if (last && span.start <= last.end) {
      result[result.length - 1] = { start: last.start, end: Math.max(last.end, span.end) };
    } else result.push(span);
  }
  return result;
}
