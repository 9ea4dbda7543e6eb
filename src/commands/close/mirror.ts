import type { Context } from '../../context.ts';
import { CryptodataError, usageError } from '../../core/errors.ts';
import type { Span } from '../../core/span.ts';
import { shellWord, showText } from '../../core/text.ts';
import { momentText } from '../../formats/moments.ts';
import { claimsOf, type LegClaims } from '../../mirror/claims.ts';
import { type Mirror, openMirror } from '../../mirror/open.ts';
import { checkBooks } from '../../mirror/run.ts';
import { booksOf } from '../exports.ts';
import type { MirrorText } from './readme.ts';

/** The mirror from which the whole pack is written, and the verification of its legs up to the end of the period. */
export interface PackMirror {
  readonly mirror: Mirror;
  readonly claims: LegClaims;
}

/** @throws usage error `OTHER_BOOKS`, or `MIRROR_TOO_OLD` for a mirror that was read before the end of the period */
export async function openForPack(context: Context, folder: string, period: Span): Promise<PackMirror> {
  const mirror = await openMirror(folder);
  await refuseOtherBooks(context, mirror);
  const claims = claimsOf(mirror, { to: period.to });
  if (period.to > Date.parse(claims.readAt)) {
    const { timeZone } = await context.view();
    throw usageError(
      `The mirror ${showText(folder)} does not cover the period: it contains the legs as of ${momentText(Date.parse(claims.readAt), timeZone)}`,
      period.to > context.now()
        ? 'The period has not ended. Choose another period.'
        : `Update the mirror: cryptodata mirror ${shellWord(folder)}`,
      'MIRROR_TOO_OLD',
    );
  }
  return { mirror, claims };
}

/**
 * Refuses a mirror whose books are not the books of the login. Without a login, the workspace is unknown, so the pack names the
 * mirror's workspace.
 */
async function refuseOtherBooks(context: Context, { directory, manifest }: Mirror): Promise<void> {
  const settings = await context.settings();
  if (settings.get('base_url') === undefined) return;
  const books = await booksOf(context).catch((error: unknown) => {
    if (error instanceof CryptodataError && error.code === 'NOT_LOGGED_IN') return undefined;
    throw error;
  });
  if (books) checkBooks(directory, manifest, { ...books, workspace: books.workspace ?? manifest.workspace });
}

/** What a pack cannot show if its legs are from a mirror: one sentence for each limitation. */
export function limitsOf({ mirror, claims }: PackMirror, show: (time: string) => string): string[] {
  const { contentsVerifiedAt, lastRun } = claims;
  const since = contentsVerifiedAt === null ? 'the legs were read' : show(contentsVerifiedAt);
  return [
    `Edits: legs that were edited after ${since} may be outdated, because an edit does not change the totals.`,
    'Spam: a mirror does not show which assets are marked as spam, so no finding is set aside as spam.',
    ...(mirror.manifest.snapshots.integrations
      ? []
      : ['Account names: the mirror has no list of integrations, so accounts are shown by id.']),
    ...(lastRun.verified
      ? []
      : [
          `Last run: the update that ended at ${show(lastRun.endedAt)} was not verified: ${lastRun.why ?? 'no reason known'}`,
        ]),
  ];
}

/** The text about the mirror in README.txt. */
export function mirrorText(pack: PackMirror, timeZone: string): MirrorText {
  const { mirror, claims } = pack;
  const show = (time: string) => `${momentText(Date.parse(time), timeZone)} (${timeZone})`;
  const shown = (time: string | null) => (time === null ? undefined : show(time));
  return {
    folder: showText(mirror.directory),
    readAt: show(claims.readAt),
    countedAt: shown(claims.countsVerifiedAt),
    fieldsAt: shown(claims.contentsVerifiedAt),
    limits: limitsOf(pack, show).map((line) => showText(line)),
  };
}
