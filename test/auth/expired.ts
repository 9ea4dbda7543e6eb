import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Keychain } from '../../src/auth/keychain/keychain.ts';
import { createVaultKey, sealVault } from '../../src/auth/keychain/vault.ts';
import { writeSession } from '../../src/auth/session-file.ts';

export const KEY = Buffer.alloc(32, 7);

/**
 * A file keychain in the tool's format, but with a cheap key derivation. The real derivation would dominate the run
 * time of a test with many processes. For an existing file, the tool uses the derivation that the file specifies.
 */
export async function cheapVault(
  directory: string,
  passphrase: string,
  secrets: Readonly<Record<string, string>> = { 'default:client-secret': 's' },
): Promise<void> {
  const key = await createVaultKey(passphrase, { N: 16, r: 1, p: 1 });
  mkdirSync(directory, { recursive: true });
  const sealed = sealVault(key, secrets);
  writeFileSync(join(directory, 'secrets.enc'), sealed, { mode: 0o600 });
}

/** Logs in the profile `default`. Its access token has expired unless `obtainedAt` is recent. */
export async function storeSession(
  { directory, keychain, authUrl }: { directory: string; keychain: Keychain; authUrl: string },
  { refreshToken = 'rt-0', obtainedAt = 0, keyless = false, clientId = 'the-client' } = {},
): Promise<void> {
  await keychain.set('default:client-secret', 's');
  await keychain.set('default:refresh-token', refreshToken);
  if (!keyless) await keychain.set('default:cache-key', KEY.toString('base64url'));
  await writeSession(directory, 'default', KEY, {
    accessToken: 'at-0',
    granted: ['openid'],
    requested: ['openid'],
    obtainedAt,
    accessExpiresAt: obtainedAt + 86_400_000,
    refreshExpiresAt: null,
    authUrl,
    clientId,
  });
}
