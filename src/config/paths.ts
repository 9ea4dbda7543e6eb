import { isAbsolute, join } from 'node:path';
import { homeOf } from '../core/home.ts';

/** The directory for all files that the tool stores, such as settings, sessions and locks. */
export function configDirectory(
  env: NodeJS.ProcessEnv,
  platform: NodeJS.Platform = process.platform,
): string {
  const chosen = env['CRYPTODATA_CONFIG_DIR'];
  if (chosen) return chosen;
  if (platform === 'win32')
    return join(env['APPDATA'] || join(homeOf(env), 'AppData', 'Roaming'), 'cryptodata');
  // The XDG specification requires that relative paths are ignored.
  const xdg = env['XDG_CONFIG_HOME'] ?? '';
  return join(isAbsolute(xdg) ? xdg : join(homeOf(env), '.config'), 'cryptodata');
}

export function configFile(directory: string): string {
  return join(directory, 'config.toml');
}
