import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { promisify } from 'node:util';
import { describe, expect, it, onTestFinished } from 'vitest';
import { explainKeychain } from '../../src/auth/keychain/errors.ts';
import { openKeychain } from '../../src/auth/keychain/index.ts';
import type { Keychain } from '../../src/auth/keychain/keychain.ts';
import { KeychainProcess, OsKeychain } from '../../src/auth/keychain/os.ts';
import { bundle } from '../bundle.ts';
import { needs } from '../needs.ts';
import { KEYRING_PROGRAMS, lockKeyring, startBus, startKeyring } from './keyring.ts';
import { failure, temporaryDirectory } from './support.ts';

const run = promisify(execFile);
const linux = process.platform === 'linux';

function keychainIn(env: NodeJS.ProcessEnv): Keychain {
  return openKeychain({ kind: 'os', directory: '/nowhere', env });
}

describe.skipIf(!linux || !needs(...KEYRING_PROGRAMS))('a real Secret Service', () => {
  it('the OS keychain stores, reads and deletes secrets under the documented names', async () => {
    const env = await startKeyring();
    const keychain = keychainIn(env);
    await keychain.probe();
    expect(await keychain.get('p:refresh-token')).toBeNull();
    await keychain.set('p:refresh-token', 'first ü\n');
    await keychain.set('p:refresh-token', 'second');
    expect(await keychain.get('p:refresh-token')).toBe('second');
    const lookup = ['lookup', 'service', 'cryptodata', 'username', 'p:refresh-token'];
    expect((await run('secret-tool', lookup, { env })).stdout).toBe('second');
    await keychain.delete('p:refresh-token');
    await keychain.delete('p:refresh-token');
    expect(await keychain.get('p:refresh-token')).toBeNull();
    await expect(run('secret-tool', lookup, { env })).rejects.toThrow();
    // The test entry that the tool writes to check the keychain is gone too.
    const all = await run('secret-tool', ['search', '--all', 'service', 'cryptodata'], { env });
    expect(all.stdout).toBe('');
  });

  it('the OS keychain stores values that exceed the maximum size of an entry', async () => {
    const keychain = keychainIn(await startKeyring());
    const long = `${'🔑x'.repeat(3000)}end`;
    await keychain.set('p:api-key', long);
    expect(await keychain.get('p:api-key')).toBe(long);
    await keychain.set('p:api-key', 'short');
    expect(await keychain.get('p:api-key')).toBe('short');
  });

  it('reports a locked keychain that cannot be unlocked', async () => {
    const env = await startKeyring();
    const keychain = keychainIn(env);
    await keychain.set('p:api-key', 'x');
    await lockKeyring(env);
    for (const step of [
      () => keychain.get('p:api-key'),
      () => keychain.set('p:api-key', 'y'),
      () => keychain.probe(),
    ]) {
      const error = await failure(step);
      expect([error.kind, error.code]).toEqual(['usage', 'KEYCHAIN_LOCKED']);
    }
  });
});

describe.skipIf(!linux)('a missing Secret Service', () => {
  it('the keychain error says that there is no D-Bus session', async () => {
    const error = await failure(
      keychainIn({ PATH: process.env['PATH'], XDG_RUNTIME_DIR: '/nowhere' }).probe(),
    );
    expect([error.kind, error.code]).toEqual(['usage', 'KEYCHAIN_UNAVAILABLE']);
    for (const way of ['CRYPTODATA_KEYCHAIN=file', 'CRYPTODATA_ACCESS_TOKEN', 'gnome-keyring']) {
      expect(error.hint).toContain(way);
    }
  });

  it.skipIf(!needs('dbus-daemon'))('a D-Bus session without a Secret Service is reported', async () => {
    expect((await failure(keychainIn(await startBus()).get('x'))).code).toBe('KEYCHAIN_UNAVAILABLE');
  });
});

/** Starts a D-Bus server that accepts connections but never answers. */
async function startHungBus(): Promise<{ env: NodeJS.ProcessEnv; connections: Set<Socket> }> {
  const path = join(temporaryDirectory(), 'bus');
  const connections = new Set<Socket>();
  const server = createServer((socket) => {
    connections.add(socket);
    socket.on('data', () => undefined);
    socket.on('error', () => undefined);
    socket.on('close', () => connections.delete(socket));
  });
  server.listen(path);
  await once(server, 'listening');
  onTestFinished(() => {
    for (const socket of connections) socket.destroy();
    server.close();
  });
  return { env: { PATH: process.env['PATH'], DBUS_SESSION_BUS_ADDRESS: `unix:path=${path}` }, connections };
}

describe.skipIf(!linux)('a Secret Service that never answers', () => {
  it('if the Secret Service never answers, every call times out, including queued calls', async () => {
    const { env } = await startHungBus();
    const keychain = new OsKeychain(new KeychainProcess({ env, callLimit: 300 }));
    const errors = await Promise.all([failure(keychain.get('a')), failure(keychain.set('b', 'c'))]);
    expect(errors.map((error) => error.code)).toEqual(['KEYCHAIN_TIMEOUT', 'KEYCHAIN_TIMEOUT']);
    expect(errors[0]?.hint).toContain('CRYPTODATA_KEYCHAIN=file');
  });

  it.each([
    ['process.exit()', 'exit'],
    ['the end of its script', 'end'],
  ])(
    'if the Secret Service never answers, a process and its helper process still end at %s',
    async (_, how) => {
      const { env, connections } = await startHungBus();
      const script = await bundle('./hang.script.ts', import.meta.url);
      const { stdout } = await run(process.execPath, [script, how], { env, timeout: 40_000 });
      expect(JSON.parse(stdout)).toEqual(['KEYCHAIN_TIMEOUT', 'KEYCHAIN_TIMEOUT']);
      for (const socket of connections) await once(socket, 'close');
      expect(connections.size).toBe(0);
    },
  );
});

it.skipIf(!linux)('a process that exits during a keychain call leaves no helper process behind', async () => {
  const { env, connections } = await startHungBus();
  const child = execFile(process.execPath, [await bundle('./hang.script.ts', import.meta.url), 'early'], {
    env,
  });
  while (connections.size === 0) await wait(10);
  child.stdin?.end('now');
  expect(await once(child, 'exit')).toEqual([0, null]);
  for (const socket of connections) await once(socket, 'close');
  expect(connections.size).toBe(0);
});

it('reports a helper process that cannot start', async () => {
  const start = () => failure(new KeychainProcess({ env: {}, startLimit: 1 }).get('a'));
  let { code } = await start();
  // If this process is slow, the helper process may be ready before the Secret Service is. The error is then
  // KEYCHAIN_UNAVAILABLE.
  while (code === 'KEYCHAIN_UNAVAILABLE') ({ code } = await start());
  expect(code).toBe('KEYCHAIN_FAILED');
});

it.skipIf(!linux || !existsSync('/proc') || !needs('pgrep'))(
  'the arguments and the environment of the helper process contain no secrets',
  async () => {
    const { env, connections } = await startHungBus();
    const entries = new KeychainProcess({
      env: { ...env, CRYPTODATA_PASSPHRASE: 'hush', NODE_OPTIONS: '--no-warnings' },
      callLimit: 60_000,
    });
    const call = failure(entries.set('the-account', 'the-secret'));
    // Ignore helper processes of earlier tests, which may still run. Their environment has no bus.
    const seen = await retry(async () => {
      const { stdout } = await run('pgrep', ['-P', String(process.pid), '-f', 'keychainWorker']);
      const of = (pid: string) =>
        ['cmdline', 'environ'].map((name) => readFileSync(`/proc/${pid}/${name}`, 'utf8')).join();
      const own = stdout
        .trim()
        .split('\n')
        .map(of)
        .findLast((text) => text.includes('DBUS_SESSION_BUS_ADDRESS'));
      if (own === undefined) throw new Error('the helper process has not started');
      return own;
    });
    expect(seen).not.toMatch(/the-secret|hush|NODE_OPTIONS/);
    while (connections.size === 0) await wait(10);
    for (const socket of connections) socket.destroy();
    await call;
  },
);

async function retry<T>(step: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await step();
    } catch {
      await wait(20);
    }
  }
}

it.each([
  ['Platform failure: User canceled the operation.', 'KEYCHAIN_DENIED', /Access to the keychain was denied/],
  ["Couldn't access platform storage: In dark wake, no UI possible", 'KEYCHAIN_NO_ACCESS', /In dark wake/],
  ["Couldn't access platform storage: Secret Service: no result found", 'KEYCHAIN_MISSING', /no keyring/],
  ["Couldn't access platform storage: SS Error: object locked", 'KEYCHAIN_LOCKED', /is locked/],
  [
    "Couldn't access platform storage: Secret Service: unlock prompt was dismissed",
    'KEYCHAIN_LOCKED',
    /is locked/,
  ],
  [
    'Platform failure: DBus error: Did not receive a reply. Possible causes include: the remote application did not send a reply, the message bus security policy blocked the reply, the reply timeout expired, or the network connection was broken.',
    'KEYCHAIN_TIMEOUT',
    /did not respond$/,
  ],
  [
    'Platform failure: DBus error: The name org.freedesktop.secrets was not provided by any .service files',
    'KEYCHAIN_UNAVAILABLE',
    /No Secret Service is available in this D-Bus session/,
  ],
  [
    'Platform failure: DBus error: Failed to connect to socket /run/user/0/bus: No such file or directory',
    'KEYCHAIN_UNAVAILABLE',
    /No D-Bus session/,
  ],
  [
    'Platform failure: DBus error: Using X11 for dbus-daemon autolaunch was disabled at compile time, set your DBUS_SESSION_BUS_ADDRESS instead',
    'KEYCHAIN_UNAVAILABLE',
    /No D-Bus session/,
  ],
  [
    "Platform failure: DBus error: Couldn't set item secret",
    'KEYCHAIN_UNWRITABLE',
    /Cannot write to the keychain: .*item secret/,
  ],
  ["Value of 'secret' is longer than the platform limit of 2560 chars", 'KEYCHAIN_TOO_SMALL', /too long/],
  ['Entry is matched by 2 credentials: …', 'KEYCHAIN_AMBIGUOUS', /duplicate entries/],
  ['Platform failure: something new', 'KEYCHAIN_FAILED', /something new/],
])('explains the keychain error: %s', (words, code, said) => {
  const error = explainKeychain(words);
  expect([error.kind, error.code]).toEqual(['usage', code]);
  expect(error.message).toMatch(said);
  expect(error.hint).toContain('CRYPTODATA_KEYCHAIN=file');
});

describe.skipIf(!linux)('a keychain that timed out', () => {
  it('after a keychain call has timed out, later calls fail with the same error without waiting again', async () => {
    const { env, connections } = await startHungBus();
    const entries = new KeychainProcess({ env, callLimit: 300 });
    const first = await failure(entries.get('a'));
    const helpers = connections.size;
    expect(await failure(entries.set('a', 'b'))).toBe(first);
    expect(await failure(entries.delete('a'))).toBe(first);
    expect(connections.size).toBeLessThanOrEqual(helpers);
  });
});
