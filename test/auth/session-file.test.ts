import { expect, test } from 'vitest';
import { readSession, type StoredSession, writeSession } from '../../src/auth/session-file.ts';
import { AUTH, temporaryDirectory } from './support.ts';

const KEY = Buffer.alloc(32, 7);
const SESSION: StoredSession = {
  ...{ accessToken: 'at', granted: ['openid'], requested: [], obtainedAt: 1, accessExpiresAt: 2 },
  ...{ refreshExpiresAt: 3, clientId: 'the-client', addresses: { auth_url: AUTH } },
};

async function written(change: object): Promise<StoredSession | null> {
  const directory = temporaryDirectory();
  await writeSession(directory, 'default', KEY, { ...SESSION, ...change });
  return readSession(directory, 'default', KEY);
}

test('a stored session is read back unchanged', async () => {
  expect(await written({})).toEqual(SESSION);
  expect(await written({ refreshExpiresAt: null })).toEqual({ ...SESSION, refreshExpiresAt: null });
});

test.each([
  ...(['accessToken', 'addresses', 'clientId', 'obtainedAt', 'accessExpiresAt'] as const),
  ...(['refreshExpiresAt', 'granted', 'requested'] as const),
])('ignores a stored session with an invalid %s', async (name) => {
  expect(await written({ [name]: undefined })).toBeNull();
  expect(await written({ [name]: [1] })).toBeNull();
});

test('ignores a stored session without the address of its authorization server', async () => {
  expect(await written({ addresses: { base_url: AUTH } })).toBeNull();
});
