import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { writeSession } from '../../src/auth/session-file.ts';
import { cheapVault, KEY } from '../auth/expired.ts';
import { type Env, temporary } from './harness.ts';

/** Stores a session for a profile, with the token and the addresses of a sandbox. Returns the variables that select it. */
export async function loggedIn(profile: string, sandbox: Env): Promise<Env> {
  const directory = join(temporary(), 'config');
  const passphrase = 'correct horse battery staple';
  const { CRYPTODATA_AUTH_URL: authUrl = '', CRYPTODATA_ACCESS_TOKEN: accessToken = '' } = sandbox;
  const { CRYPTODATA_BASE_URL: base = '', CRYPTODATA_LEGACY_BASE_URL: legacy = '' } = sandbox;
  mkdirSync(directory, { mode: 0o700 });
  const settings = `auth_url = "${authUrl}"\nbase_url = "${base}"\nlegacy_base_url = "${legacy}"\nkeychain = "file"\n`;
  writeFileSync(join(directory, 'config.toml'), `[profiles.${profile}]\n${settings}`);
  await cheapVault(directory, passphrase, { [`${profile}:cache-key`]: KEY.toString('base64url') });
  const obtainedAt = Date.now();
  await writeSession(directory, profile, KEY, {
    ...{ accessToken, authUrl, obtainedAt, accessExpiresAt: obtainedAt + 86_400_000 },
    ...{ granted: ['openid'], requested: ['openid'], refreshExpiresAt: null, clientId: 'client' },
    addresses: { base_url: base, legacy_base_url: legacy },
  });
  return { CRYPTODATA_CONFIG_DIR: directory, CRYPTODATA_PASSPHRASE: passphrase };
}
