import { identityOf } from '../core/identity.ts';
import { knownInstant } from '../core/instant.ts';
import { stringifyJson } from '../core/json.ts';
import { isWithin, type OpenSpan } from '../core/span.ts';
import { ComparedText } from '../export/compare.ts';
import type { HistoryEntry, HistoryRun } from './history.ts';
import type { LegWindow } from './manifest.ts';
import type { Mirror } from './open.ts';

/** The legs that changed in a span of time, as they were before and after the span. */
export interface TouchedLegs {
  before(): AsyncGenerator<ComparedText>;
  after(): AsyncGenerator<ComparedText>;
  /** Every leg of the books after the span, including legs that did not change. */
  all(): AsyncGenerator<ComparedText>;
}

/**
 * Finds the legs that changed in a span of time. The method `before` yields the state of these legs before the span, and the
 * method `after` yields their state at the end of the span. If a leg changed and then changed back, both methods yield the same
 * values. The ids of the changed legs must fit in memory.
 *
 * @param span selects runs by time, in Unix milliseconds. If `span.to` is undefined, `after()` yields the current legs.
 */
export async function touchedLegs(mirror: Mirror, span: OpenSpan): Promise<TouchedLegs> {
  const { windows } = mirror.manifest.ledgers;
  const within = ({ seenAt }: HistoryRun) => isWithin(knownInstant(seenAt), span);
  const later = ({ seenAt }: HistoryRun) => span.to !== undefined && knownInstant(seenAt) > span.to;
  const touched = new Set<string>();
  const where = new Set<LegWindow>();
  for await (const { key, timestampAfter } of mirror.history(within)) {
    touched.add(key);
    // A leg without a time is only in a window that cannot be split by time.
    if (timestampAfter === null && windows[0]?.to !== null) continue;
    const span = timestampAfter === null ? {} : { from: timestampAfter, to: timestampAfter };
    for (const window of mirror.windows(span)) where.add(window);
  }
  const stateOf = async function* (some: readonly LegWindow[], isWanted: (key: string) => boolean) {
    // If a leg changed again after the span, the history entry of the later change contains the state of the leg at the end of
    // the span.
    const changedLater = new Set<string>();
    for await (const entry of mirror.history(later)) {
      if (!isWanted(entry.key) || changedLater.has(entry.key)) continue;
      changedLater.add(entry.key);
      if (entry.before) yield rowOf(entry.key, entry);
    }
    for (const window of some) {
      for await (const leg of mirror.legsOf(window)) {
        const key = identityOf(leg);
        if (isWanted(key) && !changedLater.has(key)) yield new ComparedText(key, stringifyJson(leg));
      }
    }
  };
  return {
    before: () => firstOf(mirror.history(within)),
    after: () =>
      stateOf(
        windows.filter((window) => where.has(window)),
        (key) => touched.has(key),
      ),
    all: () => stateOf(windows, () => true),
  };
}

async function* firstOf(entries: AsyncIterable<HistoryEntry>): AsyncGenerator<ComparedText> {
  const seen = new Set<string>();
  for await (const entry of entries) {
    if (seen.has(entry.key)) continue;
    seen.add(entry.key);
    if (entry.before) yield rowOf(entry.key, entry);
  }
}

function rowOf(key: string, { before }: HistoryEntry): ComparedText {
  return new ComparedText(key, stringifyJson(before));
}
