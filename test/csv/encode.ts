import { Decoder } from '../../src/csv/decoder.ts';

/** Encodes text in an encoding that `TextDecoder` knows. Throws for a character that the encoding does not have. */
export function encode(text: string, encoding: string): Buffer {
  if (encoding === 'utf-8') return Buffer.from(text);
  if (encoding === 'utf-8-bom') return Buffer.from(`\ufeff${text}`);
  if (encoding === 'utf-16le') return Buffer.from(text, 'utf16le');
  if (encoding === 'utf-16le-bom') return Buffer.from(`\ufeff${text}`, 'utf16le');
  if (encoding === 'utf-16be-bom') return Buffer.from(`\ufeff${text}`, 'utf16le').swap16();
  const table = tableOf(encoding);
  return Buffer.concat(
    [...text].map((character) => {
      const bytes = table.get(character);
      if (bytes === undefined) throw new Error(`${encoding} has no ${JSON.stringify(character)}`);
      return bytes;
    }),
  );
}

const tables = new Map<string, ReadonlyMap<string, Buffer>>();

function tableOf(encoding: string): ReadonlyMap<string, Buffer> {
  const known = tables.get(encoding);
  if (known !== undefined) return known;
  const table = new Map<string, Buffer>();
  const decoder = new Decoder(encoding, { fatal: true });
  const add = (...bytes: number[]) => {
    try {
      const text = decoder.decode(Buffer.from(bytes));
      if ([...text].length === 1 && !table.has(text)) table.set(text, Buffer.from(bytes));
    } catch {
      // Ignore the error: these bytes are not a character in this encoding.
    }
  };
  for (let first = 0; first < 256; first++) add(first);
  for (let first = 0x81; first < 0xff; first++)
    for (let second = 0x40; second < 0xff; second++) add(first, second);
  tables.set(encoding, table);
  return table;
}
