import type { SettingKey } from '../config/definitions.ts';
import type { Settings } from '../config/settings.ts';
import { usageError } from '../core/errors.ts';

/** Whose secret it is, and where it is sent. */
const OF_THE_CLIENT: readonly SettingKey[] = ['client_id', 'auth_url', 'legacy_base_url'];

/**
 * One client that is registered for all profiles is a normal case; the secret of another one is not to be sent around.
 *
 * @throws usage error: CRYPTODATA_CLIENT_SECRET would stand for profiles of several clients, or go to several servers
 */
export function checkOneClient(profiles: readonly Settings[], env: NodeJS.ProcessEnv): void {
  if (!env['CRYPTODATA_CLIENT_SECRET']) return;
  for (const key of OF_THE_CLIENT) {
    const values = new Set(profiles.flatMap((settings) => usable(settings, key) ?? []));
    if (values.size <= 1) continue;
    throw usageError(
      `CRYPTODATA_CLIENT_SECRET is set: it would be sent for every one of the profiles, and they differ in ${key}`,
      'To use what each has in the keychain: unset CRYPTODATA_CLIENT_SECRET',
      'ONE_CREDENTIAL',
    );
  }
}

/** Where a setting cannot be used, nothing is sent: its profile says so in its turn. */
function usable(settings: Settings, key: SettingKey): string | undefined {
  try {
    return settings.get(key);
  } catch {
    return undefined;
  }
}
