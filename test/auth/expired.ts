import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Keychain } from '../../src/auth/keychain/keychain.ts';
import { createVaultKey, sealVault } from '../../src/auth/keychain/vault.ts';
import { apiKeyMarker, writeSession } from '../../src/auth/session-file.ts';
import { writePrivateFile } from '../../src/core/file.ts';

export const KEY = Buffer.alloc(32, 7);

/**
 * Creates a file keychain with a fast key derivation. The normal key derivation would take most of the run time of a test
 * with many processes. The tool uses the key derivation parameters that are stored in the file.
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

/** Stores an API key for a profile. All its addresses are `url`. */
export async function storeKey(
  { directory, keychain }: { directory: string; keychain: Keychain },
  profile: string,
  { apiKey, url }: { apiKey: string; url: string },
): Promise<void> {
  await writePrivateFile(apiKeyMarker(directory, profile), '');
  const addresses = { base_url: url, legacy_base_url: url };
  await keychain.set(`${profile}:api-key`, JSON.stringify({ apiKey, addresses }));
}

/** Stores a session for the profile `default`. All its addresses are `authUrl`. The access token is valid for one day from `obtainedAt`. */
export async function storeSession(
  { directory, keychain, authUrl }: { directory: string; keychain: Keychain; authUrl: string },
  { refreshToken = 'rt-0', obtainedAt = 0, clientId = 'the-client' } = {},
): Promise<void> {
  await keychain.set('default:client-secret', 's');
  await keychain.set('default:refresh-token', refreshToken);
  await keychain.set('default:cache-key', KEY.toString('base64url'));
  await writeSession(directory, 'default', KEY, {
    accessToken: 'at-0',
    granted: ['openid'],
    requested: ['openid'],
    obtainedAt,
    accessExpiresAt: obtainedAt + 86_400_000,
    refreshExpiresAt: null,
    clientId,
    addresses: { auth_url: authUrl, base_url: authUrl, legacy_base_url: authUrl },
  });
}
