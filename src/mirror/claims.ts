import type { OpenSpan } from '../core/span.ts';
import type { Claims, LastRun, LegWindow } from './manifest.ts';
import { concerns } from './marks.ts';
import type { Mirror } from './open.ts';

/** The verification of the legs of a mirror up to a time. A time is the earliest of all windows. */
export interface LegClaims extends Claims {
  readonly verified: boolean;
  /** Why the legs are not verified; null if they are. */
  readonly why: string | null;
  /** The legs are those that the service had at this time, as ISO 8601. */
  readonly readAt: string;
  /** The latest run. If it was not verified, the legs are those of an earlier one. */
  readonly lastRun: LastRun;
}

/** An edit after `contentsVerifiedAt` is not in the mirror, unless its window was read again. */
export function claimsOf(mirror: Mirror, until: OpenSpan): LegClaims {
  const { lastRun, ledgers } = mirror.manifest;
  const { readAt, verifiedAt } = ledgers;
  const windows = mirror.windows(until);
  // That there is no window is a claim of the last verified run.
  const times =
    windows.length === 0
      ? { countsVerifiedAt: verifiedAt, contentsVerifiedAt: verifiedAt && readAt }
      : {
          countsVerifiedAt: earliest(windows, 'countsVerifiedAt'),
          contentsVerifiedAt: earliest(windows, 'contentsVerifiedAt'),
        };
  const why = whyUnverified(mirror, windows, times);
  return { verified: why === null, why, ...times, readAt, lastRun };
}

function whyUnverified(
  { marks, manifest: { ledgers } }: Mirror,
  windows: readonly LegWindow[],
  { countsVerifiedAt, contentsVerifiedAt }: Claims,
): string | null {
  if (!ledgers.verified || countsVerifiedAt === null || contentsVerifiedAt === null)
    return ledgers.why ?? 'the mirror was never verified';
  const due = marks.filter((mark) => windows.some((window) => concerns(mark, window)));
  if (due.length === 0) return null;
  return `windows of the mirror must be read again (${[...new Set(due.map(({ why }) => why))].join(', ')})`;
}

/** The earliest time of a claim; null if a window was never verified, or if there is none. */
export function earliest(windows: readonly LegWindow[], claim: keyof Claims): string | null {
  const times = windows.map((window) => window[claim]);
  return times.includes(null) ? null : (times.sort()[0] ?? null);
}

/**
 * A sentence without a full stop.
 *
 * @param show writes a time, given as ISO 8601
 */
export function statementOf(
  { readAt, countsVerifiedAt, contentsVerifiedAt }: LegClaims,
  show: (time: string) => string,
): string {
  const state = `The mirror holds the legs as of ${show(readAt)}`;
  if (countsVerifiedAt === null || contentsVerifiedAt === null) return state;
  return `${state}; their number was verified at ${show(countsVerifiedAt)}, every field at ${show(contentsVerifiedAt)} or later`;
}
