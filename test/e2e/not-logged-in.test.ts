import { expect, test } from 'vitest';
import { cases } from '../runs.ts';
import { run, temporary } from './harness.ts';

// Simulates a container, which has no D-Bus session and therefore no keychain.
const NOBODY = { DBUS_SESSION_BUS_ADDRESS: undefined, XDG_RUNTIME_DIR: '/nonexistent' };
const ADDRESS = { CRYPTODATA_BASE_URL: 'http://127.0.0.1:9', CRYPTODATA_AUTH_URL: 'http://127.0.0.1:9' };
const EMPTY = {
  CRYPTODATA_ACCESS_TOKEN: '',
  CRYPTODATA_API_KEY: '',
  CRYPTODATA_WORKSPACE: '',
  CRYPTODATA_PROFILE: '',
  CRYPTODATA_OUTPUT: '',
  CRYPTODATA_KEYCHAIN: '',
  CRYPTODATA_BASE_URL: '',
  HTTPS_PROXY: '',
  PAGER: '',
};

const COMMANDS = [
  ['ledgers'],
  ['ledgers', 'export', '--period', '2025', '--out', '-'],
  ['whoami'],
  ['token'],
];

test.each([
  ['without settings', {}],
  ['with only the addresses of the service', ADDRESS],
  ['with empty variables', EMPTY],
  ['with a keychain file but no passphrase', { ...ADDRESS, CRYPTODATA_KEYCHAIN: 'file' }],
  ['with a workspace', { ...ADDRESS, CRYPTODATA_WORKSPACE: 'ws_1' }],
])('%s, a command exits with 3 and lists the ways to log in', async (_, more) => {
  const env = { ...NOBODY, ...more, CRYPTODATA_CONFIG_DIR: temporary() };
  for (const args of cases(COMMANDS, more === EMPTY ? COMMANDS.length : 1)) {
    const { code, stdout, stderr } = await run(args, { env });
    expect([code, stdout], `${args}: ${stderr}`).toEqual([3, '']);
    expect(stderr).toMatch(/not logged in/);
    expect(stderr).toMatch(/cryptodata login/);
    expect(stderr).toMatch(/CRYPTODATA_ACCESS_TOKEN/);
    expect(stderr).not.toMatch(/D-Bus|keychain|passphrase/i);
  }
});
