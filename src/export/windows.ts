import type { RecordReader } from '../client/listing.ts';
import { isWithin, type OpenSpan, type Span } from '../core/span.ts';
import type { LedgerSource } from '../read/ledger-source.ts';
import type { RowEncoder } from '../read/rows.ts';
import type { Journal, Segment } from './journal.ts';
import { cut } from './plan.ts';
import { SegmentWriter } from './segment.ts';
import { readWindow } from './window.ts';

/** A span of time to split or read, or a span that was read. */
export interface Window {
  readonly span: Span | undefined;
  /** Approximate number of rows, if known. */
  readonly count: number | undefined;
  /** Whether the span is known to have more rows than fit in a window. */
  readonly more?: boolean | undefined;
  readonly segment?: Segment;
}

interface Node extends Window {
  count: number | undefined;
  more?: boolean | undefined;
  busy: boolean;
  segment?: Segment;
  /** Whether the rows were streamed and can no longer be changed. */
  emitted: boolean;
  /** Whether this is a repeated read, which ignores the total and reads until an empty page. */
  again?: boolean;
}

/** The objects that a worker needs to read a window. */
interface WorkerParts {
  readonly writer: SegmentWriter;
  readonly reader: RecordReader | undefined;
}

export interface WindowsOptions {
  /** The directory of the segments. */
  readonly directory: string;
  readonly source: LedgerSource;
  readonly encoder: RowEncoder;
  readonly journal: Journal;
  /** The range of the whole export; undefined if the export is read as one list. */
  readonly range: Span | undefined;
  /** The requested span, used if there is no range. */
  readonly wanted: OpenSpan;
  /** Spans ordered by time. Spans with a segment have already been read. */
  readonly windows: readonly Window[];
  /** Maximum number of rows per window. A window that cannot be split may have more rows. */
  readonly size: number;
  /** Maximum number of workers; `width` is the current number. */
  readonly most: number;
  readonly width: () => number;
  readonly signal: AbortSignal;
  readonly backoff: number;
  readonly onProgress: () => void;
  /** Called on the first failure, to cancel the other requests. */
  readonly onFailure: () => void;
  /** Called with each segment, ordered by time, once all earlier segments are complete. */
  readonly onFront?: ((segment: Segment) => Promise<void>) | undefined;
}

/** Maximum number of inconsistent splits: the totals of the parts add up to far more than the total of the whole span. */
const MAX_INCONSISTENT_CUTS = 8;

/** Maximum depth of splits: enough to get from the longest span down to one millisecond. */
const DEEPEST_CUT = 16;

/** The windows of an export, read in parallel, earliest first. */
export class Windows {
  readonly #options: WindowsOptions;
  #nodes: Node[];
  readonly #reading = new Set<SegmentWriter>();
  /** Parts of workers that can be reused. */
  readonly #idle: WorkerParts[] = [];
  #number = 0;
  #inconsistentCuts = 0;
  #cuts = 0;
  #entered: Promise<unknown> = Promise.resolve();
  #emitting: Promise<unknown> = Promise.resolve();
  #wake: () => void = () => {};
  #changed = new Promise<void>(() => {});
  #failure: { readonly error: unknown } | undefined;
  /** Number of repeated reads. */
  rereads = 0;

  constructor(options: WindowsOptions) {
    this.#options = options;
    this.#nodes = options.windows.map((window) => ({ ...window, busy: false, emitted: false }));
    this.#number = Math.max(0, ...options.windows.map(({ segment }) => numberOf(segment)));
    this.#renew();
  }

  /** Segments of the windows that were read, ordered by time. */
  get segments(): readonly Segment[] {
    return this.#nodes.flatMap(({ segment }) => segment ?? []);
  }

  get size(): number {
    return this.#nodes.length;
  }

  /** Number of rows on disk or being written. */
  get rows(): number {
    let rows = 0;
    for (const { segment } of this.#nodes) rows += segment?.rows ?? 0;
    for (const segment of this.#reading) rows += segment.rows;
    return rows;
  }

  /** Wakes idle workers after `width` has grown. */
  wake(): void {
    this.#wake();
  }

  /** Reads all windows that have not been read yet. */
  async read(): Promise<void> {
    await Promise.all(Array.from({ length: this.#options.most }, (_, index) => this.#work(index)));
    await this.#emitting;
    this.#idle.length = 0;
    if (this.#failure) throw this.#failure.error;
  }

  /**
   * Reads the windows of these segments again.
   *
   * @returns false if a segment was already streamed and cannot be changed
   */
  async again(segments: ReadonlySet<Segment>): Promise<boolean> {
    const nodes = this.#nodes.filter(({ segment }) => segment && segments.has(segment));
    if (nodes.some(({ emitted }) => emitted)) return false;
    for (const node of nodes) {
      delete node.segment;
      // Ignore the old count, which may be outdated.
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

  /** Splits a window that is too large, or reads it. */
  async #advance(node: Node): Promise<void> {
    const { source, size } = this.#options;
    const { span, count, more } = node;
    if (span === undefined || node.again) return this.#read(node);
    // Limit the splits, because contradictory counts would otherwise cause a request for every millisecond.
    const { parts, inconsistent } =
      this.#inconsistentCuts < MAX_INCONSISTENT_CUTS && this.#cuts < this.#mostCuts()
        ? await cut({ span, count, more }, size, (part) => source.count(part, size))
        : { parts: [{ span, count: undefined }], inconsistent: false };
    if (inconsistent) this.#inconsistentCuts += 1;
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

  /** Limits the number of splits by the number of rows read, so that wrong totals cannot cause endless splits. */
  #mostCuts(): number {
    const { most, size } = this.#options;
    return DEEPEST_CUT * (most + 1 + this.rows / size);
  }

  async #read(node: Node): Promise<void> {
    const { source, encoder, directory, range, wanted, signal, backoff } = this.#options;
    const { span } = node;
    this.#number += 1;
    const parts = this.#idle.pop() ?? {
      writer: new SegmentWriter(directory),
      reader: encoder.newReader?.(),
    };
    const { writer, reader } = parts;
    try {
      await writer.begin(String(this.#number));
      this.#reading.add(writer);
      const read = await readWindow(source, writer, {
        encoder,
        reader,
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
      await this.#accept(node, { ...result, unchecked: source.unchecked, ...file }, parts);
    } catch (error) {
      await writer.clear().catch(() => undefined);
      throw error;
    }
  }

  async #accept(node: Node, segment: Segment, parts?: WorkerParts): Promise<void> {
    // Add entries one at a time, so that each entry is on disk before the next entry is written.
    const entered = this.#entered.then(() => this.#options.journal.add(segment));
    this.#entered = entered.catch(() => undefined);
    await entered;
    if (parts) {
      this.#reading.delete(parts.writer);
      this.#idle.push(parts);
    }
    node.segment = segment;
    this.#options.onProgress();
    await this.#emit();
  }

  /** Streams complete segments in time order, up to the first incomplete segment. */
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
