/** A text, and where each of its characters stands in the text that it was made of. */
export interface Reading {
  readonly text: string;
  readonly starts: Uint32Array;
  readonly ends: Uint32Array;
}

/**
 * A text as it stands, and as it reads with its encodings taken away, one after the other and level by level: what one
 * encoding left as it was may look like another. Each step is one pass over the text, whatever is in it.
 */
export function readingsOf(text: string): Reading[] {
  const places = Uint32Array.from({ length: text.length + 1 }, (_, at) => at);
  let last: Reading = { text, starts: places.subarray(0, text.length), ends: places.subarray(1) };
  const readings = [last];
  for (let level = 0; level < DEEPEST; level += 1) {
    const before = last;
    for (const encoding of ENCODINGS) {
      const next = replaced(last, encoding, decode);
      if (next) readings.push(next);
      last = next ?? last;
    }
    if (last === before) break;
  }
  return readings;
}

/** An encoding inside of an encoding, and so on. */
const DEEPEST = 4;

/**
 * Without what changes with the way of writing, or shows nothing: white space, a form's `+` for it, backslashes, control
 * characters and those of no width.
 */
export function squeezed(reading: Reading): Reading {
  return replaced(reading, /[\s+\\\p{Cc}\p{Cf}]+/gu, () => '') ?? reading;
}

/** Escapes of JSON and of a terminal, entities of HTML, bytes of UTF-8 in percent-encoding. */
const ENCODINGS: readonly RegExp[] = [
  /\\(?:u(?<unit>[\da-f]{4})|x(?<byte>[\da-f]{2})|(?<letter>[nrtbfv]))/gi,
  /&#(?<decimal>\d{1,9});|&#x(?<hex>[\da-f]{1,8});|&(?<named>amp|lt|gt|quot|apos);/gi,
  /%[0-7][\da-f]|%[cd][\da-f]%[89ab][\da-f]|%e[\da-f](?:%[89ab][\da-f]){2}|%f[0-7](?:%[89ab][\da-f]){3}/gi,
];

const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

function decode(match: RegExpExecArray): string {
  const { decimal, hex, named, unit, byte, letter } = match.groups ?? {};
  if (named !== undefined) return ENTITIES[named.toLowerCase()] ?? match[0];
  if (letter !== undefined) return ' ';
  const code = decimal === undefined ? (hex ?? unit ?? byte) : Number(decimal).toString(16);
  try {
    return code === undefined
      ? decodeURIComponent(match[0])
      : unit === undefined
        ? String.fromCodePoint(Number.parseInt(code, 16))
        : String.fromCharCode(Number.parseInt(code, 16));
  } catch {
    return match[0]; // no character is meant
  }
}

/** @returns undefined where nothing matches; what stands in the place of a match is not longer than it */
function replaced(
  { text, starts, ends }: Reading,
  pattern: RegExp,
  by: (match: RegExpExecArray) => string,
): Reading | undefined {
  const parts: string[] = [];
  const newStarts = new Uint32Array(text.length);
  const newEnds = new Uint32Array(text.length);
  let length = 0;
  let done = 0;
  const keep = (until: number) => {
    parts.push(text.slice(done, until));
    newStarts.set(starts.subarray(done, until), length);
    newEnds.set(ends.subarray(done, until), length);
    length += until - done;
  };
  for (const match of text.matchAll(pattern)) {
    const end = match.index + match[0].length;
    keep(match.index);
    done = end;
    const instead = by(match);
    parts.push(instead);
    newStarts.fill(starts[match.index] ?? 0, length, length + instead.length);
    newEnds.fill(ends[end - 1] ?? 0, length, length + instead.length);
    length += instead.length;
  }
  if (parts.length === 0) return undefined;
  keep(text.length);
  return { text: parts.join(''), starts: newStarts.subarray(0, length), ends: newEnds.subarray(0, length) };
}
