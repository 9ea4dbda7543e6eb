import { execFile } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, it } from 'vitest';
import { openKeychain } from '../../src/auth/keychain/index.ts';
import { sessionsDirectory } from '../../src/auth/session-file.ts';
import { bundle } from '../bundle.ts';
import { needs } from '../needs.ts';
import { cheapVault, storeSession } from './expired.ts';
import { KEYRING_PROGRAMS, startKeyring } from './keyring.ts';
import { startRotatingServer } from './rotating-server.ts';
import { temporaryDirectory } from './support.ts';

const run = promisify(execFile);
let script: string;
beforeAll(async () => {
  script = await bundle('./refresh.script.ts', import.meta.url);
});

async function race(count: number, kind: string, env: NodeJS.ProcessEnv) {
  const server = await startRotatingServer();
  const directory = temporaryDirectory();
  if (kind === 'file') await cheapVault(directory, env['CRYPTODATA_PASSPHRASE'] ?? '');
  const keychain = openKeychain({ kind, directory, env });
  await storeSession({ directory, keychain, authUrl: server.url });
  const all = Array.from({ length: count }, () =>
    run(process.execPath, [script, directory, server.url, kind], { env }),
  );
  const tokens = (await Promise.all(all)).map(({ stdout }) => stdout);
  expect(tokens).toEqual(Array(count).fill('at-1'));
  expect(server.used).toEqual(['rt-0']);
  expect(await keychain.get('default:refresh-token')).toBe(server.good());
  expect(readdirSync(sessionsDirectory(directory))).toEqual(['default.session']);
}

// `test/e2e/processes.test.ts` does this once with the built binary, which takes three times as long to start.
describe('processes that start together with an expired token', () => {
  it.skipIf(process.platform !== 'linux' || !needs(...KEYRING_PROGRAMS))(
    'share one refresh: twelve of them, with a real Secret Service',
    async () => {
      await race(12, 'os', await startKeyring());
    },
  );

  it('share one refresh: fifty of them, ten times in a row', { timeout: 600_000 }, async () => {
    const env = { PATH: process.env['PATH'], CRYPTODATA_PASSPHRASE: 'p' };
    for (let time = 1; time <= 10; time++) await race(50, 'file', env);
  });
});
