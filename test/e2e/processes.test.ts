import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openKeychain } from '../../src/auth/keychain/index.ts';
import { cheapVault, storeSession } from '../auth/expired.ts';
import { startRotatingServer } from '../auth/rotating-server.ts';
import { run, temporary } from './harness.ts';

// test/auth/processes.test.ts runs a similar test, without the command line.
test('50 concurrent commands refresh an expired access token only once, and all of them succeed', {
  timeout: 600_000,
}, async () => {
  const server = await startRotatingServer();
  const directory = temporary();
  const env = {
    CRYPTODATA_AUTH_URL: server.url,
    CRYPTODATA_CLIENT_ID: 'the-client',
    CRYPTODATA_CONFIG_DIR: directory,
    CRYPTODATA_KEYCHAIN: 'file',
    CRYPTODATA_PASSPHRASE: 'correct horse battery staple',
  };
  await cheapVault(directory, env.CRYPTODATA_PASSPHRASE);
  const keychain = openKeychain({ kind: 'file', directory, env });
  await storeSession({ directory, keychain, authUrl: server.url });
  const all = await Promise.all(Array.from({ length: 50 }, () => run(['token'], { env })));
  expect(all).toEqual(Array(50).fill({ code: 0, stdout: 'at-1\n', stderr: '' }));
  expect(server.used).toEqual(['rt-0']);
  expect(await keychain.get('default:refresh-token')).toBe(server.good());
  expect(readdirSync(join(directory, 'sessions'))).toEqual(['default.session']);
});
