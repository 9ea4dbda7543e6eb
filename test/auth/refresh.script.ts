// One of the processes that need an access token after the stored token has expired. The process reads lines of the form
// `DIRECTORY URL` from stdin. For each line, the process opens the session and prints the access token.
import { createInterface } from 'node:readline';
import { openKeychain } from '../../src/auth/keychain/index.ts';
import { openSession } from '../../src/auth/session.ts';
import { Settings } from '../../src/config/settings.ts';
import { lazyAgent } from './lazy-agent.ts';

const kind = process.argv[2] ?? '';
const { env } = process;
const { signal } = new AbortController();
const dispatcher = lazyAgent();

async function tokenOf(directory: string, authUrl: string): Promise<string> {
  const session = openSession({
    settings: new Settings({
      flags: {},
      env,
      file: { profiles: { default: { auth_url: authUrl, client_id: 'the-client' } } },
    }),
    env,
    directory,
    keychain: openKeychain({ kind, directory, env, signal }),
    dispatcher,
    now: Date.now,
    signal,
  });
  return (await session.accessToken()).accessToken;
}

for await (const line of createInterface({ input: process.stdin })) {
  const [directory = '', authUrl = ''] = line.split(' ');
  process.stdout.write(`${await tokenOf(directory, authUrl)}\n`);
}
process.exit(0);
