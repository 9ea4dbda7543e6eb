import { expect, test } from 'vitest';
import { readAccessTokenClaims } from '../../src/auth/claims.ts';

test.each<[unknown, number | null]>([
  [1_700_000_000, 1_700_000_000_000],
  [1_700_000_000.0005, 1_700_000_000_000],
  [253_402_300_799, 253_402_300_799_000],
  [253_402_300_800, null],
  [1e300, null],
  [-1, null],
  ['1700000000', null],
  [null, null],
])('reads the claim exp %j of an access token as the expiry time %j', (exp, expiresAt) => {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const token = `${part({ alg: 'none' })}.${part({ exp })}.`;
  expect(readAccessTokenClaims(token).expiresAt).toBe(expiresAt);
});
