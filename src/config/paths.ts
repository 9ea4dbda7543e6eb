import { homedir } from 'node:os';
import { join } from 'node:path';

/** The directory that holds everything the tool keeps: settings, the encrypted cache, locks. */
export function configDirectory(
  env: NodeJS.ProcessEnv,
  platform: NodeJS.Platform = process.platform,
): string {
  const chosen = env['CRYPTODATA_CONFIG_DIR'];
  if (chosen) return chosen;
  if (platform === 'win32')
    return join(env['APPDATA'] ?? join(homedir(), 'AppData', 'Roaming'), 'cryptodata');
  return join(env['XDG_CONFIG_HOME'] || join(homedir(), '.config'), 'cryptodata');
}

export function configFile(directory: string): string {
  return join(directory, 'config.toml');
}
