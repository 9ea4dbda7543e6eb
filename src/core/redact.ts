import { isRecord, parseJson, stringifyJson } from './json.ts';
import { type Forms, formsOf, Haystack, type Span } from './secret-forms.ts';
import { isSecretName, isSentence, shapesIn } from './secret-shapes.ts';

/** What stands in the place of a secret. */
export const MASK = '***';

/**
 * Shorter values are not looked for: they would be found in words that have nothing to do with them (a client secret
 * `s`, a passphrase `dev`). What names them (`client_secret=s`) still tells them apart.
 */
export const SHORTEST = 8;

/**
 * Takes secrets out of text: those it was told of, in every spelling that they can have, and those that it knows by
 * their shape or by the name in front of them.
 */
export class Redactor {
  readonly #values = new Set<string>();
  readonly #forms: Forms[] = [];
  readonly #permitted = new Set<string>();

  /** Tells it a secret, which no text that passes will hold from now on. */
  conceal(secret: string | null | undefined): void {
    if (!secret || this.#values.has(secret)) return;
    this.#values.add(secret);
    if (secret.trim().length >= SHORTEST) this.#forms.push(formsOf(secret));
    const trimmed = secret.trim();
    if (trimmed !== secret) this.conceal(trimmed);
  }

  /** Tells it every member of a value, at any depth, whose name says that it is a secret. */
  concealMembers(value: unknown, names: (name: string) => boolean = isSecretName): void {
    if (Array.isArray(value)) for (const item of value) this.concealMembers(item, names);
    if (!isRecord(value)) return;
    for (const [name, member] of Object.entries(value)) {
      if (typeof member !== 'string') this.concealMembers(member, names);
      else if (names(name)) this.conceal(member);
    }
  }

  /** Text that stays whole wherever it stands: an address that has to be opened. */
  permit(text: string): void {
    if (text !== '') this.#permitted.add(text);
  }

  /** Whether a secret that it was told of is the text, or stands in it. */
  holds(text: string): boolean {
    return this.#values.has(text) || this.#known(text).length > 0;
  }

  redact(text: string): string {
    const masked = this.#masked(text);
    if (masked === text || !/^\s*[{[]/.test(text) || tryJson(masked) !== undefined) return masked;
    // A number that was masked, say: JSON that somebody will parse is to stay JSON.
    const value = tryJson(text);
    return value === undefined
      ? masked
      : `${stringifyJson(this.#maskedIn(value))}${/\s*$/.exec(text)?.[0] ?? ''}`;
  }

  #masked(text: string): string {
    const spans = joined(this.#withoutPermitted(text, [...this.#known(text), ...shapesIn(text)]));
    let masked = '';
    let done = 0;
    for (const { start, end } of spans) {
      masked += text.slice(done, start) + MASK;
      done = end;
    }
    return masked + text.slice(done);
  }

  #known(text: string): Span[] {
    if (this.#forms.length === 0) return [];
    const haystack = new Haystack(text);
    return this.#forms.flatMap((forms) => haystack.spansOf(forms));
  }

  #withoutPermitted(text: string, spans: readonly Span[]): readonly Span[] {
    const free: Span[] = [];
    for (const permitted of this.#permitted) {
      for (let at = text.indexOf(permitted); at >= 0; at = text.indexOf(permitted, at + 1)) {
        free.push({ start: at, end: at + permitted.length });
      }
    }
    return spans.filter(({ start, end }) => !free.some((part) => part.start <= start && end <= part.end));
  }

  #maskedIn(value: unknown): unknown {
    if (Array.isArray(value)) return value.map((item) => this.#maskedIn(item));
    if (isRecord(value)) {
      const members = Object.entries(value).map(([name, member]): [string, unknown] => [
        this.#masked(name),
        isSecretName(name) && isOpaque(member) ? MASK : this.#maskedIn(member),
      ]);
      return Object.fromEntries(members);
    }
    if (typeof value === 'string') return this.#masked(value);
    const written = stringifyJson(value);
    return this.#masked(written) === written ? value : MASK;
  }
}

/** Whether what is named as a secret can be one: no part of others, and not what is wrong with it. */
function isOpaque(member: unknown): boolean {
  if (typeof member === 'string') return !isSentence(member);
  return member !== null && !isRecord(member) && !Array.isArray(member);
}

/** Spans in order, those that touch as one. */
function joined(spans: readonly Span[]): Span[] {
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
