import type { Frozen } from '../export/plan.ts';
import { gaps } from '../export/plan.ts';
import type { Window } from '../export/windows.ts';
import type { LedgerSource } from '../read/ledger-source.ts';
import { type LedgerTable, type LegWindow, windowSpan } from './manifest.ts';

/**
 * Least number of windows for many legs. Later runs request one total per window. A mirror has at most twice this number of
 * windows, because two neighbouring windows are joined if their legs fit in one window.
 */
const WINDOWS = 100;
/** If a mirror has more windows than this, small neighbouring windows are read again and joined. */
const MOST_WINDOWS = 2 * WINDOWS;
const LEAST_ROWS = 2000;
const MOST_ROWS = 16_000;

/** Returns the maximum number of legs in a window of a mirror. A window that cannot be split may contain more. */
export function mirrorWindowRows(total: number): number {
  return Math.min(MOST_ROWS, Math.max(LEAST_ROWS, Math.ceil(total / WINDOWS)));
}

export interface RunPlan {
  readonly frozen: Frozen;
  readonly windows: readonly Window[];
  /** Windows to keep, each with the time when its total was requested, as ISO 8601. */
  readonly kept: ReadonlyMap<LegWindow, string>;
  /** Whether small windows are read again because there are too many windows. */
  readonly areTooMany: boolean;
}

export interface PlanOptions {
  readonly source: Pick<LedgerSource, 'page'>;
  readonly frozen: Frozen;
  readonly table: LedgerTable;
  /** Maximum number of legs in a window. A window that cannot be split may contain more. */
  readonly windowRows: number;
  readonly now: () => number;
  readonly idsOf: (window: LegWindow) => Promise<readonly string[]>;
  /** Whether a window must be read again, whatever its total. */
  readonly isStale: (window: LegWindow) => boolean;
}

/**
 * Decides which windows to read: windows with a changed total, stale windows, and spans that no window covers yet. If there
 * are too many windows, small neighbouring windows are also read. Requests the total of each window. Small neighbouring
 * windows that are read become one window. New legs are added to the last window if it is less than half full.
 */
export async function planWindows(options: PlanOptions): Promise<RunPlan> {
  const { source, frozen, table, windowRows, now, idsOf, isStale } = options;
  const list = table.windows.some(({ to }) => to === null);
  // Windows are comparable only if both states are split by time, or both are not.
  const comparable = list === (frozen.range === undefined) ? table.windows : [];
  const kept = new Map<LegWindow, string>();
  const totals = new Map<LegWindow, number | undefined>();
  const small = new Set(
    comparable.length > MOST_WINDOWS
      ? comparable.filter((window, at) =>
          [comparable[at - 1], comparable[at + 1]].some(
            (other) => other && sizeOf(window) + sizeOf(other) <= windowRows,
          ),
        )
      : [],
  );
  await Promise.all(
    comparable.map(async (window) => {
      const { total } = window;
      const at = new Date(now()).toISOString();
      // Also check that the page after the last leg is empty, because the total may be capped.
      const page = await source.page(windowSpan(window), total ?? 0, 1);
      // A total of 0 is wrong if there are rows.
      totals.set(window, page.total === 0 && page.rows.length > 0 ? undefined : page.total);
      if (small.has(window) || isStale(window)) return;
      if (page.total === total && page.rows.length === 0) kept.set(window, at);
    }),
  );
  if (frozen.range === undefined) {
    const [window] = kept.keys();
    return {
      ...{ frozen, kept, areTooMany: false },
      windows: [window ? asRead(window, idsOf) : { span: undefined, count: frozen.total }],
    };
  }
  const spans = comparable.flatMap((window) => windowSpan(window) ?? []);
  const range = {
    from: Math.min(frozen.range.from, ...spans.map(({ from }) => from)),
    to: Math.max(frozen.range.to, ...spans.map(({ to }) => to)),
  };
  const items: Item[] = [
    ...comparable.map((window) => ({
      span: windowSpan(window) ?? range,
      count: totals.get(window),
      window,
      isKept: kept.has(window),
    })),
    ...gaps(range, spans).map((span) => ({
      span,
      count: comparable.length === 0 ? frozen.total : undefined,
      window: undefined,
      isKept: false,
    })),
  ].sort((left, right) => left.span.from - right.span.from);
  const windows = joined(items, windowRows, kept).map(
    ({ span, count, window, isKept }): Window => (window && isKept ? asRead(window, idsOf) : { span, count }),
  );
  return { frozen: { ...frozen, range }, windows, kept, areTooMany: small.size > 0 };
}

const NO_LEGS = { rows: 0 };

function sizeOf({ total, rows }: LegWindow): number {
  return total ?? rows;
}

interface Item {
  readonly span: { readonly from: number; readonly to: number };
  readonly count: number | undefined;
  readonly window: LegWindow | undefined;
  readonly isKept: boolean;
}

/**
 * Joins neighbouring small windows that will be read anyway. Adds each uncovered span to a neighbouring window that is less
 * than half full.
 */
function joined(items: readonly Item[], size: number, kept: Map<LegWindow, string>): Item[] {
  const done: Item[] = [];
  const isNew = ({ window }: Item) => window === undefined;
  for (const item of items) {
    const before = done.at(-1);
    if (before && mayJoin(before, item)) {
      for (const { window } of [before, item]) if (window) kept.delete(window);
      const isCounted = before.count !== undefined && item.count !== undefined;
      done[done.length - 1] = {
        span: { from: before.span.from, to: item.span.to },
        count: isCounted ? (before.count ?? 0) + (item.count ?? 0) : undefined,
        window: isNew(before) ? item.window : before.window,
        isKept: false,
      };
    } else done.push(item);
  }
  return done;

  function mayJoin(left: Item, right: Item): boolean {
    if (isNew(left) !== isNew(right)) return (left.window ?? right.window ?? NO_LEGS).rows < size / 2;
    if (left.isKept || right.isKept || left.count === undefined || right.count === undefined) return false;
    return left.count + right.count <= size;
  }
}

/** Converts a window of the mirror to a {@link Window} with a finished segment, so that it is not read again. */
function asRead(window: LegWindow, idsOf: PlanOptions['idsOf']): Window {
  const span = windowSpan(window);
  const { rows, total } = window;
  return {
    span,
    count: rows,
    segment: {
      ...{ span, rows, written: rows, total: total ?? undefined, beyond: [], reads: 1, leftOut: {} },
      ...{ file: null, bytes: 0, sha256: null, unchanged: true, ids: () => idsOf(window) },
    },
  };
}
