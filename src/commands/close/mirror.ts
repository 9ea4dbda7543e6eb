import { booksOf } from '../../app/exports.ts';
import { openBooks } from '../../app/mirror-choice.ts';
import type { Context } from '../../context.ts';
import { CryptodataError, usageError } from '../../core/errors.ts';
import { knownInstant } from '../../core/instant.ts';
import type { Span } from '../../core/span.ts';
import { showText } from '../../core/text.ts';
import { momentText } from '../../formats/moments.ts';
import { claimsOf, type LegClaims } from '../../mirror/claims.ts';
import type { Mirror } from '../../mirror/open.ts';

/** The source of a pack that is written from a mirror. */
export interface PackMirror {
  readonly mirror: Mirror;
  /** Whether the legs up to the end of the period were verified, and when. */
  readonly claims: LegClaims;
}

/** @throws usage error `OTHER_BOOKS`; `MIRROR_TOO_OLD` if the legs of the mirror were read before the end of the period */
export async function openForPack(context: Context, folder: string, period: Span): Promise<PackMirror> {
  const mirror = await openBooks(context, folder);
  await refuseOtherBooks(context, mirror);
  const claims = claimsOf(mirror, { to: period.to });
  if (period.to > knownInstant(claims.readAt)) {
    const { timeZone } = await context.view();
    throw usageError(
      `The mirror ${showText(folder)} does not cover the period: it contains the legs as of ${momentText(knownInstant(claims.readAt), timeZone)}`,
      period.to > context.now()
        ? 'The period has not ended. Choose another period.'
        : `Update the mirror: ${mirror.update}`,
      'MIRROR_TOO_OLD',
    );
  }
  return { mirror, claims };
}

/** Refuses a mirror if the login is for another service or workspace. Without a login, every mirror is accepted. */
async function refuseOtherBooks(context: Context, { directory, manifest }: Mirror): Promise<void> {
  const settings = await context.settings();
  if (settings.get('base_url') === undefined) return;
  const books = await booksOf(context).catch((error: unknown) => {
    if (error instanceof CryptodataError && error.code === 'NOT_LOGGED_IN') return undefined;
    throw error;
  });
  if (!books) return;
  const { checkBooks } = await import('../../mirror/lake.ts');
  checkBooks(directory, manifest, { ...books, workspace: books.workspace ?? manifest.workspace });
}

/** Describes what may be missing from a pack, because its legs come from a mirror. */
export function limitsOf({ mirror, claims }: PackMirror, show: (time: string) => string): string[] {
  const { idsVerifiedAt, contentsVerifiedAt, readAt, lastRun } = claims;
  const since = contentsVerifiedAt === null ? 'the legs were read' : show(contentsVerifiedAt);
  return [
    ...(idsVerifiedAt === null || idsVerifiedAt >= readAt
      ? []
      : [
          `Additions and deletions: the mirror may miss legs that were added or deleted after ${show(idsVerifiedAt)}. Later, only the number of legs was verified.`,
        ]),
    `Edits: an edit does not change the totals, so the mirror may miss edits made after ${since}.`,
    ...(mirror.manifest.snapshots.integrations
      ? []
      : ['Account names: the mirror has no list of integrations, so accounts are shown by id.']),
    ...(lastRun.verified
      ? []
      : [
          `Last update: the update that ended at ${show(lastRun.endedAt)} was not verified. Reason: ${lastRun.why ?? 'unknown'}`,
        ]),
  ];
}

/** Returns a function that formats the times of a mirror in a time zone. */
export function shownTime(timeZone: string): (time: string) => string {
  return (time) => `${momentText(knownInstant(time), timeZone)} (${timeZone})`;
}
