import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';

/** The directory that holds everything the tool keeps: settings, the encrypted cache, locks. */
export function configDirectory(
  env: NodeJS.ProcessEnv,
  platform: NodeJS.Platform = process.platform,
): string {
  const chosen = env['CRYPTODATA_CONFIG_DIR'];
  if (chosen) return chosen;
  if (platform === 'win32')
    return join(env['APPDATA'] || join(homedir(), 'AppData', 'Roaming'), 'cryptodata');
  // The XDG specification: a relative path is invalid and is ignored.
  const xdg = env['XDG_CONFIG_HOME'] ?? '';
  return join(isAbsolute(xdg) ? xdg : join(homedir(), '.config'), 'cryptodata');
}

export function configFile(directory: string): string {
  return join(directory, 'config.toml');
}
