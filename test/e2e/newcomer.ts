import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Sandbox } from '../../src/sandbox/index.ts';
import { cheapVault } from '../auth/expired.ts';
import { freePort } from '../free-port.ts';
import { type Begun, type Env, temporary } from './harness.ts';

export interface Newcomer {
  /** The directory for the tool's settings and secrets. */
  readonly directory: string;
  readonly env: Env;
  readonly callback: string;
}

/**
 * Creates the settings of a user who has never logged in, with a free port for the redirect.
 *
 * @param cheap whether to create an empty vault whose key is fast to derive
 */
export async function newcomer(sandbox: Sandbox, { cheap = false } = {}): Promise<Newcomer> {
  const { CRYPTODATA_ACCESS_TOKEN: _, ...addresses } = sandbox.env;
  const directory = join(temporary(), 'config');
  const env = {
    ...addresses,
    CRYPTODATA_CONFIG_DIR: directory,
    CRYPTODATA_KEYCHAIN: 'file',
    CRYPTODATA_PASSPHRASE: 'correct horse battery staple',
  };
  const callback = `http://127.0.0.1:${await freePort()}/callback`;
  mkdirSync(directory, { mode: 0o700 });
  writeFileSync(join(directory, 'config.toml'), `[profiles.default]\nredirect_uri = "${callback}"\n`);
  if (cheap) await cheapVault(directory, env.CRYPTODATA_PASSPHRASE, {});
  return { directory, env, callback };
}

/** Waits for the URL that a login prints, and returns the URL. */
export function loginUrl(running: Begun): Promise<string> {
  return running.said(/https?:[^\s"\\]+\/oidc\/auth\?[^\s"\\]+/);
}
