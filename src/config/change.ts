import { rm } from 'node:fs/promises';
import { writePrivateFile } from '../core/file.ts';
import { withLock } from '../core/lock.ts';
import { type ConfigFile, interpret, readText } from './file.ts';
import { configFile } from './paths.ts';

/**
 * Changes the file, but keeps its comments and layout. A lock prevents two processes from overwriting each other's changes.
 *
 * @param signal cancels the wait for the lock
 */
export function changeConfig(
  path: string,
  change: (config: ConfigFile) => ConfigFile,
  signal?: AbortSignal,
): Promise<void> {
  return withLock(`${path}.lock`, { signal }, async () => {
    const text = await readText(path);
    const before = await interpret(text, path);
    const after = change(before);
    if (JSON.stringify(after) === JSON.stringify(before)) return;
    if (after.profile === undefined && Object.keys(after.profiles).length === 0) {
      await rm(path, { force: true });
      return;
    }
    const { patch } = await import('@decimalturn/toml-patch');
    await writePrivateFile(path, patch(withTables(text, before, after), after));
  });
}

/** Stores settings in a profile. A setting with the value undefined is removed. */
export async function changeProfile(
  directory: string,
  profile: string,
  values: Readonly<Record<string, string | undefined>>,
  signal?: AbortSignal,
): Promise<void> {
  if (Object.keys(values).length === 0) return;
  const change = (config: ConfigFile): ConfigFile => {
    const before = config.profiles[profile];
    const settings = Object.entries({ ...before, ...values }).flatMap(([key, value]) =>
      value === undefined ? [] : [[key, value] as const],
    );
    if (before === undefined && settings.length === 0) return config;
    return { ...config, profiles: { ...config.profiles, [profile]: Object.fromEntries(settings) } };
  };
  await changeConfig(configFile(directory), change, signal);
}

/** Adds an empty table for each new profile, because `patch` would otherwise write the profile as an inline table. */
function withTables(text: string, before: ConfigFile, after: ConfigFile): string {
  const added = Object.keys(after.profiles).filter((name) => !Object.hasOwn(before.profiles, name));
  const start = text === '' || text.endsWith('\n') ? text : `${text}\n`;
  return added.reduce(
    (grown, name) =>
      `${grown}${grown === '' ? '' : '\n'}[profiles.${/^[\w-]+$/.test(name) ? name : JSON.stringify(name)}]\n`,
    start,
  );
}
