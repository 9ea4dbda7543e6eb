import { spawn } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { openKeychain } from '../../src/auth/keychain/index.ts';
import { sessionsDirectory } from '../../src/auth/session-file.ts';
import { bundle } from '../bundle.ts';
import { needs } from '../needs.ts';
import { runs, THOROUGH } from '../runs.ts';
import { cheapVault, storeSession } from './expired.ts';
import { KEYRING_PROGRAMS, startKeyring } from './keyring.ts';
import { startRotatingServer } from './rotating-server.ts';
import { temporaryDirectory } from './support.ts';

let script: string;
beforeAll(async () => {
  script = await bundle('./refresh.script.ts', import.meta.url);
});

type Ask = (directory: string, url: string) => Promise<string | undefined>;

/**
 * Starts a process, and returns a function that makes the process request a token. The function can be called several times,
 * and before the process is ready.
 */
function contender(kind: string, env: NodeJS.ProcessEnv): Ask {
  const child = spawn(process.execPath, [script, kind], { env, stdio: ['pipe', 'pipe', 'inherit'] });
  onTestFinished(() => {
    child.kill('SIGKILL');
  });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return async (directory, url) => {
    child.stdin.write(`${directory} ${url}\n`);
    return (await lines.next()).value;
  };
}

async function race(contenders: readonly Ask[], kind: string, env: NodeJS.ProcessEnv) {
  const server = await startRotatingServer();
  const directory = temporaryDirectory();
  if (kind === 'file') await cheapVault(directory, env['CRYPTODATA_PASSPHRASE'] ?? '');
  const keychain = openKeychain({ kind, directory, env });
  await storeSession({ directory, keychain, authUrl: server.url });
  const tokens = await Promise.all(contenders.map((ask) => ask(directory, server.url)));
  expect(tokens).toEqual(Array(contenders.length).fill('at-1'));
  expect(server.used).toEqual(['rt-0']);
  expect(await keychain.get('default:refresh-token')).toBe(server.good());
  expect(readdirSync(sessionsDirectory(directory))).toEqual(['default.session']);
}

// `test/e2e/processes.test.ts` runs a similar test once with the built program. Starting the program takes three times as long
// as starting the script.
describe('several processes with the same expired token', () => {
  it.skipIf(process.platform !== 'linux' || !needs(...KEYRING_PROGRAMS))(
    'with a real Secret Service, twelve processes whose token has expired share one refresh',
    async () => {
      const env = await startKeyring();
      const contenders = Array.from({ length: 12 }, () => contender('os', env));
      await race(contenders, 'os', env);
    },
  );

  // In the first round, the processes are still starting. In later rounds, all processes are ready and act almost at the same
  // time.
  const ROUNDS = runs(10);
  const PROCESSES = THOROUGH ? 50 : 10;
  it(`${PROCESSES} processes with the same expired token share one refresh, ${ROUNDS} times in a row`, {
    timeout: 600_000,
  }, async () => {
    const env = { PATH: process.env['PATH'], CRYPTODATA_PASSPHRASE: 'p' };
    const contenders = Array.from({ length: PROCESSES }, () => contender('file', env));
    for (let time = 1; time <= ROUNDS; time++) await race(contenders, 'file', env);
  });
});
