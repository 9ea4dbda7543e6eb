import { stringifyJson } from '../core/json.ts';
import type { OpenSpan } from '../core/span.ts';
import { TextRow } from '../export/compare.ts';
import { identityOf } from '../read/rows.ts';
import type { HistoryEntry } from './history.ts';
import type { HistoryFile, LegWindow } from './manifest.ts';
import type { Mirror } from './open.ts';

/** The legs that runs of a span of time found different, as they were before it and after it. */
export interface TouchedLegs {
  before(): AsyncGenerator<TextRow>;
  after(): AsyncGenerator<TextRow>;
}

/**
 * Two states of a mirror, reduced to the legs that differ or differed between them. A leg that changed twice is compared with
 * its first state, and a leg that changed back is equal on both sides. Memory holds the ids of the touched legs.
 *
 * @param span times of runs, in Unix milliseconds; an open end is the current state
 */
export async function touchedLegs(mirror: Mirror, span: OpenSpan): Promise<TouchedLegs> {
  const { windows } = mirror.manifest.ledgers;
  const { from = Number.NEGATIVE_INFINITY, to = Number.POSITIVE_INFINITY } = span;
  const within = ({ seenAt }: HistoryFile) => Date.parse(seenAt) >= from && Date.parse(seenAt) <= to;
  const later = ({ seenAt }: HistoryFile) => Date.parse(seenAt) > to;
  const touched = new Set<string>();
  const where = new Set<LegWindow>();
  for await (const { key, timestampAfter } of mirror.history(within)) {
    touched.add(key);
    for (const window of windowsOf(windows, timestampAfter)) where.add(window);
  }
  return {
    before: () => firstOf(mirror.history(within)),
    async *after() {
      // A later run that changed the leg again has its state in between.
      const changedLater = new Set<string>();
      for await (const entry of mirror.history(later)) {
        if (!touched.has(entry.key) || changedLater.has(entry.key)) continue;
        changedLater.add(entry.key);
        if (entry.before) yield rowOf(entry.key, entry);
      }
      for (const window of windows) {
        if (!where.has(window)) continue;
        for await (const leg of mirror.legsOf(window)) {
          const key = identityOf(leg);
          if (touched.has(key) && !changedLater.has(key)) yield new TextRow(key, stringifyJson(leg));
        }
      }
    },
  };
}

/** Each leg before its first change. */
async function* firstOf(entries: AsyncIterable<HistoryEntry>): AsyncGenerator<TextRow> {
  const seen = new Set<string>();
  for await (const entry of entries) {
    if (seen.has(entry.key)) continue;
    seen.add(entry.key);
    if (entry.before) yield rowOf(entry.key, entry);
  }
}

function rowOf(key: string, { before }: HistoryEntry): TextRow {
  return new TextRow(key, stringifyJson(before));
}

/** The windows that may contain a leg with this time now; all of them if the time is unknown and the windows are a list. */
function windowsOf(windows: readonly LegWindow[], time: number | null): readonly LegWindow[] {
  const [first] = windows;
  if (first?.from === null) return windows;
  if (time === null) return [];
  let [low, high] = [0, windows.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((windows[middle]?.to ?? 0) < time) low = middle + 1;
    else high = middle;
  }
  const window = windows[low];
  return window && (window.from ?? 0) <= time ? [window] : [];
}
