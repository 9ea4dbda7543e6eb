import { CHECK_NAMES } from '../../books/audit/checks/index.ts';
import { textFlag } from '../../cli/flags.ts';
import { readInputFile, whyUnreadable } from '../../cli/input-file.ts';
import { PROFILE } from '../../cli/own-path.ts';
import type { Context } from '../../context.ts';
import { usageError } from '../../core/errors.ts';
import { showText } from '../../core/text.ts';

/** Maps the id of an accepted finding to the reason for accepting it. */
export type Accepted = ReadonlyMap<string, string>;

export const ignoreFlag = textFlag(
  '--ignore <file>',
  'file of accepted findings; each line contains an id and a reason; {profile} is replaced by the name of the profile',
);

/**
 * Whether several profiles share one file of accepted findings. If so, an id in the file that matches no finding may belong to
 * another profile.
 */
export function isShared({ several }: Context, path: string | undefined): boolean {
  return several && path?.includes(PROFILE) === false;
}

/**
 * Reads a file of accepted findings. Each line contains an id and a reason. `#` starts a comment.
 *
 * @throws usage error if the file cannot be read, an id belongs to no known check, or a reason is missing
 */
export async function readAccepted(context: Context, given: string | undefined): Promise<Accepted> {
  if (given === undefined) return new Map();
  const path = given.replaceAll(PROFILE, (await context.settings()).profile);
  let content: string;
  try {
    content = (await readInputFile(path)).toString();
  } catch (error) {
    throw usageError(
      `Cannot read ${showText(path)}: ${whyUnreadable(error)}`,
      'Check the path.',
      'NO_IGNORE_FILE',
    );
  }
  const accepted = new Map<string, string>();
  for (const [index, line] of content.split(/\r?\n/).entries()) {
    const text = line.replace(/(^|\s)#.*/, '').trim();
    if (text === '') continue;
    const [id = '', ...reason] = text.split(/\s+/);
    const where = `${showText(path)}, line ${index + 1}`;
    if (!CHECK_NAMES.some((check) => id.startsWith(`${check}-`))) {
      throw usageError(
        `${where}: ${showText(id)} is not the id of a finding`,
        'Copy the id from the output of "cryptodata audit".',
        'BAD_IGNORE_FILE',
      );
    }
    if (reason.length === 0) {
      throw usageError(
        `${where}: ${id} has no reason`,
        'Add the reason after the id, on the same line.',
        'BAD_IGNORE_FILE',
      );
    }
    accepted.set(id, reason.join(' '));
  }
  return accepted;
}
