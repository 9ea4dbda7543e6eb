/** A part of a text, from `start` up to and without `end`. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** How one secret may stand in a text. */
export interface Forms {
  readonly patterns: readonly RegExp[];
  /** Spellings that are known whole, to find the beginning of one that was cut off. */
  readonly spellings: readonly string[];
}

/**
 * Every spelling of a secret that can turn up: as it is, percent-encoded (also twice, also a form's `+` for a space),
 * escaped for JSON, for HTML or for a terminal, in base64 of either alphabet (alone or inside of more, as in the
 * `user:secret` of a Basic header), and in hex.
 */
export function formsOf(secret: string): Forms {
  const bytes = Buffer.from(secret);
  const hex = bytes.toString('hex');
  return {
    patterns: [
      new RegExp(spelled(secret), 'g'),
      ...[0, 1, 2].map((before) => inBase64(bytes, before)),
      new RegExp(`(?:${hex.slice(0, 48)}|${hex.slice(0, 48).toUpperCase()})[0-9a-fA-F]*`, 'g'),
    ],
    spellings: [...new Set([secret, percentEncoded(secret), JSON.stringify(secret).slice(1, -1)])],
  };
}

/** Runs of white space and of backslashes are one unit each: the number of either changes with every escaping. */
function spelled(secret: string): string {
  const units = secret.match(/\s+|\\+|[\s\S]/gu) ?? [];
  return units.map(unit).join('');
}

function unit(text: string): string {
  // What no encoding changes: most of a token.
  if (/^[\w-]$/.test(text)) return text;
  if (text === '.') return '\\.';
  if (/^\\/.test(text)) return `(?:${encoded('\\')}|${BACKSLASH}){${text.length},}`;
  if (/^\s/.test(text)) {
    const characters = [...new Set(`${text} `)].map(encoded).join('|');
    return `(?:\\s|\\+|${BACKSLASH}+[nrtfv]|${characters})+`;
  }
  const raw = text.replace(/[\^$\\.*+?()[\]{}|/-]/g, '\\$&');
  const named = ENTITIES[text];
  return `(?:${BACKSLASH}*(?:${raw}|${encoded(text)})${named === undefined ? '' : `|&${named};`})`;
}

/** As JSON writes it in front of what it escapes; percent-encoded where that JSON stands in a form. */
const BACKSLASH = '(?:\\\\|%(?:25)*5[cC])';

const ENTITIES: Readonly<Record<string, string>> = {
  '&': 'amp',
  '<': 'lt',
  '>': 'gt',
  '"': 'quot',
  "'": 'apos',
};

/** One character percent-encoded, as `\u002b`, and as the entities `&#43;` and `&#x2b;`. */
function encoded(character: string): string {
  const anyCase = (hex: string) => hex.replace(/[a-f]/g, (digit) => `[${digit}${digit.toUpperCase()}]`);
  const percent = [...Buffer.from(character)].map((byte) => `%(?:25)*${anyCase(twoDigits(byte))}`).join('');
  const units = Array.from({ length: character.length }, (_, at) => character.charCodeAt(at));
  const escaped = units
    .map((code) => `${BACKSLASH}+u${anyCase(code.toString(16).padStart(4, '0'))}`)
    .join('');
  const short = character === '\b' ? `|${BACKSLASH}+b` : '';
  const point = character.codePointAt(0) ?? 0;
  return `${percent}|${escaped}${short}|&#0*${point};|&#[xX]0*${anyCase(point.toString(16))};`;
}

function twoDigits(byte: number): string {
  return byte.toString(16).padStart(2, '0');
}

function percentEncoded(secret: string): string {
  return encodeURIComponent(secret.replace(/\p{Cs}/gu, '\ufffd'));
}

/** Characters of base64, those percent-encoded that are encoded in addresses. */
const RUN = '(?:[\\w+/=-]|%(?:25)*(?:2[bBfF]|3[dD]))';

/**
 * The secret in base64 behind `before` other bytes, modulo 3. Characters at its edges hold bits of its neighbours
 * too: they are not looked for, and go with it.
 */
function inBase64(bytes: Buffer, before: number): RegExp {
  const whole = Buffer.concat([Buffer.alloc(before), bytes]);
  const core = whole
    .toString('base64')
    .slice(Math.ceil((before * 8) / 6), Math.floor((whole.length * 8) / 6));
  const head = core
    .slice(0, 24)
    .replace(/[+/]/g, (character) =>
      character === '+' ? '(?:[+-]|%(?:25)*2[bB])' : '(?:[/_]|\\\\/|%(?:25)*2[fF])',
    );
  return new RegExp(`[\\w+/-]?${head}${RUN}*`, 'g');
}

/** Less than this of a secret's beginning may be seen. */
const SHOWN_AT_MOST = 6;

/** Messages cut what the service says, and mark the cut with `…`: a secret's beginning may stand before it. */
export function cutOff(text: string, spellings: Iterable<string>): Span[] {
  const found: Span[] = [];
  for (let end = text.indexOf('…'); end >= 0; end = text.indexOf('…', end + 1)) {
    const last = text.slice(Math.max(0, end - SHOWN_AT_MOST), end);
    if (last.length < SHOWN_AT_MOST) continue;
    for (const spelling of spellings) {
      if (!spelling.includes(last)) continue;
      let length = Math.min(spelling.length, end);
      while (length >= SHOWN_AT_MOST && !text.endsWith(spelling.slice(0, length), end)) length -= 1;
      if (length >= SHOWN_AT_MOST) found.push({ start: end - length, end });
    }
  }
  return found;
}
