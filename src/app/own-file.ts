import { mkdir, rmdir } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import { fileFor, PROFILE } from '../cli/own-path.ts';
import type { Context } from '../context.ts';

/** Returns the path of an output file (see {@link fileFor}). Creates each folder whose name contains `{profile}`. */
export async function ownFile(context: Context, out: string): Promise<string> {
  const { profile } = await context.settings();
  for (const folder of profileFolders(out)) await makeFolder(context, folder.replaceAll(PROFILE, profile));
  return fileFor(out, profile, context.several);
}

/** Returns the folders in a path that have `{profile}` in their own name, outermost first. */
function profileFolders(out: string): readonly string[] {
  const folder = dirname(out);
  if (folder === out || !folder.includes(PROFILE)) return [];
  return [...profileFolders(folder), ...(basename(folder).includes(PROFILE) ? [folder] : [])];
}

/**
 * Creates a folder. If the folder is still empty when the command ends, removes it. If the folder cannot be created, the
 * command fails later, when it writes the file, with an error that contains the reason.
 */
async function makeFolder(context: Context, folder: string): Promise<void> {
  const isNew = await mkdir(folder).then(
    () => true,
    () => false,
  );
  if (isNew) context.atEnd(() => rmdir(folder).catch(() => undefined));
}
