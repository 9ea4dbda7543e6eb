import { open } from 'node:fs/promises';
import { isRecord, type JsonRecord, parseJson } from '../core/json.ts';
import { RowScanner, UNKNOWN_SHAPE } from './fast/row-scanner.ts';
import { RowShapes } from './fast/row-shapes.ts';

type Added = Promise<void> | void;

/** Bytes per read. */
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
      for (let length = 0; ; ) {
        // A stream would allocate a new buffer for each chunk.
        const { bytesRead } = await file.read(this.#buffer, length, this.#buffer.length - length);
        length += bytesRead;
        if (length === 0) return;
        const block = this.#buffer.subarray(0, length);
        const end = bytesRead === 0 ? length : block.lastIndexOf(LINE_FEED) + 1;
        await this.#readLines(block.subarray(0, end));
        length -= end;
        if (length < this.#buffer.length) this.#buffer.copyWithin(0, end, end + length);
        else this.#buffer = Buffer.concat([this.#buffer], 2 * length);
      }
    } finally {
      await file.close();
    }
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
    const record = parseJson(line);
    if (!isRecord(record)) return undefined;
    if (isNew) this.#shapes.learn(record);
    return this.#target.addRecord(record);
  }
}

function lineEnd(block: Buffer, from: number): number {
  const end = block.indexOf(LINE_FEED, from);
  return end < 0 ? block.length : end;
}
