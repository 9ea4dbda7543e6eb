import type { RecordReader } from '../client/listing.ts';
import { isWithin, type OpenSpan, type Span } from '../core/span.ts';
import type { LedgerSource } from '../read/ledger-source.ts';
import type { RowEncoder } from '../read/rows.ts';
import { splitSpan } from './plan.ts';
import type { ResumeLog, Segment } from './resume-log.ts';
import { SegmentWriter } from './segment.ts';
import { readWindow } from './window.ts';

/** A time span of an export. A window that has a segment has already been read. */
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
  /** Whether the rows were already streamed, and therefore can no longer be replaced. */
  emitted: boolean;
  /** Whether the window is read again. A repeated read ignores the total and continues until an empty page. */
  again?: boolean;
}

/** The objects that a worker needs to read a window. */
interface WorkerParts {
  readonly writer: SegmentWriter;
  readonly reader: RecordReader | undefined;
}

export interface WindowsOptions {
  readonly directory: string;
  readonly source: LedgerSource;
  readonly encoder: RowEncoder;
  readonly log: ResumeLog;
  /** The range of the whole export; undefined if the export is not split by time. */
  readonly range: Span | undefined;
  /** The part of the range that had rows when the range was frozen. Only this part is split into windows. */
  readonly filled: Span | undefined;
  readonly wanted: OpenSpan;
  /** Windows in time order. A window with a segment is not read again. */
  readonly windows: readonly Window[];
  /** Maximum number of rows per window. A window that cannot be split may have more rows. */
  readonly size: number;
  /** Maximum number of workers. */
  readonly most: number;
  /** Returns the current number of workers. */
  readonly width: () => number;
  readonly signal: AbortSignal;
  readonly backoff: number;
  readonly onProgress: () => void;
  /** Called on the first failure, to cancel all remaining requests. */
  readonly onFailure: () => void;
  /** Called for each segment in time order, as soon as all earlier segments are complete. */
  readonly onFront?: ((segment: Segment) => Promise<void>) | undefined;
}

/** Maximum number of inconsistent splits. A split is inconsistent if the parts have far more rows than the whole span. */
const MAX_INCONSISTENT_CUTS = 8;

/**
 * Number of splits to allow per window. After 16 nested splits into 16 parts each, the parts of any span are shorter than one
 * millisecond.
 */
const DEEPEST_CUT = 16;

/** Reads the windows of an export in parallel, earliest first. */
export class Windows {
  readonly #options: WindowsOptions;
  #nodes: Node[];
  readonly #reading = new Set<SegmentWriter>();
  /** Writers and readers that are free for another window. */
  readonly #idle: WorkerParts[] = [];
  #number = 0;
  #inconsistentCuts = 0;
  #cuts = 0;
  #entered: Promise<unknown> = Promise.resolve();
  #emitting: Promise<unknown> = Promise.resolve();
  #wake: () => void = () => {};
  #changed = new Promise<void>(() => {});
  #failure: { readonly error: unknown } | undefined;
  /** Number of times that a window was read again. */
  rereads = 0;

  constructor(options: WindowsOptions) {
    this.#options = options;
    this.#nodes = options.windows.map((window) => ({ ...window, busy: false, emitted: false }));
    this.#number = Math.max(0, ...options.windows.map(({ segment }) => numberOf(segment)));
    this.#renew();
  }

  /** The segments of all windows that were read, in time order. */
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

  async read(): Promise<void> {
    await Promise.all(Array.from({ length: this.#options.most }, (_, index) => this.#work(index)));
    await this.#emitting;
    this.#idle.length = 0;
    if (this.#failure) throw this.#failure.error;
  }

  /**
   * Reads the windows of these segments again.
   *
   * @returns false if a segment can no longer be replaced, because it was already streamed
   */
  async again(segments: ReadonlySet<Segment>): Promise<boolean> {
    const nodes = this.#nodes.filter(({ segment }) => segment && segments.has(segment));
    if (nodes.some(({ emitted }) => emitted)) return false;
    for (const node of nodes) {
      delete node.segment;
      // The earlier count of the window may be outdated.
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

  /** Splits the window if it is too large. Otherwise, reads it. */
  async #advance(node: Node): Promise<void> {
    const { source, size, filled } = this.#options;
    const { span, count, more } = node;
    const inner = span && filled && overlapOf(span, filled);
    if (span === undefined || inner === undefined || node.again) return this.#read(node);
    // Limit the number of splits, because contradictory counts could split a range into single milliseconds, with one request
    // for each.
    const { parts, inconsistent } =
      this.#inconsistentCuts < MAX_INCONSISTENT_CUTS && this.#cuts < this.#mostCuts()
        ? await splitSpan({ span: inner, count, more }, size, (part) => source.count(part, size))
        : { parts: [{ span: inner, count: undefined }], inconsistent: false };
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
    // The first and the last part extend to the ends of the window, where rows may be added during the export.
    const nodes = parts.map((part, at) => ({
      ...{ ...part, busy: false, emitted: false },
      span: {
        from: at === 0 ? span.from : part.span.from,
        to: at === parts.length - 1 ? span.to : part.span.to,
      },
    }));
    this.#nodes.splice(this.#nodes.indexOf(node), 1, ...nodes);
  }

  /** The limit depends on the number of rows that were read, so that wrong totals cannot cause endless splits. */
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
    // Add one entry at a time. Each entry must be on disk before the next entry is written.
    const entered = this.#entered.then(() => this.#options.log.add(segment));
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

  /** Streams complete segments in time order. Stops at the first window without a segment. */
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

/** Returns the overlap of two spans; undefined if the spans do not overlap. */
function overlapOf(span: Span, other: Span): Span | undefined {
  const from = Math.max(span.from, other.from);
  const to = Math.min(span.to, other.to);
  return from > to ? undefined : { from, to };
}

function numberOf(segment: Segment | undefined): number {
  return Number.parseInt(segment?.file ?? '0', 10);
}
