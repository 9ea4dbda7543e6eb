import type { Context } from '../context.ts';
import { CryptodataError, usageError } from '../core/errors.ts';
import { showText } from '../core/text.ts';
import type { Manifest } from '../export/manifest.ts';
import { booksOf } from './exports.ts';

/**
 * Rejects a login to a different address or workspace than in the export, because legs and totals of different workspaces
 * cannot be compared. If a workspace id is unknown, compares the profiles instead. A different profile name is accepted with a
 * note, because a colleague may use another name for the same workspace.
 *
 * @param instead sentence to append to the hint, for example `Or check only the file: --offline.`
 */
export async function checkSameBooks(
  context: Context,
  { request }: Manifest,
  instead?: string,
): Promise<void> {
  const settings = await context.settings();
  const hint = (text: string) => (instead === undefined ? text : `${text} ${instead}`);
  const shown = (value: unknown) => showText(String(value));
  /** Adds the profile of the export to the error if another profile is in use. */
  const explain = (error: unknown): never => {
    const made = request['profile'];
    const isOther = typeof made === 'string' && made !== settings.profile;
    if (!(error instanceof CryptodataError) || !isOther) throw error;
    const used = `These legs were read with profile ${shown(made)}. To use this profile, add -p ${shown(made)}.`;
    throw error.explained({ hint: [hint(used), error.hint].filter(Boolean).join(' ') });
  };
  const address = await addressOf(context).catch(explain);
  if (request['address'] !== address) {
    throw usageError(
      `The export is from ${shown(request['address'])}, but the address in use is ${shown(address)}`,
      hint(loginOf(request)),
      'ANOTHER_ADDRESS',
    );
  }
  const { workspace, profile } = await booksOf(context).catch(explain);
  const exported = request['workspace'] ?? null;
  if (workspace !== null && exported !== null) {
    if (workspace === exported) return;
    // --workspace applies only to API keys. A login belongs to one workspace.
    const hasKey = settings.get('workspace') !== undefined;
    throw usageError(
      `The export is from workspace ${shown(exported)}, but the workspace in use is ${shown(workspace)}`,
      hint(hasKey ? `Use the workspace of the export: --workspace ${shown(exported)}.` : loginOf(request)),
      'ANOTHER_WORKSPACE',
    );
  }
  const exporter = request['profile'];
  if (exporter === undefined || (exporter === null && profile === null)) {
    const what =
      exporter === undefined ? 'The export is from a mirror, and the mirror or the token' : 'The token';
    context.say(`${what} contains no workspace id. Totals can be compared only within one workspace.`);
    return;
  }
  if (exporter === profile) return;
  const named = (name: unknown) =>
    name === null ? 'a token from the environment' : `profile ${shown(name)}`;
  const text = `The export was made with ${named(exporter)}, but ${named(profile)} is in use`;
  if (settings.profileNamed) {
    context.say(`${text}. Totals can be compared only within one workspace.`);
    return;
  }
  throw usageError(
    text,
    hint('Use the login that created the export, or another login to the same workspace: -p NAME.'),
    'ANOTHER_PROFILE',
  );
}

async function addressOf(context: Context): Promise<string> {
  return (await context.settings()).require('base_url');
}

function loginOf({ profile }: Manifest['request']): string {
  if (typeof profile === 'string') return `Use the profile that created the export: -p ${showText(profile)}.`;
  return 'The export used a token from the environment. Set the same token and address again.';
}
