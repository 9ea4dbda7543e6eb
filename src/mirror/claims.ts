import type { OpenSpan } from '../core/span.ts';
import type { Claims, LastRun, LegWindow } from './manifest.ts';
import { concerns } from './marks.ts';
import type { Mirror } from './open.ts';

/**
 * Whether the legs of a span were verified, and when. If the windows of the span were verified at different times, the
 * earliest time counts.
 */
export interface LegClaims extends Claims {
  readonly verified: boolean;
  /** Why the legs are not verified; null for verified legs. */
  readonly why: string | null;
  /** When the legs were read from the service, as ISO 8601. */
  readonly readAt: string;
  /** The latest run. If this run was not verified, the legs may come from an earlier run. */
  readonly lastRun: LastRun;
}

/** Edits that were made after `contentsVerifiedAt` may be missing from the mirror. */
export function claimsOf(mirror: Mirror, until: OpenSpan): LegClaims {
  const { lastRun, ledgers } = mirror.manifest;
  const { readAt, verifiedAt } = ledgers;
  const windows = mirror.windows(until);
  // A span without windows contains no legs, so the times of the whole mirror apply.
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

/** The earliest verification time of the windows; null if a window was never verified, or if there are no windows. */
export function earliest(windows: readonly LegWindow[], claim: keyof Claims): string | null {
  const times = windows.map((window) => window[claim]);
  return times.includes(null) ? null : (times.sort()[0] ?? null);
}

/**
 * Returns a sentence that states when the legs were read and verified. The sentence does not end with a full stop.
 *
 * @param show formats an ISO 8601 time
 */
export function statementOf(
  { readAt, countsVerifiedAt, contentsVerifiedAt }: LegClaims,
  show: (time: string) => string,
): string {
  const state = `The mirror contains the legs as of ${show(readAt)}`;
  if (countsVerifiedAt === null || contentsVerifiedAt === null) return state;
  return `${state}; the number of legs was verified at ${show(countsVerifiedAt)}, and every field was read at ${show(contentsVerifiedAt)} or later`;
}
