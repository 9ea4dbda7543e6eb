import { textFlag } from '../cli/flags.ts';
import type { Origin } from '../config/settings.ts';
import type { Context } from '../context.ts';
import { usageError } from '../core/errors.ts';
import { instantOf } from '../core/instant.ts';
import { showText } from '../core/text.ts';
import type { StateChoice } from '../mirror/lake.ts';
import type { Mirror } from '../mirror/open.ts';
import { legFlags } from './leg-flags.ts';

export const snapshotFlag = textFlag(
  '--snapshot <when>',
  'earlier state of the mirror to read: a time (ISO 8601) or a version of the table ledgers',
);

/**
 * Opens a mirror for the chosen workspace. Without a chosen workspace, opens the mirror for its only workspace.
 *
 * @param snapshot the value of {@link snapshotFlag}
 */
export async function openBooks(context: Context, folder: string, snapshot?: string): Promise<Mirror> {
  const { openMirror } = await import('../mirror/open.ts');
  const choice = snapshot === undefined ? undefined : snapshotOf(snapshot);
  const workspace = await chosenWorkspace(context);
  // Without this check, the only workspace of the mirror would be shown as the books of every profile.
  if (workspace === undefined && context.several) throw unknownWorkspace();
  return openMirror(folder, { workspace, snapshot: choice, flags: await legFlags(context, {}) });
}

/**
 * The workspace that the user chose with a flag, with an environment variable, or by naming a profile. The current profile
 * counts only if the user named it, because users do not notice the books of the wrong client.
 */
async function chosenWorkspace(context: Context): Promise<string | undefined> {
  const settings = await context.settings();
  const found = settings.resolve('workspace');
  const isOfProfile = found?.origin.from === 'profile';
  if (context.several && found && !isOfProfile) throw oneForAll(found.origin);
  const isNamed = settings.profileNamed || Boolean(context.env['CRYPTODATA_PROFILE']);
  if (!isNamed) return isOfProfile ? undefined : found?.value;
  const { workspaceOfLogin } = await import('../auth/credentials.ts');
  return workspaceOfLogin(await context.auth());
}

/** The error for one workspace that would apply to several profiles. */
function oneForAll(origin: Origin) {
  return usageError(
    `${'name' in origin ? origin.name : 'A workspace'} selects one workspace, but several profiles are selected`,
    'Omit the workspace: each profile reads its own. Or pass one profile: -p NAME.',
    'ONE_WORKSPACE',
  );
}

/** The error if a mirror may contain several workspaces, but the workspace of the profile is unknown. */
export function unknownWorkspace() {
  return usageError(
    'The workspace of the profile is unknown, and a mirror may contain several workspaces',
    'Log in, or set the workspace: cryptodata config set workspace ID -p NAME',
    'NO_WORKSPACE',
  );
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
