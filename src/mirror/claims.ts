import { Claim } from '../core/claim.ts';
import type { OpenSpan } from '../core/span.ts';
import type { Claims, LastRun, LedgerTable, LegWindow } from './manifest.ts';
import type { Mark } from './marks.ts';
import type { Mirror } from './open.ts';

/**
 * Whether the legs of a span were verified, and when. If the windows of the span were verified at different times, the
 * earliest time counts.
 */
export interface LegClaims extends Claims {
  readonly claim: Claim;
  /** When the mirror was last updated, as ISO 8601. */
  readonly readAt: string;
  readonly lastRun: LastRun;
}

/** Additions and deletions after `idsVerifiedAt`, and edits after `contentsVerifiedAt`, may be missing from the mirror. */
export function claimsOf(mirror: Mirror, until: OpenSpan): LegClaims {
  const { lastRun, ledgers } = mirror.manifest;
  const { readAt, verifiedAt } = ledgers;
  const windows = mirror.windows(until);
  // A span without windows contains no legs, so the times of the whole mirror apply.
  const times =
    windows.length === 0
      ? {
          ...{ countsVerifiedAt: verifiedAt, idsVerifiedAt: verifiedAt && readAt },
          contentsVerifiedAt: verifiedAt && readAt,
        }
      : earliestClaims(windows);
  const why = whyUnverified(mirror, windows, times);
  const { countsVerifiedAt: countsAt, idsVerifiedAt: idsAt, contentsVerifiedAt: contentsAt } = times;
  const evidence = { by: 'mirror', readAt, countsAt, idsAt, contentsAt } as const;
  const claim = why === null ? Claim.verified(evidence) : Claim.not(why, evidence);
  return { claim, ...times, readAt, lastRun };
}

function whyUnverified(
  { marks, manifest: { ledgers } }: Mirror,
  windows: readonly LegWindow[],
  times: Claims,
): string | null {
  if (!ledgers.verified || Object.values(times).includes(null))
    return ledgers.why ?? 'the mirror was never verified';
  const due = marks.filter((mark) => windows.some((window) => concerns(mark, window)));
  if (due.length === 0) return null;
  return `windows of the mirror must be read again (${[...new Set(due.map(({ why }) => why))].join(', ')})`;
}

/** The earliest verification times of the windows. A time is null if a window was never verified, or if there are no windows. */
export function earliestClaims(windows: readonly LegWindow[]): Claims {
  const earliest = (claim: keyof Claims) => {
    const times = windows.map((window) => window[claim]);
    return times.includes(null) ? null : (times.sort()[0] ?? null);
  };
  return {
    countsVerifiedAt: earliest('countsVerifiedAt'),
    idsVerifiedAt: earliest('idsVerifiedAt'),
    contentsVerifiedAt: earliest('contentsVerifiedAt'),
  };
}

/** Whether the latest read found every addition and deletion, including those in windows that it did not read again. */
export function hasEveryLeg({ windows, readAt }: LedgerTable): boolean {
  return windows.every(({ idsVerifiedAt }) => idsVerifiedAt === readAt);
}

/** Whether the next run must read a window again because of a mark. */
export function concerns({ walletId }: Mark, { walletIds }: LegWindow): boolean {
  return walletId === null || walletIds.includes(walletId);
}
