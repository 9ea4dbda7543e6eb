import { format as formatPath, parse as parsePath, sep } from 'node:path';
import { usageError } from '../core/errors.ts';
import { linkedPath } from '../core/linked-path.ts';
import { showText } from '../core/text.ts';

export const PROFILE = '{profile}';

/**
 * Replaces `{profile}` in the file name. For several profiles, adds the profile to a name without `{profile}`, so that each
 * profile has its own file.
 */
export function fileFor(out: string, profile: string, several: boolean): string {
  const named = out.replaceAll(PROFILE, profile);
  if (!several || named !== out) return named;
  const { dir, root, name, ext } = parsePath(out);
  return formatPath({ dir, root, name: `${name}.${profile}`, ext });
}

/**
 * Checks that each profile has its own file or folder. Two paths also count as the same if they differ only in links, in `..`
 * or in case. Call this function before anything is written. Otherwise, a later profile would replace the file of an earlier
 * profile.
 *
 * @throws usage error `SAME_OUTPUT`
 */
export async function checkOwnPaths(out: string, profiles: readonly string[]): Promise<void> {
  const owners: { readonly profile: string; readonly path: string; readonly folded: string }[] = [];
  for (const profile of profiles) {
    const path = await linkedPath(fileFor(out, profile, true));
    // Compare the paths in lower case, because many file systems ignore case.
    const folded = path.normalize().toLowerCase();
    const other = owners.find((owner) => isWithin(folded, owner.folded) || isWithin(owner.folded, folded));
    if (other !== undefined) {
      const where =
        other.path === path
          ? `both write ${showText(path)}`
          : `write ${showText(other.path)} and ${showText(path)}`;
      throw usageError(
        `The profiles ${other.profile} and ${profile} would ${where}`,
        'Each profile needs its own file or folder. Check links and ".." in the path, or use another name with {profile}.',
        'SAME_OUTPUT',
      );
    }
    owners.push({ profile, path, folded });
  }
}

function isWithin(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder + sep);
}
