/** How the bytes of a file are text, as far as they show it. */
export interface Encoding {
  /** For people. */
  readonly name: string;
  /** For `TextDecoder`. */
  readonly label: 'utf-8' | 'utf-16le' | 'utf-16be' | 'windows-1252';
  /** Line of the first bytes that are not UTF-8, where the rest is a guess. */
  readonly badLine?: number;
}

const UTF8: Encoding = { name: 'UTF-8', label: 'utf-8' };
const BOMS: readonly (readonly [readonly number[], Encoding])[] = [
  [[0xef, 0xbb, 0xbf], { name: 'UTF-8 with a byte-order mark', label: 'utf-8' }],
  [[0xff, 0xfe], { name: 'UTF-16LE', label: 'utf-16le' }],
  [[0xfe, 0xff], { name: 'UTF-16BE', label: 'utf-16be' }],
];

/** Reads all of a file: only the last byte shows that it is UTF-8. Bytes that are not are taken for Windows-1252. */
export async function encodingOf(bytes: AsyncIterable<Uint8Array>): Promise<Encoding> {
  const strict = new TextDecoder('utf-8', { fatal: true });
  const lenient = new TextDecoder('utf-8');
  let marked: Encoding | undefined;
  let lines = 1;
  let first = true;
  const guess = (text: string): Encoding => {
    const before = text.slice(0, Math.max(0, text.indexOf('\ufffd')));
    return {
      name: 'Windows-1252 or Latin-1 (a guess)',
      label: 'windows-1252',
      badLine: lines + breaks(before),
    };
  };
  for await (const chunk of bytes) {
    if (first) {
      marked = BOMS.find(([bom]) => bom.every((byte, at) => chunk[at] === byte))?.[1] ?? withoutBom(chunk);
      if (marked && marked.label !== 'utf-8') return marked;
      first = false;
    }
    const text = lenient.decode(chunk, { stream: true });
    try {
      strict.decode(chunk, { stream: true });
    } catch {
      return guess(text);
    }
    lines += breaks(text);
  }
  try {
    strict.decode();
  } catch {
    return guess('');
  }
  return marked ?? UTF8;
}

/** UTF-16 of western text has a zero in every second byte, and no other text has any. */
function withoutBom(chunk: Uint8Array): Encoding | undefined {
  const head = chunk.subarray(0, 2048);
  const zeros = [0, 0];
  for (const [at, byte] of head.entries()) if (byte === 0) zeros[at % 2] = (zeros[at % 2] ?? 0) + 1;
  const [even = 0, odd = 0] = zeros;
  if (odd > head.length / 4 && even === 0) return { name: 'UTF-16LE (a guess)', label: 'utf-16le' };
  if (even > head.length / 4 && odd === 0) return { name: 'UTF-16BE (a guess)', label: 'utf-16be' };
  return undefined;
}

function breaks(text: string): number {
  return text.split('\n').length - 1;
}

/** The text of a file, without its byte-order mark; what does not fit the encoding is replaced. */
export async function* decoded(
  bytes: AsyncIterable<Uint8Array>,
  { label }: Encoding,
): AsyncGenerator<string> {
  const decoder = new TextDecoder(label);
  for await (const chunk of bytes) {
    const text = decoder.decode(chunk, { stream: true });
    if (text !== '') yield text;
  }
  const rest = decoder.decode();
  if (rest !== '') yield rest;
}
