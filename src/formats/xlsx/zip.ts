import { crc32, createDeflateRaw, type DeflateRaw } from 'node:zlib';
import { Zip, type ZipInputFile } from 'fflate';
import { type CryptodataError, OutputError } from '../../core/errors.ts';
import type { ByteSink } from '../record-file.ts';

/** Maximum value of a four-byte field. ZIP64 has longer fields, but some versions of Excel cannot open ZIP64 files. */
const LARGEST = 0xffff_ffff;

/**
 * A ZIP archive (PKWARE APPNOTE.TXT) that is written one entry at a time. fflate writes the headers and the directory. Node's
 * zlib compresses the entries in another thread. All entries have the same timestamp, so the same content always produces the
 * same bytes.
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

  /** Begins an entry. The previous entry must have ended. */
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
  /** @internal the entry in the format that fflate requires */
  readonly file: ZipInputFile & { size: number; crc: number };
  readonly #deflate: DeflateRaw = createDeflateRaw({ level: LEVEL });
  readonly #drain: () => Promise<void>;

  constructor(filename: string, drain: () => Promise<void>) {
    this.#drain = drain;
    // ZIP stores the local time, so this local date produces the same bytes in every time zone.
    this.file = { filename, size: 0, crc: 0, compression: DEFLATE, mtime: new Date(1980, 0, 1, 12) };
    this.#deflate.on('data', (bytes: Uint8Array<ArrayBuffer>) => this.file.ondata?.(null, bytes, false));
  }

  /** Number of bytes written so far, before compression. */
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
/** The fastest level of zlib is enough, because the XML of a sheet is very repetitive. */
const LEVEL = 1;

function tooLarge(): CryptodataError {
  return new OutputError('XLSX_TOO_LARGE', 'The XLSX file would be larger than 4 GB', {
    hint: 'Export fewer rows or columns, or export to Parquet or CSV.',
  });
}
