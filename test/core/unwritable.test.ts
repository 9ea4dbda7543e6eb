import { expect, test, vi } from 'vitest';
import { makeTemporaryDirectory } from '../../src/core/file.ts';
import { networkError } from '../../src/core/network.ts';
import { cannotWrite, systemFailure } from '../../src/core/unwritable.ts';

const CODES = [
  ...['ENOSPC', 'EDQUOT', 'EMFILE', 'ENFILE', 'EIO', 'EFBIG', 'EACCES', 'EPERM', 'EROFS'],
  ...['ENAMETOOLONG', 'ELOOP', 'ENOTDIR'],
];

const systemError = (code: string, more: object = { path: '/x/y' }) =>
  Object.assign(new Error(`${code}: failed`), { code, syscall: 'open', ...more });

test.each(CODES)('the error for %s explains the cause and the fix', (code) => {
  const error = systemFailure(systemError(code));
  expect(error).toMatchObject({ kind: 'output', code, hint: expect.stringMatching(/\.$/) });
  expect(error?.message).toMatch(/^Cannot access \/x\/y: [a-z -]+$/);
  expect(systemFailure(systemError(code, {}))?.message).toMatch(/^A system call failed \(open\): [a-z -]+$/);
  expect(cannotWrite('a.csv', systemError(code))).toMatchObject({ code, hint: error?.hint });
});

test('only known system errors are reported as failures of the machine', () => {
  for (const other of [new TypeError('x'), systemError('ENOENT'), systemError('ENOTEMPTY'), undefined, null])
    expect(systemFailure(other)).toBeUndefined();
});

test.each(['EMFILE', 'ENFILE'])('a connection that fails because of %s is not a network error', (code) => {
  const error = networkError(new Error('fetch failed', { cause: systemError(code, {}) }), 'http://x');
  expect(error).toMatchObject({ kind: 'output', code });
  expect(error.message).toMatch(/^Cannot connect to http:\/\/x: the (process|system) has reached its limit/);
});

test('a TMPDIR that does not exist is reported with a hint', async () => {
  vi.stubEnv('TMPDIR', '/no/such/folder');
  await expect(makeTemporaryDirectory('x-')).rejects.toMatchObject({
    kind: 'output',
    code: 'ENOENT',
    hint: 'Set TMPDIR to a directory that you can write to.',
  });
  vi.unstubAllEnvs();
});
