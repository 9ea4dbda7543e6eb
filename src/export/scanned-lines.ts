import { open } from 'node:fs/promises';
import { isRecord, type JsonRecord, parseJson } from '../core/json.ts';
import { RowScanner, UNKNOWN_SHAPE } from './fast/row-scanner.ts';
import { RowShapes } from './fast/row-shapes.ts';

type Added = Promise<void> | void;

/** Bytes per read, and the initial size of the buffer. */
const READ = 256 * 1024;
const LINE_FEED = 0x0a;

/** Receives the rows of segments. */
export interface RowTarget {
  /** Dotted paths of the values that the target needs. The slot number of a value is the position of its path in this list. */
  readonly wanted: readonly string[];
  /** Dotted paths of objects. A row is parsed if it has a value other than an object or null at one of these paths. */
  readonly parents?: ReadonlySet<string>;
  /** Adds a row from its bytes. */
  addScanned(block: Buffer, row: RowScanner, from: number, to: number): Added;
  addRecord(record: JsonRecord): Added;
  /** Parses a row. Returns undefined if the line is not a row. By default, lines that are not JSON objects are ignored. */
  parse?(line: string): JsonRecord | undefined;
}

/**
 * Reads segments with whole records. Rows with a known shape are passed on as bytes, without creating objects. Rows with an
 * unknown shape are parsed, and their shapes are learned.
 */
export class ScannedLines {
  readonly #target: RowTarget;
  readonly #shapes: RowShapes;
  readonly #scanner: RowScanner;
  /** All segments share one buffer. */
  #buffer = Buffer.allocUnsafe(READ);
  /** Number of bytes of an incomplete row at the start of the buffer. */
  #begun = 0;

  constructor(target: RowTarget) {
    const { wanted, parents = new Set() } = target;
    this.#target = target;
    this.#shapes = new RowShapes({ wanted, parents, extraFields: undefined });
    this.#scanner = new RowScanner(this.#shapes, wanted.length);
  }

  /** Passes on the rows of a segment file. */
  async read(path: string): Promise<void> {
    const file = await open(path);
    try {
      for (;;) {
        // A stream would allocate a new buffer for each chunk.
        const free = this.#free(1);
        const { bytesRead } = await file.read(free);
        if (bytesRead === 0) return await this.end();
        await this.#added(free.subarray(0, bytesRead));
      }
    } finally {
      await file.close();
    }
  }

  /** Passes on the rows that end in the next bytes. */
  async push(chunk: Buffer): Promise<void> {
    const added = this.#free(chunk.length).subarray(0, chunk.length);
    chunk.copy(added);
    await this.#added(added);
  }

  /** Passes on the last row, if it has no line feed. */
  async end(): Promise<void> {
    const length = this.#begun;
    this.#begun = 0;
    await this.#readLines(this.#buffer.subarray(0, length));
  }

  /** Returns the unused part of the buffer, with room for at least `length` bytes. */
  #free(length: number): Buffer {
    const needed = this.#begun + length;
    if (needed > this.#buffer.length)
      this.#buffer = Buffer.concat([this.#buffer.subarray(0, this.#begun)], 2 * needed);
    return this.#buffer.subarray(this.#begun);
  }

  /** Passes on the complete rows in the buffer after bytes were added to it. */
  async #added(bytes: Buffer): Promise<void> {
    const [begun, length] = [this.#begun, this.#begun + bytes.length];
    this.#begun = length;
    const last = bytes.lastIndexOf(LINE_FEED);
    if (last === -1) return;
    const end = begun + last + 1;
    await this.#readLines(this.#buffer.subarray(0, end));
    this.#buffer.copyWithin(0, end, length);
    this.#begun = length - end;
  }

  async #readLines(lines: Buffer): Promise<void> {
    for (let at = 0; at < lines.length; ) {
      const scanned = this.#scanner.scan(lines, at);
      const isWhole = scanned === lines.length || lines[scanned] === LINE_FEED;
      const end = isWhole ? scanned : lineEnd(lines, at);
      const added = isWhole
        ? this.#target.addScanned(lines, this.#scanner, at, end)
        : this.#parse(lines.toString('utf8', at, end), scanned === UNKNOWN_SHAPE);
      if (added) await added;
      at = end + 1;
    }
  }

  #parse(line: string, isNew: boolean): Added {
    const record = this.#target.parse ? this.#target.parse(line) : parseJson(line);
    if (!isRecord(record)) return undefined;
    if (isNew) this.#shapes.learn(record);
    return this.#target.addRecord(record);
  }
}

function lineEnd(block: Buffer, from: number): number {
  const end = block.indexOf(LINE_FEED, from);
  return end < 0 ? block.length : end;
}
