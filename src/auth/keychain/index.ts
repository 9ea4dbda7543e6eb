import { withoutSecrets } from '../../core/environment.ts';
import { CryptodataError } from '../../core/errors.ts';
import { KeychainProcess } from './child.ts';
import { ConcealedKeychain } from './concealed.ts';
import { FileKeychain } from './file.ts';
import type { Keychain, KeychainOptions } from './keychain.ts';
import { OsKeychain } from './os.ts';

/** Opens nothing yet: the native library, and the passphrase, are wanted at the first call only. */
export function openKeychain(options: KeychainOptions): Keychain {
  const { redactor } = options;
  return redactor ? new ConcealedKeychain(backend(options), redactor) : backend(options);
}

function backend(options: KeychainOptions): Keychain {
  if (options.kind === 'file') return new FileKeychain(options);
  if (options.kind === 'os') {
    return new OsKeychain(new KeychainProcess({ env: withoutSecrets(options.env, options.redactor) }));
  }
  throw new CryptodataError('usage', 'BAD_SETTING', `There is no keychain ${JSON.stringify(options.kind)}`, {
    hint: 'It is os or file.',
  });
}
