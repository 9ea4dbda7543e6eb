import { crc32, createDeflateRaw, type DeflateRaw } from 'node:zlib';
import { Zip, type ZipInputFile } from 'fflate';
import { CryptodataError } from '../../core/errors.ts';
import type { ByteSink } from '../record-file.ts';

/** What the fields of four bytes hold; ZIP64, which has longer ones, is what some versions of Excel cannot open. */
const LARGEST = 0xffff_ffff;

/**
 * A ZIP archive (PKWARE APPNOTE.TXT) written as its entries come, one after the other. The library makes the headers
 * and the directory, Node's zlib packs, in a thread of its own. The same contents give the same bytes: every entry bears the same time.
 */
export class ZipFile {
  readonly #sink: ByteSink;
  readonly #packed: Uint8Array[] = [];
  readonly #zip: Zip;
  #size = 0;

  constructor(sink: ByteSink) {
    this.#sink = sink;
    this.#zip = new Zip((error, bytes) => {
      if (error) throw error;
      this.#packed.push(bytes);
    });
  }

  /** Begins an entry; the one before must have ended. */
  entry(name: string): ZipEntry {
    const entry = new ZipEntry(name, () => this.#drain());
    this.#zip.add(entry.file);
    return entry;
  }

  async finish(): Promise<void> {
    this.#zip.end();
    await this.#drain();
  }

  async #drain(): Promise<void> {
    for (const bytes of this.#packed.splice(0)) {
      this.#size += bytes.length;
      if (this.#size > LARGEST) throw tooLarge();
      await this.#sink.write(bytes);
    }
  }
}

export class ZipEntry {
  /** @internal what the library asks of an entry */
  readonly file: ZipInputFile & { size: number; crc: number };
  readonly #deflate: DeflateRaw = createDeflateRaw({ level: LEVEL });
  readonly #drain: () => Promise<void>;

  constructor(filename: string, drain: () => Promise<void>) {
    this.#drain = drain;
    // A ZIP archive holds times as the clock on the wall shows them: this one is the same in every zone.
    this.file = { filename, size: 0, crc: 0, compression: DEFLATE, mtime: new Date(1980, 0, 1, 12) };
    this.#deflate.on('data', (bytes: Uint8Array<ArrayBuffer>) => this.file.ondata?.(null, bytes, false));
  }

  /** Bytes of the entry so far, not packed. */
  get size(): number {
    return this.file.size;
  }

  async write(bytes: Uint8Array): Promise<void> {
    this.file.size += bytes.length;
    if (this.file.size > LARGEST) throw tooLarge();
    this.file.crc = crc32(bytes, this.file.crc);
    await new Promise<void>((resolve, reject) => {
      this.#deflate.write(bytes, (error) => (error ? reject(error) : resolve()));
    });
    await this.#drain();
  }

  async end(): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      this.#deflate.once('error', reject);
      this.#deflate.once('end', resolve);
      this.#deflate.end();
    });
    this.file.ondata?.(null, new Uint8Array(0), true);
    await this.#drain();
  }
}

const DEFLATE = 8;
/** Of the levels of zlib the fastest: the XML of a sheet says the same over and over. */
const LEVEL = 1;

function tooLarge(): CryptodataError {
  return new CryptodataError('output', 'XLSX_TOO_LARGE', 'The XLSX file would be larger than 4 GB', {
    hint: 'Export fewer rows or columns, or write parquet or csv.',
  });
}
