import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { expect, it } from 'vitest';
import { sessionFile } from '../../src/auth/cache.ts';
import { resolveCredentials } from '../../src/auth/credentials.ts';
import { explainRefusal } from '../../src/auth/refusals.ts';
import { Settings } from '../../src/config/settings.ts';
import { testHost } from './support.ts';

it('403 forbidden with an API key is of the key and its workspace, not of a login', async () => {
  const host = testHost({ env: { CRYPTODATA_API_KEY: 'k', CRYPTODATA_WORKSPACE: 'ws_other' } });
  const refusal = { status: 403, code: 'forbidden', reason: 'not a member', path: ['v1', 'ledgers'] };
  const told = await explainRefusal(host, await resolveCredentials(host), refusal);
  expect(told?.hint).toMatch(/workspace ws_other.*config set workspace ws_… -p default/);
  expect(told?.hint).not.toMatch(/log ?in/i);
});

it('401 with the session of a profile says how to log in to that one', async () => {
  const host = testHost({ env: {} });
  const file = { profiles: { acme: {} } };
  const session = sessionFile(host.directory, 'acme');
  mkdirSync(dirname(session), { recursive: true });
  writeFileSync(session, '');
  const acme = { ...host, settings: new Settings({ flags: {}, env: {}, profileFlag: 'acme', file }) };
  const refusal = { status: 401, code: 'unauthorized', reason: 'expired', path: ['v1', 'ledgers'] };
  const told = await explainRefusal(acme, await resolveCredentials(acme), refusal);
  expect(told?.hint).toContain('cryptodata login -p acme');
});
