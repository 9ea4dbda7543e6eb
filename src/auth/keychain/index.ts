import { environmentWithoutSecrets } from '../../core/environment.ts';
import { usageError } from '../../core/errors.ts';
import { FileKeychain } from './file.ts';
import type { Keychain, KeychainOptions } from './keychain.ts';
import { KeychainProcess, OsKeychain } from './os.ts';

/** Opens a keychain. Only the first call loads the library or asks for the passphrase. */
export function openKeychain(options: KeychainOptions): Keychain {
  const { kind, env, redactor } = options;
  if (kind === 'file') return new FileKeychain(options);
  if (kind === 'os')
    return new OsKeychain(new KeychainProcess({ env: environmentWithoutSecrets(env, redactor) }));
  throw usageError(`Unknown keychain ${JSON.stringify(kind)}`, 'Use os or file.', 'BAD_SETTING');
}
