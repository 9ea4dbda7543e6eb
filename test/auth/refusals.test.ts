import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { expect, it } from 'vitest';
import { explainRefusal, resolveCredentials } from '../../src/auth/credentials.ts';
import { sessionFile } from '../../src/auth/session-file.ts';
import { Settings } from '../../src/config/settings.ts';
import { testHost } from './support.ts';

it('the error for a 403 with an API key suggests another workspace, not a login', async () => {
  const host = testHost({ env: { CRYPTODATA_API_KEY: 'k', CRYPTODATA_WORKSPACE: 'ws_other' } });
  const refusal = { status: 403, code: 'forbidden', reason: 'not a member', path: ['v1', 'ledgers'] };
  const told = await explainRefusal(host, await resolveCredentials(host), refusal);
  expect(told?.hint).toMatch(/ws_other.*config set workspace ws_… -p default/);
  expect(told?.hint).not.toMatch(/log ?in/i);
});

it('the error for a 401 suggests the login command for the profile', async () => {
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
