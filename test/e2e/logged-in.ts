import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { writeSession } from '../../src/auth/session-file.ts';
import { cheapVault, KEY } from '../auth/expired.ts';
import { type Env, temporary } from './harness.ts';

/**
 * Stores a session for a profile, with the token and the addresses of a sandbox. Returns the variables that select the profile.
 */
export function loggedIn(profile: string, sandbox: Env): Promise<Env> {
  return officeOf({ [profile]: '' }, sandbox);
}

/**
 * Like {@link loggedIn}, but for several profiles of the same sandbox.
 *
 * @param profiles lines for config.toml, by profile
 */
export async function officeOf(profiles: Readonly<Record<string, string>>, sandbox: Env): Promise<Env> {
  const directory = join(temporary(), 'config');
  const passphrase = 'correct horse battery staple';
  const { CRYPTODATA_AUTH_URL: authUrl = '', CRYPTODATA_ACCESS_TOKEN: accessToken = '' } = sandbox;
  const { CRYPTODATA_BASE_URL: base = '', CRYPTODATA_LEGACY_BASE_URL: legacy = '' } = sandbox;
  mkdirSync(directory, { mode: 0o700 });
  const settings = `auth_url = "${authUrl}"\nbase_url = "${base}"\nlegacy_base_url = "${legacy}"\nkeychain = "file"\n`;
  const config = Object.entries(profiles).map(([name, more]) => `[profiles.${name}]\n${settings}${more}\n`);
  writeFileSync(join(directory, 'config.toml'), config.join(''));
  const names = Object.keys(profiles);
  await cheapVault(
    directory,
    passphrase,
    Object.fromEntries(names.map((name) => [`${name}:cache-key`, KEY.toString('base64url')])),
  );
  const obtainedAt = Date.now();
  for (const profile of names) {
    await writeSession(directory, profile, KEY, {
      ...{ accessToken, obtainedAt, accessExpiresAt: obtainedAt + 86_400_000 },
      ...{ granted: ['openid'], requested: ['openid'], refreshExpiresAt: null, clientId: 'client' },
      addresses: { auth_url: authUrl, base_url: base, legacy_base_url: legacy },
    });
  }
  return { CRYPTODATA_CONFIG_DIR: directory, CRYPTODATA_PASSPHRASE: passphrase };
}
