import { type Reading, readingsOf, squeezed } from './readings.ts';

/** A part of a text, from `start` up to and without `end`. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** How one secret may stand in a text. */
export interface Forms {
  /** Those that are known whole: for a text as it is, and to find what was cut off them. */
  readonly spellings: readonly string[];
  /** What is left of it in a squeezed reading. */
  readonly squeezed: readonly string[];
  /** In base64 of either alphabet and in hex, alone or inside of more, as in the `user:secret` of a Basic header. */
  readonly packed: readonly string[];
  /** Whether it has nothing but digits. */
  readonly digits: boolean;
}

/** Less than this of a secret's beginning or end may be seen; and what squeezing leaves less of, is not looked for. */
const SHOWN_AT_MOST = 6;

export function formsOf(secret: string): Forms {
  const bytes = Buffer.from(secret);
  const hex = bytes.toString('hex');
  const packed = [...[0, 1, 2].flatMap((before) => inBase64(bytes, before)), hex, hex.toUpperCase()];
  const left = [readingsOf(secret)[0], readingsOf(secret).at(-1)].map((reading) =>
    reading ? squeezed(reading).text : '',
  );
  return {
    digits: /^\d+$/.test(secret),
    spellings: unique([secret, percentEncoded(secret), JSON.stringify(secret).slice(1, -1)]),
    squeezed: unique(left),
    packed: unique(packed),
  };
}

function unique(texts: readonly string[]): string[] {
  return [...new Set(texts)].filter((text) => text.length >= SHOWN_AT_MOST);
}

function percentEncoded(secret: string): string {
  return encodeURIComponent(secret.replace(/\p{Cs}/gu, '\ufffd'));
}

/**
 * The secret in base64 behind `before` other bytes, modulo 3. Characters at its edges hold bits of its neighbours
 * too: they are not looked for, and go with it. Nor is `+`, which squeezing takes away.
 */
function inBase64(bytes: Buffer, before: number): string[] {
  const whole = Buffer.concat([Buffer.alloc(before), bytes]);
  const core = whole
    .toString('base64')
    .slice(Math.ceil((before * 8) / 6), Math.floor((whole.length * 8) / 6));
  return [core.replaceAll('+', ''), core.replaceAll('+', '-').replaceAll('/', '_')];
}

/** A text that secrets are looked for in. */
export class Haystack {
  readonly #text: string;
  readonly #readings: readonly Reading[];

  constructor(text: string) {
    this.#text = text;
    this.#readings = readingsOf(text).map(squeezed);
  }

  /** Where the secret stands, in any of its forms. */
  spansOf({ spellings, squeezed, packed, digits }: Forms): Span[] {
    const spans = spellings.flatMap((spelling) => whole(this.#text, spelling));
    for (const reading of this.#readings) {
      const span = ({ start, end }: Span) => ({
        start: reading.starts[start] ?? 0,
        end: reading.ends[end - 1] ?? 0,
      });
      for (const needle of squeezed) for (const found of whole(reading.text, needle)) spans.push(span(found));
      for (const needle of packed) for (const found of this.#packed(reading, needle)) spans.push(found);
    }
    return digits ? spans.filter((span) => this.#isNumber(span)) : spans;
  }

  /** All of the base64 or hex that the secret is in: who has its neighbours may have parts of it. */
  #packed({ text, starts, ends }: Reading, needle: string): Span[] {
    const spans: Span[] = [];
    const head = needle.slice(0, 24);
    for (let at = text.indexOf(head); at >= 0; at = text.indexOf(head, at)) {
      const length = text.startsWith(needle, at) ? needle.length : head.length;
      const start = starts[at] ?? 0;
      const before = /[\w+/-]/.test(this.#text[start - 1] ?? '') ? 1 : 0;
      RUN.lastIndex = ends[at + length - 1] ?? 0;
      const end = RUN.lastIndex + (RUN.exec(this.#text)?.[0].length ?? 0);
      spans.push({ start: start - before, end });
      while (at < text.length && (starts[at] ?? end) < end) at += 1;
    }
    return spans;
  }

  /** Figures are everywhere: a secret of digits alone is not looked for within longer ones. */
  #isNumber({ start, end }: Span): boolean {
    const [before, after] = [this.#text.slice(Math.max(0, start - 2), start), this.#text.slice(end, end + 2)];
    return !/\d[.,]?$/.test(before) && !/^[.,]?\d/.test(after) && !/\s/.test(this.#text.slice(start, end));
  }
}

/** Characters of base64, those percent-encoded that are encoded in addresses. */
const RUN = /(?:[\w+/=-]|\\\/|%(?:25)*(?:2[bf]|3d))*/iy;

/** Two that overlap are both found. */
function places(text: string, needle: string): number[] {
  const found: number[] = [];
  for (let at = text.indexOf(needle); at >= 0; at = text.indexOf(needle, at + 1)) found.push(at);
  return found;
}

function whole(text: string, needle: string): Span[] {
  const spans = places(text, needle).map((start) => ({ start, end: start + needle.length }));
  return [...spans, ...cutOff(text, needle)];
}

/** Messages cut what the service says, and mark the cut: a secret's beginning may stand before it, its end behind. */
function cutOff(text: string, secret: string): Span[] {
  const found: Span[] = [];
  for (const { index, 0: mark } of text.matchAll(/…|\.\.\./g)) {
    const last = text.slice(Math.max(0, index - SHOWN_AT_MOST), index);
    if (last.length === SHOWN_AT_MOST) {
      for (const at of places(secret, last)) {
        const length = at + SHOWN_AT_MOST;
        if (text.endsWith(secret.slice(0, length), index)) found.push({ start: index - length, end: index });
      }
    }
    const end = index + mark.length;
    const next = text.slice(end, end + SHOWN_AT_MOST);
    if (next.length < SHOWN_AT_MOST) continue;
    for (const at of places(secret, next)) {
      const tail = secret.slice(at);
      if (text.startsWith(tail, end)) found.push({ start: end, end: end + tail.length });
    }
  }
  return found;
}
