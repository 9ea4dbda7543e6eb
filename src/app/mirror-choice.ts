import { textFlag } from '../cli/flags.ts';
import type { Context } from '../context.ts';
import { usageError } from '../core/errors.ts';
import { instantOf } from '../core/instant.ts';
import { showText } from '../core/text.ts';
import type { StateChoice } from '../mirror/lake.ts';
import type { Mirror } from '../mirror/open.ts';

/** The flag of commands that can read an earlier state of a mirror. */
export const snapshotFlag = textFlag(
  '--snapshot <when>',
  'earlier state of the mirror to read: a time (ISO 8601) or a version of the table ledgers',
);

/**
 * Opens a mirror. If it contains several workspaces, opens the workspace of the flag, the environment or the profile.
 *
 * @param snapshot the value of {@link snapshotFlag}
 */
export async function openBooks(context: Context, folder: string, snapshot?: string): Promise<Mirror> {
  const { openMirror } = await import('../mirror/open.ts');
  const { workspacesIn } = await import('../mirror/lake.ts');
  const found = (await context.settings()).resolve('workspace');
  const isChosen = found?.origin.from === 'flag' || (await workspacesIn(folder)).length > 1;
  return openMirror(folder, {
    workspace: isChosen ? found?.value : undefined,
    snapshot: snapshot === undefined ? undefined : snapshotOf(snapshot),
  });
}

/** @throws usage error `BAD_SNAPSHOT` */
function snapshotOf(text: string): StateChoice['snapshot'] {
  if (/^\d{1,15}$/.test(text)) return { version: Number(text) };
  const time = instantOf(text);
  if (time !== undefined) return { time };
  throw usageError(
    `${showText(text)} is neither a time nor a version`,
    'For example: --snapshot 2025-10-01T00:00:00Z, or --snapshot 12.',
    'BAD_SNAPSHOT',
  );
}
