import { isWithin, type OpenSpan, type Span } from '../core/span.ts';
import type { LedgerSource } from '../read/ledger-source.ts';
import type { RowEncoder } from '../read/rows.ts';
import type { Journal, Segment } from './journal.ts';
import { cut } from './plan.ts';
import { SegmentWriter } from './segment.ts';
import { readWindow } from './window.ts';

/** A stretch of time that is to be cut or read, or what came of it. */
export interface Window {
  readonly span: Span | undefined;
  /** About how many rows it has, where that is known. */
  readonly count: number | undefined;
  /** Whether it is known to have more rows than a window. */
  readonly more?: boolean | undefined;
  readonly segment?: Segment;
}

interface Node extends Window {
  count: number | undefined;
  more?: boolean | undefined;
  busy: boolean;
  segment?: Segment;
  /** Handed on to where it can no longer be changed. */
  emitted: boolean;
  /** Whether it is read again: then no total is trusted, and the pages are read up to an empty one. */
  again?: boolean;
}

export interface WindowsOptions {
  /** Where segments go. */
  readonly directory: string;
  readonly source: LedgerSource;
  readonly encoder: RowEncoder;
  readonly journal: Journal;
  /** The range of the whole export; undefined where it is read as one list. */
  readonly range: Span | undefined;
  /** What the user asked for, where there is no range. */
  readonly wanted: OpenSpan;
  /** In the order of time; those with a segment are read already. */
  readonly windows: readonly Window[];
  /** Rows of a window at most, where time can be cut. */
  readonly size: number;
  /** Workers that may read side by side, at most and now. */
  readonly most: number;
  readonly width: () => number;
  readonly signal: AbortSignal;
  readonly backoff: number;
  readonly onProgress: () => void;
  /** Told of the first failure: what the others still ask for is asked in vain. */
  readonly onFailure: () => void;
  /** Given each segment in the order of time, as soon as those before it are there. */
  readonly onFront?: ((segment: Segment) => Promise<void>) | undefined;
}

/** Stretches that are cut although their parts have far more rows than they were said to have. */
const MOST_ODD_CUTS = 8;

/** Cuts from the longest span of time down to one millisecond, and some to spare. */
const DEEPEST_CUT = 16;

/** The windows of an export, read side by side, those of the earliest time first. */
export class Windows {
  readonly #options: WindowsOptions;
  #nodes: Node[];
  readonly #reading = new Set<SegmentWriter>();
  /** Writers that have written their window. */
  readonly #idle: SegmentWriter[] = [];
  #number = 0;
  #oddCuts = 0;
  #cuts = 0;
  #entered: Promise<unknown> = Promise.resolve();
  #emitting: Promise<unknown> = Promise.resolve();
  #wake: () => void = () => {};
  #changed = new Promise<void>(() => {});
  #failure: { readonly error: unknown } | undefined;
  /** Reads beyond the first of each window. */
  rereads = 0;

  constructor(options: WindowsOptions) {
    this.#options = options;
    this.#nodes = options.windows.map((window) => ({ ...window, busy: false, emitted: false }));
    this.#number = Math.max(0, ...options.windows.map(({ segment }) => numberOf(segment)));
    this.#renew();
  }

  /** Those that are read, in the order of time. */
  get segments(): readonly Segment[] {
    return this.#nodes.flatMap(({ segment }) => segment ?? []);
  }

  get size(): number {
    return this.#nodes.length;
  }

  /** Rows on the disk, and on their way there. */
  get rows(): number {
    let rows = 0;
    for (const { segment } of this.#nodes) rows += segment?.rows ?? 0;
    for (const segment of this.#reading) rows += segment.rows;
    return rows;
  }

  /** More may be read side by side than before. */
  wake(): void {
    this.#wake();
  }

  /** Reads all that are not read. */
  async read(): Promise<void> {
    await Promise.all(Array.from({ length: this.#options.most }, (_, index) => this.#work(index)));
    await this.#emitting;
    if (this.#failure) throw this.#failure.error;
  }

  /**
   * Reads these again.
   *
   * @returns false where one was handed on already and cannot be mended
   */
  async again(segments: ReadonlySet<Segment>): Promise<boolean> {
    const nodes = this.#nodes.filter(({ segment }) => segment && segments.has(segment));
    if (nodes.some(({ emitted }) => emitted)) return false;
    for (const node of nodes) {
      delete node.segment;
      // What was counted then says nothing about now.
      node.count = undefined;
      node.again = true;
    }
    this.rereads += nodes.length;
    await this.read();
    return true;
  }

  async #work(index: number): Promise<void> {
    while (!this.#failure) {
      const next = index < this.#options.width() ? this.#next() : undefined;
      if (!next) {
        if (!this.#nodes.some(({ segment }) => segment === undefined)) return;
        await this.#changed;
        continue;
      }
      next.busy = true;
      try {
        await this.#advance(next);
      } catch (error) {
        if (!this.#failure) {
          this.#failure = { error };
          this.#options.onFailure();
        }
      }
      next.busy = false;
      this.#wake();
    }
  }

  #next(): Node | undefined {
    return this.#nodes.find(({ segment, busy }) => segment === undefined && !busy);
  }

  /** Cuts a window that is too large, or reads it. */
  async #advance(node: Node): Promise<void> {
    const { source, size } = this.#options;
    const { span, count, more } = node;
    if (span === undefined || node.again) return this.#read(node);
    // A service whose counts contradict each other again and again would be asked about every millisecond.
    const { parts, odd } =
      this.#oddCuts < MOST_ODD_CUTS && this.#cuts < this.#mostCuts()
        ? await cut({ span, count, more }, size, (part) => source.count(part, size))
        : { parts: [{ span, count: undefined }], odd: false };
    if (odd) this.#oddCuts += 1;
    if (parts.length > 1) this.#cuts += 1;
    const [only] = parts;
    if (only && parts.length === 1) {
      if (only.count !== 0) return this.#read(node);
      return this.#accept(node, {
        ...{ span, rows: 0, written: 0, total: 0, beyond: [], reads: 1, leftOut: {} },
        ...{ file: null, bytes: 0, sha256: null },
      });
    }
    const nodes = parts.map((part) => ({ ...part, busy: false, emitted: false }));
    this.#nodes.splice(this.#nodes.indexOf(node), 1, ...nodes);
  }

  /** The rows that came bound the work, whatever totals say: each cut must be paid for by a window of rows. */
  #mostCuts(): number {
    const { most, size } = this.#options;
    return DEEPEST_CUT * (most + 1 + this.rows / size);
  }

  async #read(node: Node): Promise<void> {
    const { source, encoder, directory, range, wanted, signal, backoff } = this.#options;
    const { span } = node;
    this.#number += 1;
    const writer = this.#idle.pop() ?? new SegmentWriter(directory);
    try {
      await writer.begin(String(this.#number));
      this.#reading.add(writer);
      const read = await readWindow(source, writer, {
        encoder,
        span,
        wanted: span ?? wanted,
        toTheEnd: node.again === true,
        signal,
        backoff,
        onRows: this.#options.onProgress,
      });
      const { rows } = writer;
      const file = await writer.finish();
      this.rereads += read.reads - 1;
      const beyond = [...read.outside].flatMap(([id, time]) =>
        range !== undefined && time >= range.from && time <= range.to ? [] : id,
      );
      const strays = range && beyond.filter((id) => isWithin(read.outside.get(id), wanted));
      const { total, reads, doubt, contradicted } = read;
      const result = { span, rows, total, beyond, strays, reads, doubt, contradicted };
      await this.#accept(node, { ...result, unchecked: source.unchecked, ...file }, writer);
    } catch (error) {
      await writer.clear().catch(() => undefined);
      this.#reading.delete(writer);
      throw error;
    }
  }

  async #accept(node: Node, segment: Segment, writer?: SegmentWriter): Promise<void> {
    // One after the other: each entry is on the disk before the next.
    const entered = this.#entered.then(() => this.#options.journal.add(segment));
    this.#entered = entered.catch(() => undefined);
    await entered;
    if (writer) {
      this.#reading.delete(writer);
      this.#idle.push(writer);
    }
    node.segment = segment;
    this.#options.onProgress();
    await this.#emit();
  }

  /** Hands on what is complete from the beginning. */
  #emit(): Promise<unknown> {
    const { onFront } = this.#options;
    if (!onFront) return Promise.resolve();
    this.#emitting = this.#emitting.then(async () => {
      for (const node of this.#nodes) {
        if (!node.segment) return;
        if (node.emitted) continue;
        node.emitted = true;
        await onFront(node.segment);
      }
    });
    return this.#emitting;
  }

  #renew(): void {
    this.#changed = new Promise((resolve) => {
      this.#wake = () => {
        this.#renew();
        resolve();
      };
    });
  }
}

function numberOf(segment: Segment | undefined): number {
  return Number.parseInt(segment?.file ?? '0', 10);
}
