import { ByteBuffer } from '../../core/byte-buffer.ts';
import { ABSENT, NULL, type RowScanner } from './row-scanner.ts';

/** Number of cells that a cache holds. A power of two. */
const SIZE = 4096;

interface Cached {
  readonly key: Buffer;
  readonly cell: Buffer;
}

/**
 * The cells of a derived column, by the bytes of the fields that the column reads. A name occurs in many rows, and finding its
 * cell takes a fraction of the time of deriving it.
 */
export class CellCache {
  readonly #slots: readonly number[];
  readonly #derive: (page: Buffer, row: RowScanner) => string;
  readonly #cells: (Cached | undefined)[] = new Array(SIZE).fill(undefined);
  readonly #key = new ByteBuffer();

  /** @param slots slot numbers of the fields that the column reads */
  constructor(slots: readonly number[], derive: (page: Buffer, row: RowScanner) => string) {
    this.#slots = slots;
    this.#derive = derive;
  }

  /** Returns the cell for a scanned row. */
  cellOf(page: Buffer, row: RowScanner): Buffer {
    const key = this.#key;
    key.length = 0;
    for (const slot of this.#slots) {
      const kind = row.kinds[slot] ?? ABSENT;
      // The kinds are smaller than the bytes of a JSON text, so they also separate the fields.
      key.byte(kind);
      if (kind > NULL) key.copy(page, row.starts[slot] as number, row.ends[slot] as number);
    }
    const at = hashOf(key) & (SIZE - 1);
    const cached = this.#cells[at];
    if (cached !== undefined && isEqual(cached.key, key)) return cached.cell;
    const cell = Buffer.from(this.#derive(page, row));
    this.#cells[at] = { key: Buffer.from(key.written), cell };
    return cell;
  }
}

function hashOf({ bytes, length }: ByteBuffer): number {
  let hash = 0;
  for (let at = 0; at < length; at++) hash = (Math.imul(hash, 31) + (bytes[at] as number)) | 0;
  return hash ^ (hash >>> 15);
}

function isEqual(key: Buffer, { bytes, length }: ByteBuffer): boolean {
  if (key.length !== length) return false;
  for (let at = 0; at < length; at++) if (key[at] !== bytes[at]) return false;
  return true;
}
