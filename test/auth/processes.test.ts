import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { sessionsDirectory, writeSession } from '../../src/auth/cache.ts';
import { openKeychain } from '../../src/auth/keychain/index.ts';
import { needs } from '../needs.ts';
import { KEYRING_PROGRAMS, startKeyring } from './keyring.ts';
import { bundle, temporaryDirectory } from './support.ts';

const run = promisify(execFile);
let script: string;
beforeAll(async () => {
  script = await bundle('./refresh.script.ts');
});

/** An authorization server that takes each refresh token once. */
async function startServer() {
  const used: string[] = [];
  const state = { valid: 'rt-0' };
  const server = createServer(async (request, response) => {
    const token = new URLSearchParams(await text(request)).get('refresh_token') ?? '';
    used.push(token);
    const good = token === state.valid;
    if (good) state.valid = `rt-${used.length}`;
    const body = good
      ? {
          access_token: `at-${used.length}`,
          refresh_token: state.valid,
          token_type: 'Bearer',
          expires_in: 86400,
        }
      : { error: 'invalid_grant' };
    response.writeHead(good ? 200 : 400, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return { url: `http://127.0.0.1:${address.port}`, used, state };
}

async function expiredSession(directory: string, authUrl: string, kind: string, env: NodeJS.ProcessEnv) {
  const key = Buffer.alloc(32, 7);
  const keychain = openKeychain({ kind, directory, env });
  await keychain.set('default:cache-key', key.toString('base64url'));
  await keychain.set('default:client-secret', 's');
  await keychain.set('default:refresh-token', 'rt-0');
  await writeSession(directory, 'default', key, {
    accessToken: 'at-0',
    granted: ['openid'],
    requested: ['openid'],
    obtainedAt: 0,
    accessExpiresAt: 86_400_000,
    refreshExpiresAt: null,
    authUrl,
    clientId: 'the-client',
  });
  return keychain;
}

async function race(count: number, kind: string, env: NodeJS.ProcessEnv) {
  const server = await startServer();
  const directory = temporaryDirectory();
  const keychain = await expiredSession(directory, server.url, kind, env);
  const all = Array.from({ length: count }, () =>
    run(process.execPath, [script, directory, server.url, kind], { env }),
  );
  const tokens = (await Promise.all(all)).map(({ stdout }) => stdout);
  expect(tokens).toEqual(Array(count).fill('at-1'));
  expect(server.used).toEqual(['rt-0']);
  expect(await keychain.get('default:refresh-token')).toBe(server.state.valid);
  expect(readdirSync(sessionsDirectory(directory))).toEqual(['default.session']);
}

describe('processes that start at once on an expired token make one refresh, and all succeed', () => {
  it.skipIf(process.platform !== 'linux' || !needs(...KEYRING_PROGRAMS))(
    'fifty, with a real Secret Service',
    async () => {
      await race(50, 'os', await startKeyring());
    },
  );

  it('ten, with the file keychain', async () => {
    await race(10, 'file', { PATH: process.env['PATH'], CRYPTODATA_PASSPHRASE: 'p' });
  });
});
