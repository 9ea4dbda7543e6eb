// One of many processes that need an access token while the stored one has expired.
import { openKeychain } from '../../src/auth/keychain/index.ts';
import { openSession } from '../../src/auth/session.ts';
import { Settings } from '../../src/config/settings.ts';
import { lazyAgent } from './lazy-agent.ts';

const [, , directory = '', authUrl = '', kind = 'os'] = process.argv;
const { env } = process;
const { signal } = new AbortController();
const session = openSession({
  settings: new Settings({
    flags: {},
    env,
    file: { profiles: { default: { auth_url: authUrl, client_id: 'the-client' } } },
  }),
  env,
  directory,
  keychain: openKeychain({ kind, directory, env, signal }),
  dispatcher: lazyAgent(),
  now: Date.now,
  signal,
});
const { accessToken } = await session.accessToken();
process.stdout.write(accessToken, () => process.exit(0));
